"""What every study's prompt files have in common: what is said of a file that cannot be used.

Which slots a study's texts have is tested in its own folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dissensus.user_files import read_yaml
from marking import thorough_but
from prompt_faults import FILES, QUOTED, TRUTH, said_of, shipped, source_of
from scripted import ROOT

#: Files whose parts have names of a user's.
FREE = {"identity/personas.yaml"}
#: Files that the default run does not use.
OF_OTHER_RUNS = {"language/any.yaml", "language/translate.yaml"}
#: A whole file, and how what is said of it begins.
WHOLE: list[tuple[bytes, str]] = [
    (b"", "it is empty; it must be a block of "),
    (b"# No more than this.", "it is empty; it must be a block of "),
    (b"Just a text.", "it holds 'Just a text.'; it must be a block of "),
    (b"- part", "it holds ['part']; it must be a block of "),
    (b"a: [", "line 1: it is not YAML ("),
    (b"a:\n  b: x\n\tc: x", "line 3: it is not YAML (found "),
    (b'a: You said "no": You', "line 1: it is not YAML (mapping values are not allowed in this "),
    (b"a: 2025-99-99", "line 1: it is not YAML ('2025-99-99': month must be in 1..12)"),
    (b"a: *one", "line 1: it is not YAML (found undefined alias)"),
    (b"a: !one x", "line 1: it is not YAML (could not determine a constructor for the tag '!one')"),
    (b"a: x\x00y", "line 1: it has the control character U+0000; take it out."),
    (b"a: x\nb: \xb1\xe0", "line 2: it is not UTF-8; save it as UTF-8."),
    ("a: 本院".encode("utf-16"), "line 1: it is not UTF-8; save it as UTF-8."),
    (b"a: x\nb: y\na: z", "line 3: a stands in line 1 already; keep one."),
    (b"no: x", "line 1: no is read as a truth value; put the key in quotes."),
    (b"null: x", "line 1: null is read as nothing; put the key in quotes."),
]
#: What a text is replaced by, and what is said of it.
VALUES: list[tuple[Any, str]] = [
    ("", "is empty; write its text."),
    (None, "holds null; it must be a text."),
    (7, f"holds 7; {QUOTED}"),
    (False, f"holds False; {TRUTH}"),
    (["x"], "holds ['x']; it must be a text."),
]


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def parts(name: str) -> dict[str, Any]:
    held: dict[str, Any] = read_yaml(source_of(name))
    return held


def texts(name: str) -> list[str]:
    return [part for part, text in parts(name).items() if isinstance(text, str)]


def said_of_parts(folder: Path, name: str, held: dict[str, Any]) -> list[str]:
    """What is said of a file that holds something, without the line that it names."""
    said = said_of(folder, name, yaml.safe_dump(held, allow_unicode=True, sort_keys=False))
    return [line.partition(": ")[2] if line.startswith("line ") else line for line in said]


def test_every_prompt_file_is_named_by_a_setting() -> None:
    folder = ROOT / "src/dissensus_studies"
    found = {f"{path.parts[-3]}/{path.name}" for path in folder.glob("*/prompts/*.yaml")}
    assert found - set(FILES) == OF_OTHER_RUNS and found > set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_shipped_file_passes(tmp_path: Path, name: str) -> None:
    assert said_of(tmp_path, name, shipped(name)) == []


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        # Every fault in one file, and two of them in every file.
        pytest.param(name, *fault, marks=pytest.mark.thorough if place and number > 1 else ())
        for place, name in enumerate(FILES)
        for number, fault in enumerate(WHOLE)
    ],
)
def test_what_is_no_prompt_file_is_a_sentence(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    (said,) = said_of(tmp_path, name, content)
    assert said.startswith(sentence)


@pytest.mark.parametrize("name", thorough_but(sorted({*FILES} - FREE), "identity/debate.yaml"))
def test_every_part_is_needed_and_no_other_is_known(tmp_path: Path, name: str) -> None:
    held = parts(name)
    for part in held:
        rest = {key: text for key, text in held.items() if key != part}
        assert said_of_parts(tmp_path, name, rest) == [f"{part} is missing; it must be set."]
    part = texts(name)[-1]
    said = said_of_parts(tmp_path, name, held | {f"{part}x": "x"})
    assert said == [f"{part}x is no part; '{part}' is."]
    (said_of_other,) = said_of_parts(tmp_path, name, held | {"qqqqqqqq": "x"})
    assert said_of_other.startswith("qqqqqqqq is no part; known here are ")


@pytest.mark.parametrize("name", FILES)
def test_a_text_that_is_none_is_a_sentence(tmp_path: Path, name: str) -> None:
    held, part = parts(name), texts(name)[0]
    for value, sentence in VALUES:
        (said, *_) = said_of_parts(tmp_path, name, held | {part: value})
        assert said == f"{part} {sentence}"


@pytest.mark.parametrize("name", thorough_but(FILES, "identity/debate.yaml", "language/en.yaml"))
def test_a_slot_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    held = parts(name)
    for part in texts(name):
        text = f"{held[part].rstrip()}\n{{NO_SUCH}}\n"
        (said, *_) = said_of_parts(tmp_path, name, held | {part: text})
        assert said.startswith(f"{part} has {{NO_SUCH}}, ")
