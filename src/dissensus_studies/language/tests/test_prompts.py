"""What is said of prompt files of the language study before a run begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from prompt_faults import NOT_THERE, QUOTED, said_of_change, shipped
from scripted import ROOT

EN, ZH = "language/en.yaml", "language/zh.yaml"
FIRST = "P1: Pro First Speaker"
SCHEDULE = shipped(EN).split("schedule:")[1].split("\n\nrepair")[0]
OTHER = "studies/language/prompts/en.yaml"
SAME = "languages are compared by nothing but the language, so give both one schedule."
TWICE = (
    "give each of P1, P2, O1, O2 two or more, since the speeches of one speaker are compared with "
    "each other."
)
MEND = "mend it there or just above."


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


#: A text of a shipped file, what stands in its place, and the sentence or how it begins.
FAULTS = [
    (
        EN,
        '"{TOPIC}".\n  {LANG',
        '"{TOPC}".\n  {LANG',
        "line 10: template has {TOPC}, which is no slot; {TOPIC} is.",
    ),
    (
        EN,
        "{LANGUAGE_INSTRUCTION}\n",
        "",
        "line 10: template lacks {LANGUAGE_INSTRUCTION}; put it in.",
    ),
    (
        EN,
        "Your role is: {ROLE}.",
        "Your role is: {role}.",
        "line 10: template has {role}; write {ROLE}.",
    ),
    (
        EN,
        "Your role is: {ROLE}.",
        "Your role is: {{ROLE}}.",
        "line 10: template has {{ROLE}}; write {ROLE}.",
    ),
    (
        EN,
        "Your role is: {ROLE}.",
        "Your role is: { ROLE }.",
        "line 10: template has { ROLE }; write {ROLE}.",
    ),
    (
        EN,
        "Your role is: {ROLE}.",
        "Your role is: {ROLE.",
        "line 10: template lacks {ROLE}; put it in.",
    ),
    (
        EN,
        "Deliver your statement now.",
        "Deliver {FOO} now.",
        "line 10: template has {FOO}, which is no slot; its slots are",
    ),
    (
        EN,
        "  {OPTIONAL_DEBATE_HISTORY_BLOCK}\n",
        "",
        "line 10: template lacks {OPTIONAL_DEBATE_HISTORY_BLOCK}; put it in.",
    ),
    (
        EN,
        "{STRATEGY_PROMPT}",
        "{STRATEGY}",
        "line 10: template has {STRATEGY}, which is no slot; {STRATEGY_PROMPT} is.",
    ),
    (
        EN,
        "write in English only",
        "write about {TOPIC} only",
        "line 43: language_instruction has {TOPIC}, which is no slot; its slots are {LANGUAGE}.",
    ),
    (EN, "P2: Pro Second Speaker", 'P2: "{ROLE}"', f"line 47: roles.P2 has {{ROLE}}, {NOT_THERE}"),
    (
        EN,
        "{VIOLATION_REASON}",
        "{VIOLATION}",
        "line 77: repair has {VIOLATION}, which is no slot; {VIOLATION_REASON} is.",
    ),
    (
        EN,
        "  {PREVIOUS_SPEECH}",
        "  The speech.",
        "line 80: previous_speaker lacks {PREVIOUS_SPEECH}; put it in.",
    ),
    (
        EN,
        "  {HISTORY}",
        "  {SPEECH}",
        "line 83: history has {SPEECH}, which is no slot; its slots are {HISTORY}.",
    ),
    (
        ZH,
        "({ROUND_INFO}): {SPEECH}",
        "({ROUND_INFO})",
        "line 86: history_entry lacks {SPEECH}; put it in.",
    ),
    (
        ZH,
        'motion is "{TOPIC}"',
        'motion is "{MOTION}"',
        "line 90: system has {MOTION}, which is no slot; its slots are {ROLE}, {TOPIC}.",
    ),
    (EN, "  O2: Con Second Speaker\n", "", "line 45: roles.O2 is missing; it must be set."),
    (
        EN,
        "  O: Oppose the proposition.",
        "  C: Oppose the proposition.",
        "line 53: positions.C is no part; known here are P, O.",
    ),
    (
        EN,
        "  closing: >-",
        "  coda: >-",
        "line 62: strategies.coda is no part; known here are opening, rebuttal, closing.",
    ),
    (EN, FIRST, "P1: 1", f"line 46: roles.P1 holds 1; {QUOTED}"),
    (EN, FIRST, "P1:", "line 46: roles.P1 holds null; it must be a text."),
    (EN, FIRST, 'P1: " "', "line 46: roles.P1 is empty; write its text."),
    (EN, FIRST, "P1: {ROLE}", f"line 46: roles.P1 holds {{'ROLE': None}}; {QUOTED}"),
    (
        EN,
        FIRST,
        "P1: [Pro First Speaker]",
        "line 46: roles.P1 holds ['Pro First Speaker']; it must be a text.",
    ),
    (EN, FIRST, "P1: 2025-12-15", f"line 46: roles.P1 holds datetime.date(2025, 12, 15); {QUOTED}"),
    (
        EN,
        FIRST,
        'P1: "Pro\\0First Speaker"',
        "line 46: roles.P1 holds the character U+0000, which is no text; take it out.",
    ),
    (EN, FIRST, 'P1: "Pro \\uE000"', "line 46: roles.P1 has the character U+E000; take it out."),
    (
        EN,
        "speaker: O2, strategy: closing",
        "speaker: O3, strategy: closing",
        "line 75: schedule.7.speaker holds 'O3'; it may be one of 'P1', 'P2', 'O1' or 'O2'.",
    ),
    (
        EN,
        "speaker: O2, strategy: closing",
        "speaker: O2, strategy: coda",
        "line 75: schedule.7.strategy holds 'coda'; it may be one of 'opening', 'rebuttal' or ",
    ),
    (
        EN,
        "{speaker: O2, strategy: closing, ",
        "{speaker: O2, ",
        "line 75: schedule.7.strategy is missing; it must be set.",
    ),
    (
        EN,
        "{speaker: P1, strategy: opening,",
        "{speaker: P1, strateg: opening,",
        "line 68: schedule.0.strateg is no part; 'strategy' is.",
    ),
    (
        EN,
        "speaker: O2, strategy: closing",
        "speaker: O1, strategy: closing",
        f"line 67: schedule has too few turns of O2 (1); {TWICE}",
    ),
    (
        ZH,
        "speaker: P1, strategy: rebuttal",
        "speaker: P1, strategy: opening",
        f"line 72: schedule.4 is P1, opening, and that of {OTHER} P1, rebuttal; {SAME}",
    ),
    (
        ZH,
        "  - {speaker: O2, strategy: closing",
        "  - {speaker: O1, strategy: closing, round: x}\n  - {speaker: O2, strategy: closing",
        f"line 67: schedule has 9 turns and that of {OTHER} 8; {SAME}",
    ),
    (EN, SCHEDULE, " []", f"line 67: schedule has too few turns of P1 (0); {TWICE}"),
    (
        EN,
        SCHEDULE,
        "\n".join(SCHEDULE.split("\n")[:4]),
        f"line 67: schedule has too few turns of P1 (1); {TWICE}",
    ),
    (
        EN,
        SCHEDULE,
        " P1, O1, P2, O2",
        "line 67: schedule holds 'P1, O1, P2, O2'; it must be a list.",
    ),
    (
        EN,
        "  P2: Pro Second Speaker",
        "  P2: Pro Second Speaker\n  P1: Another",
        "line 48: roles.P1 stands in line 46 already; keep one.",
    ),
    (
        EN,
        "{speaker: P1, strategy: opening",
        "{speaker: P1, speaker: O1, strategy: opening",
        "line 68: schedule.0.speaker stands in line 68 already; keep one.",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "sentence"), FAULTS)
def test_a_fault_is_a_sentence_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, sentence: str
):
    said = said_of_change(tmp_path, name, old, new)
    assert any(line.startswith(sentence) for line in said), said
