"""The final answer of a response, and which sessions have answers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.tables.artefact import read, write

from ..measures.answers import read_answers
from ..measures.reading import canonical_number, parse_answer
from ..measures.transitions import ANSWERS, follow_answers
from .identity_rows import question, session

RING = "2|1"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It is B. {final answer: (B)}", "B"),
        ("{FINAL ANSWER : b }", "B"),
        ("{final answer:B}", "B"),
        ("{final\nanswer: ( c )}.", "C"),
        ("{final answer: (B) Mitochondria}", "B"),
        ("{final answer: B) Mitochondria}", "B"),
        ("{final answer: B. Mitochondria}", "B"),
        ("{final answer: Option (B)}", "B"),
        ("{final answer: **(D)**}", "D"),
        ("{**Final answer**: [D]}", "D"),
        ("{final answer: （A）}", "A"),
        ("A peer said {final answer: (A)}; I say {final answer: (C)}", "C"),
        # The last marker counts, even where it says nothing.
        ("{final answer: (A)} or rather {final answer: neither}", ""),
        ("{final answer: (A)} and then {final answer: \\frac{1}{2}}", ""),
        ("{final answer: (A) or (B)}", ""),
        ("{final answer: A or B}", ""),
        (r"So \{final answer: (D)\}", "D"),
        (r"$\{final answer: (D)\}$ or {", "D"),
        (r"\left\{final answer: (D)\right\}", "D"),
        (r"\boxed{\{final\ answer: \text{(D)}\}}", "D"),
        (r"\\{final answer: (D)\\}", "D"),
        (r"\{final answer: (D)}", "D"),
        (r"{final answer: (D)\}", "D"),
        (r"{final answer: \{(D)\}}", "D"),
        (r"\{final answer: (A)\} No. \{final answer: (B)\}", "B"),
        (r"\{final answer: (A)\} or rather \{final answer: neither\}", ""),
        (r"\{final answer: (D)", ""),
        ("{final answer: (E)}", ""),
        ("{final answer: Because}", ""),
        ("{final answer: }", ""),
        ("{final answer: (B)", ""),
        ("Final answer: (B)", ""),
        ("\\boxed{B}", ""),
        ("{final answer: " + "B" * 300 + "}", ""),
        ("", ""),
    ],
)
def test_the_letter_of_a_choice(text, answer):
    assert parse_answer(text, "choice", 4) == answer


def test_options_end_where_the_question_says():
    assert parse_answer("{final answer: (E)}", "choice", 5) == "E"
    assert parse_answer("{final answer: (C)}", "choice", 2) == ""


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("18", "18"),
        ("(18)", "18"),
        ("$1,200.0", "1200"),
        ("\\$1,234,567.50", "1234567.5"),
        ("18 dollars", "18"),
        ("18.", "18"),
        ("00012", "12"),
        ("12%", "12"),
        (".5", "0.5"),
        ("-.25", "-0.25"),
        ("−5", "-5"),
        ("-$5", "-5"),
        ("-0.0", "0"),
        ("x = -3", "-3"),
        ("3/4", "0.75"),
        ("6 / 18", "1/3"),
        ("-2/6", "-1/3"),
        ("1200 / 3 = 400", "400"),
        ("5 + 3 = 8", ""),
        ("3 1/2", ""),
        ("10:30", ""),
        ("1,5", ""),
        ("1.2.3", ""),
        ("1e5", ""),
        ("2^3", ""),
        ("1.5 × 10^3", ""),
        ("“18”", "18"),
        *(("3 hundred", "300"), ("2.5 thousand", "2500"), ("4 million", "4000000")),
        *(("1 billion", "1000000000"), ("2 trillion", "2000000000000")),
        *(("5k", "5000"), ("3 mn", "3000000"), ("1.2bn", "1200000000")),
        ("1/0", ""),
        ("H2O", ""),
        ("eighteen", ""),
    ],
)
def test_the_number_of_an_open_question(said, number):
    assert parse_answer(f"So. {{final answer: {said}}}", "numeric", 0) == number


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=4))
def test_however_a_number_is_written_it_is_one(value):
    written = canonical_number(f"{value:,}")
    assert written == canonical_number(f"$ {value:f}") == canonical_number(f"{value}000 apples")
    assert Decimal(written) == value
    assert canonical_number(written) == written


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4))
def test_a_fraction_stays_exact(above, below):
    written = canonical_number(f"{above}/{below}")
    assert Fraction(written) == Fraction(above, below)
    assert canonical_number(written) == written


@given(st.text(alphabet="{}()final answer:ABC12,./$-* ", max_size=60))
def test_no_text_breaks_the_parser(text):
    assert parse_answer("{final answer:" + text, "choice", 3) in {"", "A", "B", "C"}
    number = parse_answer("{final answer:" + text, "numeric", 0)
    assert canonical_number(number) == number


def test_another_kind_is_refused():
    with pytest.raises(ValueError, match="kind is 'essay'"):
        parse_answer("{final answer: (B)}", "essay", 4)


def turns_of(row, rounds):
    """Turns of rounds that give letters to agents, the last agent first."""
    return [
        row
        | {
            "round_label": f"round {number}",
            "speaker": f"A{agent + 1}",
            "text": f"I think. {{final answer: ({letters[agent]})}}",
        }
        for number, letters in rounds.items()
        for agent in reversed(range(len(letters)))
    ]


def test_debates_have_the_answers_of_the_opening_they_share(tmp_path):
    opening, vanilla = (
        session("plain", "choice-001", condition, RING, 2, 1)
        for condition in ("opening", "vanilla")
    )
    other = session("star", "choice-001", "vanilla", RING, 2, 1)
    blind = session("full", "choice-001", "anonymized", RING, 2, 1)
    other["opening"] = blind["opening"] = opening["session_id"]
    failed = session("plain", "choice-001", "anonymized", RING, 2, 1)
    orphan = session("star", "choice-001", "anonymized", RING, 2, 1)
    manifest = [failed, opening, vanilla, orphan, other, blind]
    turns = [
        *turns_of(opening, {0: "B?"}),
        *turns_of(vanilla, {1: "AB"}),
        *turns_of(other, {1: "BB"}),
        *turns_of(blind, {1: "AA"}),
        *turns_of(orphan, {1: "AA"}),
    ]
    # The orphan was held, but its opening, of which nothing is known, was not.
    outcomes = [
        {"session_id": row["session_id"], "complete": row is not failed} for row in manifest
    ]
    rows = read_answers(turns, outcomes, manifest, [question("choice-001", "B")])
    found = {
        name: [
            (row["round"], row["agent"], row["answer"], row["parsed"], row["correct"])
            for row in rows
            if row["session_id"] == name
        ]
        for name in dict.fromkeys(row["session_id"] for row in rows)
    }
    first = [(0, 1, "B", True, True), (0, 2, "", False, False)]
    assert found == {
        "plain-choice-001-vanilla": [*first, (1, 1, "A", True, False), (1, 2, "B", True, True)],
        "star-choice-001-vanilla": [*first, (1, 1, "B", True, True), (1, 2, "B", True, True)],
        "full-choice-001-anonymized": [*first, (1, 1, "A", True, False), (1, 2, "A", True, False)],
    }
    write(tmp_path / "answers.parquet", ANSWERS, rows, {})
    assert read(tmp_path / "answers.parquet", ANSWERS).to_pylist() == rows
    # Without the opening there is no debate.
    outcomes[1]["complete"] = False
    assert read_answers(turns, outcomes, manifest, [question("choice-001", "B")]) == []


def test_what_has_no_marker_is_read_leniently_beside_that_and_counts_in_one_policy_alone():
    """From texts to transitions: the last agent turns to B, and says so without a marker."""
    opening, debate = (
        session("plain", "choice-001", condition, RING, 2, 1)
        for condition in ("opening", "vanilla")
    )
    said = turns_of(opening, {0: "AB"}) + turns_of(debate, {1: "AB"})
    last = next(
        turn for turn in said if turn["speaker"] == "A1" and turn["round_label"] == "round 1"
    )
    last["text"] = "I follow my peer. The answer is (B)."
    ended = [{"session_id": row["session_id"], "complete": True} for row in (opening, debate)]
    manifest = [opening, debate]
    answers = read_answers(said, ended, manifest, [question("choice-001", "B")])
    later = {row["agent"]: row for row in answers if row["round"] == 1}
    assert (later[1]["answer"], later[1]["lenient_answer"]) == ("", "B")
    assert (later[1]["correct"], later[1]["lenient_correct"]) == (False, True)
    assert [row["lenient_correct"] for row in answers if row["round"] == 0] == [False, True]
    moved = next(row for row in follow_answers(answers, manifest) if row["agent"] == 1)
    assert not moved["usable"] and moved["kept"] and not moved["follows_peer"]
    assert moved["lenient_usable"] and moved["lenient_follows_peer"] and moved["lenient_is_correct"]
