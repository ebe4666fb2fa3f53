"""No reply takes longer to be read than its length: every pattern, and every reader, by growth."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dissensus.llm.doubts import unknown
from dissensus.llm.marks import TABLE, MarkTable, read_marks
from dissensus.llm.outcomes import fault_of_stream, message_of, outcome_of
from dissensus.llm.providers.anthropic import AnthropicCodec
from dissensus.llm.providers.openai import OpenAICodec
from dissensus.llm.thought import split_thought
from dissensus.report import escaping
from dissensus.session.blinding import Blinder, Masks
from dissensus.session.format_rules import SpeechRules
from dissensus.session.quoting import DIVIDERS, block, one_line, quoted
from dissensus.session.replies import JsonReply, find_object
from dissensus.text.sentences import split_sentences
from dissensus.text.terms import commonest_terms
from dissensus.text.words import split_words
from dissensus.user_files import read_yaml
from dissensus_studies.consensus.protocol.sanity import LetterFormat
from dissensus_studies.consensus.replies import BallotFormat
from dissensus_studies.consensus.scale import names_label
from dissensus_studies.deliberation.controls.crit import parse_assessment
from dissensus_studies.deliberation.controls.rca import parse_verdict
from dissensus_studies.deliberation.measures.consistency import conclusion
from dissensus_studies.deliberation.turns import parse_turn
from dissensus_studies.identity.measures.reading import parse_answer, parse_leniently
from dissensus_studies.union import replies as union
from linear import GRAMMARS, PIECES, attacks, modules, patterns, searches, worst
from marking import thorough_but

PEOPLE = {"Dr Ann Stone": "proposition", "Sir Ivo May": "opposition"}
MASKS = Masks(speaker="Speaker {SLOT}", side="Side {SLOT}", person="a person")


def _part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _answer(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": [_part(text)], "reasoning": text}}]}


OPTIONS = ("keep it", "raise it by 2.5%", "drop it")
READERS: dict[str, Callable[[str], object]] = {
    "thought": split_thought,
    "unknown marks": lambda text: unknown([text] * 5, read_marks(), simulated=False),
    "sentences": split_sentences,
    "words": split_words,
    "speech": SpeechRules(3, 50, "latin").violations,
    "Chinese speech": SpeechRules(3, 50, "hans").violations,
    "choice": lambda text: parse_answer(text, "choice", 3, OPTIONS),
    "number": lambda text: parse_answer(text, "numeric", 0),
    "lenient": lambda text: parse_leniently(text, "choice", 3, OPTIONS),
    "ballot": BallotFormat(True).read,
    "letter": LetterFormat("ABC").read,
    "secret": lambda text: names_label(text, (0, 1, 2)),
    "turn": lambda text: parse_turn(text, OPTIONS),
    "assessment": parse_assessment,
    "verdict": parse_verdict,
    "conclusion": lambda text: conclusion(text, "", OPTIONS),
    "object": lambda text: find_object(text, ("stance", "claims", "a")),
    "OpenAI's answer": lambda text: OpenAICodec().parse(_answer(text)),
    "Anthropic's answer": lambda text: AnthropicCodec().parse({"content": [_part(text)] * 2}),
    "error": lambda text: (outcome_of(400, {"error": {"message": text}}), message_of([text])),
    "page of an error": lambda text: outcome_of(403, text),
    "stream": fault_of_stream,
    "terms": lambda text: commonest_terms([[text], ["another", text]]),
    "rubric": JsonReply(union.Rubric).read,
    "claims": JsonReply(union.FoundClaims).read,
    "blinding": Blinder(PEOPLE, MASKS).mask,
    "quoted": quoted,
    "block": lambda text: block(text, (*DIVIDERS, "speech of")),
    "one line": one_line,
    "HTML line": escaping.line,
    "Markdown": escaping.markdown,
    "reStructuredText": escaping.rst,
}
#: Beside single characters: what readers look for.
WORDS = (
    *("Mr. ", "e.g. ", "...)", "?! ", "1,000 ", "1. ", "- a\n", "\n\n", "\r", "-\r", "-\n"),
    *("don't-", "了。", "{final answer: ", "{final answer: (A)} ", "answer is ", "\\boxed{"),
    *("\\frac{1}{", "correct "),
    *("Vote: Agree\n", "vote: . ", "Confidence: ", "Answer: A\n", "I therefore ", "keep it "),
    *('{"stance": ', '{"', '"}', '{"claims": [', "[{", "```\n", "```json ", "\\ud83d", '\\"', "'}"),
    *("Dr Ann Stone ", "Dr ", "the Rt Hon ", "Stone-", "proposi\u00adtion ", "Ivo\u200b"),
    *("## a\n", "=== \n", "<|im_end|> A", "<think>", "</think> ", "<think>\n", "[INST] ", "&lt;"),
)  # fmt: skip


def _marks() -> list[str]:
    """The marks of chat templates and of thought, as models write them."""
    table = MarkTable(**read_yaml(TABLE))
    lists = [(table.thought, "think"), (table.answer, "answer"), (table.turn, "user")]
    marks = [
        mark.replace("NAME", name).replace("ROLE", name)
        for group, name in lists
        for kind, entries in group
        if "begins" in kind or "ends" in kind
        for mark in entries
    ]
    return [*dict.fromkeys(f"{mark} " for mark in marks)]


#: All that is looked for, and that is around it.
SOUGHT = (*PIECES, *WORDS, *GRAMMARS, *_marks())


@functools.cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Every pattern of a module that reads, and every one that readers make as they read."""
    named: dict[tuple[str, int], str] = {}
    made = {name: pattern for module in modules() for name, pattern in patterns(module)}
    kept = re._compile  # type: ignore[attr-defined]

    def compiled(pattern: Any, flags: Any) -> Any:
        result = kept(pattern, flags)
        if isinstance(result.pattern, str):
            made.setdefault(f"made in reading: {result.pattern[:60]}", result)
        return result

    for module in modules():
        for function in vars(module).values():
            if hasattr(function, "cache_clear") and function is not modules:
                function.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(re, "_compile", compiled)
        for read in READERS.values():
            for word in WORDS:
                read(f"{word}a")
    for name, pattern in made.items():
        named.setdefault((pattern.pattern, pattern.flags), name)
    return {name: re.compile(*key) for key, name in named.items()}


def test_the_hunt_finds_what_is_quadratic() -> None:
    """Or it would find nothing, and say that all is well."""
    # In texts of which reading takes twice as long as it must, at least, to be looked at.
    for wrong, size in (
        (r"\s+$", 1_000),
        (r"[.!?]*[\"']*(?=\s|$)x", 500),
        (r"a(.*?)[ *]*$", 1_000),
        (r"\d+%", 1_000),
        (r"x-[^\S\n]*[\r\n]\s*y", 1_600),
    ):
        pattern = re.compile(wrong, re.MULTILINE)
        assert worst(searches(pattern), attacks(pattern), size), wrong
    for right in (r"(?<!\s)\s++$", r"\d++", r"<[^<>]{1,40}>"):
        pattern = re.compile(right)
        assert not worst(searches(pattern), attacks(pattern)), right


def test_all_patterns_that_read_replies_are_found() -> None:
    names = " ".join(_patterns())
    for needed in ("sentences._END", "reading._MARKER", "replies._VOTE", "quoting", "blinding"):
        assert needed in names
    assert len(_patterns()) > 120
    assert any(name.startswith("made in reading") for name in _patterns())


@pytest.mark.parametrize("part", thorough_but(range(8), 0))
def test_no_pattern_takes_longer_than_its_text(part: int) -> None:
    found = {
        name: worst(searches(pattern), attacks(pattern))
        for name, pattern in [*_patterns().items()][part::8]
    }
    assert {name: attack for name, attack in found.items() if attack} == {}


@pytest.mark.parametrize("reader", thorough_but(READERS, *[*READERS][::3]))
def test_no_reader_takes_longer_than_its_text(reader: str) -> None:
    tried = [("a", piece) for piece in SOUGHT]
    begins = ('{"stance": "', '{"claims": [{"text": "')
    tried += [(begin, piece) for begin in begins for piece in (*PIECES, *GRAMMARS)]
    assert worst(READERS[reader], tried) is None


@pytest.mark.thorough
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    begin=st.sampled_from(["", "a", '{"claims": [{"text": "', *SOUGHT]),
    pieces=st.lists(st.sampled_from(SOUGHT), min_size=2, max_size=4).map("".join),
)
@pytest.mark.parametrize("reader", READERS)
def test_no_reader_takes_longer_for_pieces_of_several_grammars(
    reader: str, begin: str, pieces: str
) -> None:
    assert worst(READERS[reader], [(begin, pieces)]) is None
