"""The reader's data: what its page is given is what the run has."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from dissensus.keep import reader
from dissensus.keep.reader import Writer, write_script
from dissensus.keep.reading import read_session, sent
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import read
from reader.small_run import configuration, run_sessions
from support import ROOT


def unpacked(path: Path) -> Any:
    """The data of a script."""
    text = path.read_text("utf-8")
    assert text.startswith('dissensus("') and text.count("\n") == 1
    return json.loads(zlib.decompress(b64decode(text.split('","')[1].removesuffix('")\n'))))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project's folder with a run of two draws, and the data of its reader, a session a chunk."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "resources").symlink_to(ROOT / "resources")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(reader, "_SESSIONS", 3)
        run = Path("results/demo")
        sessions = run_sessions(run, configuration())
        registry = configuration().registry(run, "test")
        Writer(sessions, registry).write(run / "reader/language", simulated=True)
    return folder / "results/demo"


def messages(calls: dict[str, Any], number: int) -> dict[str, str]:
    """A message, put together as the page does it."""
    role, *runs = calls["messages"][number]
    lines = [
        calls["lines"][at]
        for first, n in zip(runs[::2], runs[1::2], strict=True)
        for at in range(first, first + n)
    ]
    return {"role": role, "content": "\n".join(lines)}


def test_every_session_is_there_with_its_texts_and_its_requests(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = unpacked(place / "reader/language/index.js")
    assert index["id"] == ["d001-en", "d001-zh", "d002-en", "d002-zh"]
    assert index["chunk"] == [0, 0, 0, 1]
    titles = [index["titles"][code] for code in index["title"]]
    pool = {row["motion_id"]: row for row in read(place / "language/pool.parquet").to_pylist()}
    rows = read(place / "language/manifest.parquet").to_pylist()
    assert titles == [pool[row["motion_id"]][f"motion_{row['language']}"] for row in rows]
    monkeypatch.chdir(place.parent.parent)
    for name, chunk in zip(index["id"], index["chunk"], strict=True):
        kept = read_session(place / "language", name)
        texts = unpacked(place / f"reader/language/{chunk}-texts.js")[name]
        assert [turn[5] for turn in texts] == [turn["text"] for turn in kept.turns]
        calls = unpacked(place / f"reader/language/{chunk}-calls.js")
        told = []
        for call, row in zip(calls["sessions"][name]["calls"], kept.calls, strict=True):
            *_, numbers, frame = call
            shown = [messages(calls, number) for number in numbers]
            # As the page checks it: the digest is that of the messages that are shown.
            said = ", ".join(json.dumps(one, ensure_ascii=False, sort_keys=True) for one in shown)
            text = frame.replace('"messages": []', f'"messages": [{said}]')
            assert sha256(text.encode()).hexdigest() == row["request_sha256"]
            told += [one["content"] for one in shown]
        assert told == [
            one["content"] for one in sent(Path("results/demo/language"), name, configuration())
        ]


def test_what_cannot_be_rebuilt_is_shown_without_its_requests(
    place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(place.parent.parent)
    protocol = configuration().study("language").settings.protocol.model_dump()
    hot = configuration(protocol={**protocol, "temperature": 0.1})
    sessions = Sessions.read(hot, Path("results/demo/language"))
    Writer(sessions, hot.registry(tmp_path, "test")).write(tmp_path / "out", simulated=True)
    calls = unpacked(tmp_path / "out/0-calls.js")["sessions"]["d001-en"]["calls"]
    turns = unpacked(tmp_path / "out/0-texts.js")["d001-en"]
    whole = unpacked(place / "reader/language/0-calls.js")["sessions"]["d001-en"]["calls"]
    assert [call[:-2] for call in whole] == calls
    assert turns == unpacked(place / "reader/language/0-texts.js")["d001-en"]


def test_texts_that_no_file_can_hold_end_nothing(tmp_path: Path) -> None:
    write_script(tmp_path / "x.js", "x", ["\ud800 </script> \u2028"])
    assert unpacked(tmp_path / "x.js") == ["\ufffd </script> \u2028"]
