"""Damage in any file of a run is a sentence that names it, and what is deleted comes back."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from snakemake.utils import update_config

from dissensus.keep.verified import Verified
from dissensus.keep.verify import verify
from dissensus.llm.call import Message, Reply, Request
from dissensus.llm.journal import Journal
from dissensus.llm.ledger import Ledger
from dissensus.llm.records import write_line
from dissensus.study.configuration import load
from dissensus.user_files import read_yaml
from fake_client import FakeClient, in_turn
from support import SMALL, Project

RUN = Path("results/demo")
STUDY = RUN / "language"
WHOLE = "of run demo: all as they were made."
#: Files that say what is under way, and no result.
STATE = re.compile(r"/\.|verify\.log$")


def flip(path: Path, place: float = 0.5, bits: int = 1) -> None:
    """Change a byte; ``place``: how far into the file."""
    data = bytearray(path.read_bytes())
    data[int(place * (len(data) - 1))] ^= bits
    path.write_bytes(data)


def verified(project: Project, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Verified:
    """What verifying finds, in this process."""
    monkeypatch.chdir(project.folder)
    settings = project.settings()
    update_config(settings, read_yaml(Path("more.yaml")))
    update_config(settings, changes)
    return verify(load(settings), RUN)


def kinds(folder: Path) -> dict[str, Path]:
    """A file of every kind below a folder."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not STATE.search(str(path)):
            kind = re.sub(r"d\d{3}-\w+|(?<=shards/)\d|table_\w+|\d(?=\.log)", "*", str(path))
            found.setdefault(kind, path)
    return found


def test_a_sound_run_is_verified_and_not_touched(copied: Project) -> None:
    before = copied.snapshot()
    said = copied.succeed("verify")
    assert re.search(rf"Verified 8 sessions, \d+ turns, \d+ files {WHOLE}", said)
    changed = {path for path, time in copied.snapshot().items() if before.get(path) != time}
    names = {path.name for path in changed if not path.name.startswith(".")}
    # The folder of the run has notes of its own, whose names begin with a dot.
    assert names <= {"verify.log", "logs", "demo"}
    assert copied.planned() == {}


#: What the verification of others is drawn from, so that it is damaged by itself.
SOURCES = {STUDY / "manifest.parquet"}


def test_a_flipped_byte_in_any_kind_of_file_is_found(
    copied: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verified(copied, monkeypatch).summary.endswith(WHOLE)
    files = {*kinds(RUN).values()}
    assert {path.suffix for path in files} == {
        *(".parquet", ".jsonl", ".log", ".csv", ".md", ".html", ".svg", ".png", ".rst", ".sha256"),
        # What a shard notes of its sessions has none.
        *(".js", ".tex", ""),
    }
    # A log says what its stage wrote.
    logs = {path for path in files if path.suffix == ".log"}
    good = {path: path.read_bytes() for path in files}
    for place, bits in ((0.0, 1), (0.4, 0x20), (1.0, 0xFF)):
        for together in (files & SOURCES, logs, files - SOURCES - logs):
            for path in together:
                flip(path, place, bits)
            found = verified(copied, monkeypatch)
            said = "\n".join(found.findings.values())
            assert {path for path in together if str(path) not in said} == set()
            assert found.summary.endswith("of the files damaged.")
            for path in together:
                path.write_bytes(good[path])
    assert verified(copied, monkeypatch).summary.endswith(WHOLE)


def test_the_target_ends_with_the_files_and_their_mends(copied: Project) -> None:
    flip(copied.results() / "metrics.parquet")
    flip(copied.results() / "tables/table_1.csv")
    done = copied.run("verify")
    assert done.returncode != 0
    assert f"{STUDY}/metrics.parquet is damaged (not as it was written); delete it" in done.stderr
    assert f"{STUDY}/tables/table_1.csv is not what {STUDY}/logs/tabulate.log says" in done.stderr
    assert re.search(r"\d+ files of run demo: 2 of the files damaged\.", done.stderr)
    assert "Traceback" not in done.stderr


def cut_by_arrow(path: Path) -> None:
    pq.write_table(pq.read_table(path).take([0, 1, 3, 5, 7]), path)


def cut_by_pandas(path: Path) -> None:
    pd.read_parquet(path).iloc[[0, 1, 3, 5, 7]].to_parquet(path, index=False)


@pytest.mark.thorough
def test_a_run_stops_at_damaged_files_and_makes_them_again_once_deleted(
    copied: Project,
) -> None:
    target = f"{STUDY}/metrics.parquet"
    before = copied.digests()
    # A job stops at the first damaged file that it reads, and other jobs go on.
    rounds: tuple[dict[str, Callable[[Path], None]], ...] = (
        {"shards/2/components.parquet": flip},
        {"manifest.parquet": flip},
        {"shards/1/turns.parquet": cut_by_arrow},
        {"shards/2/outcomes.parquet": flip},
        {"shards/2/turns.parquet": cut_by_pandas},
    )
    for damaged in rounds:
        sound = {name: (copied.results() / name).read_bytes() for name in damaged}
        for name, harm in damaged.items():
            harm(copied.results() / name)
        done = copied.run(target)
        assert done.returncode != 0, damaged
        for name in damaged:
            assert f"{STUDY}/{name} is damaged (" in done.stderr, name
        assert done.stderr.count("delete it and it will be made again.") == len(damaged)
        assert "Traceback" not in done.stderr
        for name, content in sound.items():
            (copied.results() / name).write_bytes(content)
    deleted = [name for damaged in rounds for name in damaged]
    for name in deleted:
        (copied.results() / name).unlink()
    copied.succeed(target, *(f"{STUDY}/{name}" for name in deleted))
    assert copied.digests() == before
    assert re.search(r"Verified 8 sessions", copied.succeed("verify"))


@pytest.mark.thorough
def test_a_damaged_transcript_is_made_again_from_its_journal(copied: Project) -> None:
    before, asked = copied.digests(), copied.requests()
    cut_by_arrow(copied.results() / "transcripts/d001-en.parquet")
    cut_by_pandas(copied.results() / "transcripts/d002-en.parquet")
    flip(copied.results() / "transcripts/d003-zh.parquet")
    assert copied.sessions_planned() == 3
    copied.succeed(f"{STUDY}/metrics.parquet")
    assert copied.digests() == before and copied.requests() == asked


@pytest.mark.thorough
def test_sessions_that_swapped_their_files_are_found(
    copied: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is as it was written, by its own digest."""
    copied.succeed(*(f"{STUDY}/calls/d00{n}-en.parquet" for n in (1, 2)))
    monkeypatch.chdir(copied.folder)
    for kind in ("sessions", "calls", "transcripts"):
        shutil.copy2(STUDY / kind / "d001-en.parquet", STUDY / kind / "d002-en.parquet")
    found = verified(copied, monkeypatch)
    assert set(found.findings) == {
        STUDY / kind / "d002-en.parquet" for kind in ("sessions", "calls", "transcripts")
    }


def test_a_gathered_file_of_another_run_is_found(
    copied: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied.folder)
    shutil.copy2(STUDY / "shards/1/turns.parquet", STUDY / "shards/2/turns.parquet")
    shutil.copy2(STUDY / "shards/1/turns.parquet", STUDY / "turns.parquet")
    found = verified(copied, monkeypatch)
    assert set(found.findings) == {STUDY / "shards/2/turns.parquet", STUDY / "turns.parquet"}


def test_a_reply_that_is_gone_is_found_and_not_asked_for(
    copied: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied.folder)
    journal = STUDY / "journal/d003-zh.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    found = verified(copied, monkeypatch)
    assert "lacks a reply that d003-zh was made from" in found.findings[journal]
    assert len(journal.read_bytes().splitlines()) == len(lines) - 1
    journal.unlink()
    assert set(verified(copied, monkeypatch).findings) == {journal}
    assert not journal.exists()


def test_other_settings_are_no_damage_of_a_transcript(
    copied: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = verified(copied, monkeypatch, language={"protocol": {"temperature": 0.3}})
    assert set(found.findings) == set(STUDY.glob("transcripts/*"))
    assert all("made to other settings or code" in said for said in found.findings.values())


def test_a_run_that_is_not_complete_is_verified_as_far_as_it_is(
    copied: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied.folder)
    for name in ("transcripts/d001-en", "transcripts/d004-zh", "metrics"):
        (STUDY / f"{name}.parquet").unlink()
    found = verified(copied, monkeypatch)
    assert (found.findings, found.sessions, found.pending) == ({}, 6, 2)
    assert found.summary.endswith(f"{WHOLE} Still to be made: sessions 2, other files 1.")
    (STUDY / "manifest.parquet").unlink()
    assert verified(copied, monkeypatch).findings == {}


def test_a_ledger_with_less_than_the_journals_is_found(
    copied: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied.folder)
    request = Request("m", "id", (Message("user", "Speak."),), 0.2, 64, 1)
    paid = Reply("Well.", cost_usd=0.02, faults=("timeout",), faults_usd=0.01)
    Journal(STUDY / "journal/d999-en.jsonl").ask(FakeClient(in_turn(paid)), request)
    # Who has the journals of another's run has no ledger.
    assert verified(copied, monkeypatch).findings == {}
    path = RUN / "ledger.jsonl"
    ledger = Ledger(path, None)
    ledger.add("m", 0.02, 10, 5)
    assert "has $0.020000 and the replies" in verified(copied, monkeypatch).findings[path]
    ledger.add("m", 0.01, 10, 0, sure=False)
    assert verified(copied, monkeypatch).findings == {}
    flip(path, 0.0)
    assert set(verified(copied, monkeypatch).findings) == {path}


def test_a_damaged_journal_of_embeddings_is_found(
    copied: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied.folder)
    path = STUDY / "journal/embeddings/1-0123abcd.jsonl"
    path.parent.mkdir()
    reply = {"text": "", "cost_usd": 0.01}
    path.write_bytes(write_line({"key": "k", "keys": ["a"], "vectors": ["AAAA"], "reply": reply}))
    assert verified(copied, monkeypatch).findings == {}
    flip(path)
    assert "line 1 of the journal is damaged" in verified(copied, monkeypatch).findings[path]


@pytest.mark.thorough
def test_sessions_that_failed_are_verified(project: Project) -> None:
    silent = {**project.settings()["models"]["simulated-a"], "timeout_rate": 1.0}
    study = {**SMALL["language"], "panel": ["simulated-a", "simulated-b", "simulated-c", "silent"]}
    project.configure({"language": study, "models": {"silent": silent}})
    done = project.run("results/demo/language/turns.parquet")
    assert done.returncode != 0
    assert "results/demo/language has no session to be measured: all 8 failed" in done.stderr
    assert "Verified 8 sessions, 0 turns" in project.succeed("verify")
