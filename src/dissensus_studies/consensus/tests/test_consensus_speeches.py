"""Simulated debates read as debates: each names the statement, and whom it answers on what."""

from __future__ import annotations

import csv
from functools import cache

import numpy as np
import pytest

from debate_reading import Speech, first_lines, share

from ..domains import read_domain
from ..scale import label_of
from ..wording import EXTRAS, SIDES, WORDINGS
from .consensus_runs import CONFIG, FOLDERS, Ran, open_text, statements, whole_run

ARMS = {name: name for name in (*WORDINGS, *EXTRAS, *SIDES)}
NEUTRAL = 2


@cache
def ran() -> Ran:
    """Debates of all kinds on some statements, by the default run's agents."""
    speech = {**CONFIG["models"]["consensus-agent"]["speech"], "domains": FOLDERS}
    return whole_run({**speech, "unreadable_rate": 0.0, "leak_rate": 0.0}, ARMS, statements=4)


@cache
def called() -> dict[str, str]:
    rows = (
        row
        for folder in FOLDERS.values()
        for row in csv.DictReader(open_text(folder, "voices.csv"))
    )
    return {row["agent"]: row["called"].casefold() for row in rows}


@cache
def reasons() -> dict[str, tuple[list[str], list[str]]]:
    """Statement -> clauses for and against it, without their first letters."""
    found = {}
    for name, folder in FOLDERS.items():
        for row in csv.DictReader(open_text(folder, "reasons.csv")):
            gains, costs = ([row[f"{side}_{n}"][1:] for n in (1, 2)] for side in ("for", "against"))
            found[f"{name}-{row['statement_id']}"] = gains, costs
    return found


def clauses_of(name: str) -> list[str]:
    """All that a debate's speakers can give as a reason."""
    gains, costs = reasons()[ran().played[name].row["statement_id"]]
    return gains + costs


def voted(name: str) -> dict[tuple[int, str], tuple[int, list[str]]]:
    """(Round, agent) -> vote, and the lines before it."""
    turns = [turn for turn in ran().played[name].turns if turn.role == "voter"]
    return {
        (int(turn.round_label.split()[1]), turn.speaker): (
            turn.value.vote,
            turn.value.explanation.splitlines(),
        )
        for turn in turns
    }


def debates() -> list[str]:
    return [row["session_id"] for row in ran().manifest if row["kind"] in ("debate", "training")]


def test_every_statement_and_agent_has_words_of_its_own() -> None:
    assert set(reasons()) == set(statements())
    agents = {name for folder in FOLDERS.values() for name in read_domain(folder).names}
    assert set(called()) == agents
    clauses = [c for sides in reasons().values() for side in sides for c in side]
    assert len(set(clauses)) == len(clauses) == 4 * len(statements())
    # What a nudger says may have no label in it.
    labels = ("agree", "neutral")
    assert not [clause for clause in clauses if any(label in clause.casefold() for label in labels)]


def test_first_lines_are_many() -> None:
    speeches = [
        Speech(name, turn.number, turn.speaker, turn.text)
        for name in debates()
        for turn in ran().played[name].turns
    ]
    counted = first_lines(speeches)
    assert counted["distinct first lines"] > 0.5
    # Eight statements are debated by the same four or five in twelve arms.
    assert counted["twelve commonest first lines"] < 0.08
    assert max(len(one.text.split()) for one in speeches) <= 120


def test_a_first_speech_names_the_statement() -> None:
    said = [
        statements()[ran().played[name].row["statement_id"]]["statement"][1:].rstrip(".")
        in lines[0]
        for name in debates()
        for (round_, _), (_, lines) in voted(name).items()
        if round_ == 1
    ]
    assert len(said) > 100 and all(said)


def test_a_later_speech_answers_what_the_one_it_names_has_said() -> None:
    """Another agent's reason of the round before, or that of one who spoke in between."""
    answers = []
    for name in debates():
        votes, clauses = voted(name), clauses_of(name)
        between = " ".join(t.text for t in ran().played[name].turns if t.role != "voter")
        for (round_, agent), (_, lines) in votes.items():
            if round_ == 1:
                continue
            (clause,) = [clause for clause in clauses if clause in lines[0]]
            named = [other for other, words in called().items() if words in lines[0].casefold()]
            said = [votes[round_ - 1, other][1][-1] for other in named if other != agent]
            alone = any(
                f"from {label_of(v)}" in lines[0] or f"leave {label_of(v)}" in lines[0]
                for v in range(5)
            )
            answers.append(any(clause in text for text in said) or clause in between or alone)
    assert len(answers) > 300 and all(answers)


def test_nobody_argues_against_its_vote() -> None:
    """The reason of a vote is of its side, and a neutral one names both."""
    own = []
    for name in debates():
        gains, costs = reasons()[ran().played[name].row["statement_id"]]
        for vote, lines in voted(name).values():
            sides = [any(c in lines[-1] for c in side) for side in (gains, costs)]
            own.append(sides == [vote >= NEUTRAL, vote <= NEUTRAL])
    assert len(own) > 500 and all(own)


def test_who_moves_says_from_where_to_where_or_for_whose_sake() -> None:
    moved = []
    for name in debates():
        votes = voted(name)
        for (round_, agent), (vote, lines) in votes.items():
            before = votes.get((round_ - 1, agent), (vote, []))[0]
            stated = f"from {label_of(before)} to {label_of(vote)}" in lines[0]
            if before != vote:
                marks = ("moved me", "a step towards", f"leave {label_of(before)}")
                moved.append(stated or any(mark in lines[0] for mark in marks))
            else:
                assert not stated
    assert len(moved) > 50 and all(moved)


@pytest.mark.parametrize("vote", range(5))
def test_words_move_no_vote(vote: int) -> None:
    """A stream of random numbers goes on as it would have without the words."""
    one, other = np.random.default_rng(vote), np.random.default_rng(vote)
    one.spawn(1)[0].random(vote + 1)
    assert one.random() == other.random()


def test_those_without_a_vote_name_whom_they_heard_and_what_of() -> None:
    named = []
    for name in debates():
        played = ran().played[name]
        clauses = clauses_of(name)
        for turn in played.turns:
            if turn.role not in ("voter", "credible"):
                whom = any(words in turn.text.casefold() for words in called_low())
                named.append(whom and any(clause in turn.text for clause in clauses))
    assert len(named) > 100 and share(named) > 0.99


def called_low() -> list[str]:
    return [*called().values(), "my ally", "the panel"]
