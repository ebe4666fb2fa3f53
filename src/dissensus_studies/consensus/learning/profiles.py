"""What each agent did in the training debates, and who is taken for an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.report.labels import listed, number
from dissensus.session.prompt_files import read_prompts
from dissensus.session.quoting import quoted
from dissensus.session.templates import render
from dissensus.study.makes import TurnsBySession, makes

from ..design import IDS, TRAINING
from ..measures import measure, measure_agents, votes_array
from ..records import Session, read_session
from ..scale import label_of
from .tables import PROFILES
from .wording import BAD, GOOD, LearningWords

Row = Mapping[str, Any]


@makes(profiles=PROFILES)
def profile_training(
    manifest: list[dict[str, Any]],
    statements: list[dict[str, Any]],
    turns: TurnsBySession,
    prompts: Path,
    examples: int,
    characters: int,
) -> list[dict[str, Any]]:
    """The stage of :func:`profile_agents`; ``prompts``: the YAML of what is said of examples."""
    by_id = {row["statement_id"]: row for row in statements}
    words = read_prompts(LearningWords, prompts)
    return profile_agents(manifest, by_id, turns, words, examples, characters)


def profile_agents(
    manifest: Sequence[Row],
    statements: Mapping[str, Row],
    turns: Mapping[str, Sequence[Row]],
    words: LearningWords,
    examples: int,
    characters: int,
) -> list[dict[str, Any]]:
    """Every agent of the training debates that ran to their end, by domain and rank.

    Parameters
    ----------
    manifest : its rows.
    statements : statement_id -> row.
    turns : session_id -> its turns.
    words : of summaries and rounds.
    examples : best agents of each domain that are taken, and as many worst; fewer where there are
        not twice as many agents, so that nobody is both.
    characters : the most of an explanation that others are shown.

    Returns
    -------
    Rows of :data:`~.learning.tables.PROFILES`.
    """
    rows = [
        profile
        for row in manifest
        if row["kind"] == TRAINING and row["session_id"] in turns
        for profile in _profiles(
            read_session(turns[row["session_id"]], row["strategy"]),
            row,
            statements[row["statement_id"]]["statement"],
            words,
            characters,
        )
    ]
    rows.sort(key=lambda row: (row["domain"], standing(row)))
    ranked: list[dict[str, Any]] = []
    for _, group in groupby(rows, key=lambda row: row["domain"]):
        ranked += _labelled(list(group), examples)
    return ranked


def behaviour(row: Row) -> tuple[float, ...]:
    """By what agents are ranked, the better the smaller.

    The paper's order (section 4.4): soon consensus, then far compromise; sycophancy and dogmatism
    break ties.
    """
    return (row["rounds_to"], -row["compromise"], row["sycophancy"], row["dogmatic"])


def standing(row: Row) -> tuple[Any, ...]:
    """The same, with the names that tell agents apart who behaved alike."""
    return (*behaviour(row), row["session_id"], row["agent"])


def _labelled(ranked: list[dict[str, Any]], examples: int) -> Iterator[dict[str, Any]]:
    taken = min(examples, len(ranked) // 2)
    for place, row in enumerate(ranked, start=1):
        from_end = len(ranked) - place + 1
        label, best_of = ("", 0)
        if place <= taken:
            label, best_of = GOOD, place
        elif from_end <= taken:
            label, best_of = BAD, from_end
        yield {**row, "rank": place, "label": label, "place": best_of}


def _profiles(
    session: Session, row: Row, statement: str, words: LearningWords, characters: int
) -> Iterator[dict[str, Any]]:
    order, lasted = row["order"], len(session.rounds)
    votes = [{agent: ballots[agent].vote for agent in order} for ballots in session.rounds]
    array, length = votes_array(votes, order, row["rounds"]), np.array([lasted])
    group = {name: values[0].item() for name, values in measure(array, length).items()}
    agents = {name: values[0] for name, values in measure_agents(array, length).items()}
    ending = "consensus" if group["consensus"] else "majority" if group["majority"] else "neither"
    rounds_to = group["majority_round"] if ending == "majority" else group["consensus_round"]
    for seat, agent in enumerate(order):
        if not agents["spoke"][seat]:
            continue
        labels = [label_of(ballots[agent]) for ballots in votes]
        profile = {
            "rounds_to": rounds_to,
            "ending": ending,
            "compromise": float(agents["moved"][seat]),
            "switches": int(agents["switches"][seat]),
            "followed": int(agents["conforming"][seat]),
            "sycophancy": float(agents["conforming"][seat] / lasted),
            "dogmatic": float(agents["dogmatic"][seat]),
        }
        yield {
            **{name: row[name] for name in IDS},
            "agent": agent,
            "statement": statement,
            "others": len(order) - 1,
            "votes": labels,
            "explanations": [ballots[agent].explanation for ballots in session.rounds],
            **profile,
            "summary": _summary(profile, labels, words),
            "course": _course(session, order, agent, words, characters),
            "measures": _measures(profile, words),
        }


def _summary(profile: Row, votes: Sequence[str], words: LearningWords) -> str:
    summary = render(
        words.summary,
        FIRST=votes[0],
        LAST=votes[-1],
        ROUNDS=str(len(votes)),
        SWITCHES=str(profile["switches"]),
        FOLLOWED=str(profile["followed"]),
        ENDING=render(words.endings[profile["ending"]], ROUND=str(profile["rounds_to"])),
    )
    return f"{summary} {words.dogmatic}" if profile["dogmatic"] else summary


def _course(
    session: Session, order: Sequence[str], agent: str, words: LearningWords, characters: int
) -> str:
    """The rounds as one agent saw them: its own words, and what the others voted."""
    return "\n".join(
        render(
            words.round,
            ROUND=str(place),
            VOTE=label_of(ballots[agent].vote),
            OTHERS=listed(label_of(ballots[other].vote) for other in order if other != agent),
            TEXT=quoted(shortened(ballots[agent].explanation, characters)),
        ).rstrip("\n")
        for place, ballots in enumerate(session.rounds, start=1)
    )


def _measures(profile: Row, words: LearningWords) -> str:
    return render(
        words.measures,
        ROUNDS=str(profile["rounds_to"]),
        COMPROMISE=number(profile["compromise"], 2),
        SWITCHES=str(profile["switches"]),
        SYCOPHANCY=number(profile["sycophancy"], 2),
        DOGMATISM=number(profile["dogmatic"], 0),
    )


def shortened(text: str, characters: int) -> str:
    """The beginning of a text, on one line, with dots where something is left out."""
    flat = " ".join(text.split())
    return flat if len(flat) <= characters else f"{flat[:characters].rstrip()} ..."
