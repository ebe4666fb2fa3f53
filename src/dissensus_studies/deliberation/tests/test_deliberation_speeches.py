"""Simulated deliberations read as debates: true numbers, whole quotations, questions answered."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import pytest

from debate_reading import Speech, cut_quotes, first_lines
from scripted import default_configuration

from ..turns import ParsedTurn, parse_turn
from .deliberation_sessions import PLAIN, TOPICS, hold_simulated, replace, simulated, topic_rows

#: The default run's debaters, with every object in order.
SPEECH = {
    **default_configuration()["models"]["deliberation-a"]["speech"],
    **{"bad_json_rate": 0.0, "dangling_rate": 0.0, "ambiguous_rate": 0.0, "topics": TOPICS},
    "inconsistent_rate": 0.0,
}
ARMS = {"emergent": PLAIN, "full": replace(PLAIN, topology="full")}
ROUNDS = 5


class Read(NamedTuple):
    """A turn of a session."""

    session: str
    round: int
    agent: str
    turn: ParsedTurn


@cache
def debates() -> tuple[Read, ...]:
    """All topics in two arms."""
    found = []
    for number, row in enumerate(topic_rows()[:12]):
        for name, arm in ARMS.items():
            models = [simulated(**SPEECH)] * 4
            session = hold_simulated(models, arm, topic=number, rounds=ROUNDS, seed=number)
            found += [
                Read(
                    f"{number}-{name}",
                    int(turn.round_label.removeprefix("round ")),
                    turn.speaker,
                    parse_turn(turn.text, row["options"]),
                )
                for turn in session.turns
            ]
    return tuple(found)


@cache
def by_place() -> dict[tuple[str, int, str], ParsedTurn]:
    return {(read.session, read.round, read.agent): read.turn for read in debates()}


def opening(read: Read) -> str:
    return read.turn.reasoning.split(". ")[0].split("\n")[0]


def quotations(text: str) -> list[str]:
    return re.findall("“([^”]+)”", text)


def stated(turn: ParsedTurn, option: str) -> int:
    """A probability in hundredths, from the three decimals of the transcript."""
    return round(100 * float(f"{turn.probabilities[option]:.3f}"))


def test_what_a_speech_says_of_its_numbers_is_so() -> None:
    """Each number in its opening is that of an option in this turn or in the one before."""
    counted = 0
    for read in debates():
        before = by_place().get((read.session, read.round - 1, read.agent))
        now = stated(read.turn, read.turn.stance)
        said = [int(number) for number in re.findall(r"\b\d+\b", opening(read))]
        if before is None:
            assert said == [now]
            continue
        was = stated(before, read.turn.stance)
        old = stated(before, before.stance)
        left = before.stance != read.turn.stance
        assert set(said) <= {now, old if left else was}, opening(read)
        # Nothing is said to have become what it was.
        assert left or (len(said) == 1) == (now == was), opening(read)
        counted += 1
    assert counted == len(debates()) * (ROUNDS - 1) // ROUNDS > 300


def test_quotations_are_whole_and_of_the_claims_of_whom_they_name() -> None:
    speeches, wrong, count = [], [], 0
    for read in debates():
        claims = "\n".join(claim.text for claim in read.turn.claims)
        text = f"{read.turn.reasoning}\n{claims}"
        speeches.append(Speech(read.session, read.round, read.agent, text))
        for entry in read.turn.engagements:
            author, round_, number = re.fullmatch(r"(A\d)\.(\d)\.c(\d)", entry.claim).groups()
            claim = by_place()[read.session, int(round_), author].claims[int(number) - 1]
            assert claim.text.startswith(entry.quote)
            rest = claim.text[len(entry.quote) :]
            wrong += [entry.quote] if rest[:1] not in ".;" else []
            count += 1
    assert count > 500 and not wrong
    assert not cut_quotes(speeches)


def test_a_turn_says_nothing_twice() -> None:
    for read in debates():
        texts = [claim.text for claim in read.turn.claims]
        assert len(set(texts)) == len(texts)
        quoted = quotations(read.turn.reasoning)
        # Once for each way to answer it, and once for those who ask about it.
        assert max(map(quoted.count, quoted), default=0) <= 4


def test_every_claim_that_is_answered_is_named() -> None:
    """By its words, by its author alone where the same was answered before, or by its id."""
    for read in debates():
        for entry in read.turn.engagements:
            assert re.search(rf"\b{entry.agent}\b", read.turn.reasoning), entry


def test_nobody_rebuts_a_claim_for_the_option_that_it_holds() -> None:
    """Where it is free to choose; told to rebut everyone, it says that they hold the same."""
    rebutted = 0
    for read in debates():
        if read.session.endswith("emergent") and read.round > 1:
            for entry in read.turn.engagements:
                if entry.relation == "rebut":
                    rebutted += 1
                    before = by_place()[read.session, read.round - 1, read.agent]
                    assert f" case for {before.stance}: " not in entry.quote
    assert rebutted > 100


def test_every_question_is_answered_in_the_next_round() -> None:
    asked = 0
    for read in debates():
        for agent, words in re.findall(r"I ask (A\d): [^?]*“([^”]+)”[^?]*\?", read.turn.reasoning):
            if read.round < ROUNDS:
                asked += 1
                reply = by_place()[read.session, read.round + 1, agent].reasoning
                assert f"{read.agent} asks about “{words}”: " in reply
    assert asked > 15


def test_first_lines_are_many() -> None:
    speeches = [Speech(one.session, one.round, one.agent, one.turn.reasoning) for one in debates()]
    counted = first_lines(speeches)
    assert counted["distinct first lines"] > 0.7
    assert counted["twelve commonest first lines"] < 0.05


@pytest.mark.parametrize("arm", ARMS)
def test_views_move_in_these_debates(arm: str) -> None:
    """So that openings of every kind are there to be counted."""
    turns = [one for one in debates() if one.session.endswith(arm)]
    by_agent: dict[tuple[str, str], list[ParsedTurn]] = {}
    for one in turns:
        by_agent.setdefault((one.session, one.agent), []).append(one.turn)
    pairs = [pair for own in by_agent.values() for pair in pairwise(own)]
    assert any(before.stance != after.stance for before, after in pairs)
    assert any(before.stance == after.stance for before, after in pairs)
