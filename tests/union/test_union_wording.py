"""The prompt files: every part is needed, and a fault is found before a run."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dissensus.errors import ResourceError
from dissensus.union.study import Union
from union.test_union_study import settings
from union.union_sessions import PROMPTS


def test_every_prompt_is_rendered_before_a_run() -> None:
    for switches in ({}, {"definitions": False}, {"points": False}, {"audited": False}):
        Union(settings(protocol=switches)).compile_prompts()


def test_every_part_of_the_prompt_files_is_needed(tmp_path: Path) -> None:
    for file, path in PROMPTS.items():
        wording = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        for part in wording:
            rest = {name: text for name, text in wording.items() if name != part}
            changed = tmp_path / "changed.yaml"
            changed.write_text(yaml.safe_dump(rest), encoding="utf-8")
            with pytest.raises(ResourceError, match=f"{part} is missing"):
                Union(settings(**{file: str(changed)})).compile_prompts()


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        ("prompts", "{NOTES}", "{NOTE}", r"speech has \{NOTE\}, which is no slot; \{NOTES\} is"),
        ("prompts", "  {DIRECTIVE}\n", "", r"prepare lacks \{DIRECTIVE\}; put it in"),
        ("prompts", "Closing patterns: {CLOSINGS}", "", r"style_entry lacks \{CLOSINGS\}"),
        ("prompts", "  - Ask who bears the cost when things go wrong\n", "", "lenses .* 8"),
        ("judging", "team {SLOT}, speech", "team, speech", r"blind_entry lacks \{SLOT\}"),
        ("judging", "person: a person", "persons: a person", "masks"),
    ],
)  # fmt: skip
def test_a_fault_of_a_prompt_file_is_a_sentence(
    tmp_path: Path, file: str, old: str, new: str, sentence: str
) -> None:
    text = Path(PROMPTS[file]).read_text(encoding="utf-8")
    old = old if old in text else old.replace("team {SLOT}, speech", "Team {SLOT}, speech")
    assert old in text
    changed = tmp_path / "changed.yaml"
    changed.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ResourceError, match=sentence) as raised:
        Union(settings(**{file: str(changed)})).compile_prompts()
    assert all(line.startswith(str(changed)) for line in str(raised.value).split("\n"))


def test_the_printed_sentences_are_word_for_word() -> None:
    """From the post; the source prints these and no other."""
    texts = [" ".join(Path(path).read_text(encoding="utf-8").split()) for path in PROMPTS.values()]
    for sentence in (
        "Lead with your most concrete, evidence-backed argument",
        "Find the most counterintuitive angle in your preparation material",
        "All speakers should argue within this framework. If you disagree, contest explicitly — do "
        "NOT silently operate under different definitions.",
        "You MUST look for rebuttals in BOTH directions. If you find 10+ rebuttals from one side "
        "but 0 from the other, you are doing it wrong. Re-read the transcript.",
    ):
        assert sum(sentence in text for text in texts) == 1
