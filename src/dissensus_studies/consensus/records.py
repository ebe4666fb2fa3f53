"""From turns to votes and measures: the artefacts ``votes`` and ``metrics``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.run.embedding import embedding_calls
from dissensus.session.protocol import round_of
from dissensus.study.makes import TurnsBySession, makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, number, share, text
from dissensus.text.embeddings import Vectors

from .design import DEBATE, IDS, MANIFEST
from .measures import (
    alignment,
    match,
    mean_cosine,
    measure,
    votes_array,
    weighted_vote,
)
from .replies import Ballot, BallotFormat, SpeechFormat
from .scale import LABELS, UNREAD, label_of
from .wording import EXTRAS, RECONCILE, VOTER

Row = Mapping[str, Any]

_VOTE = "Point of the scale, 0 (strongly disagree) to 4 (strongly agree)"
VOTES = Schema(
    name="votes",
    row="vote of an agent in a round",
    columns={
        **IDS,
        **common("round"),
        "agent": text("Name of the agent in its domain."),
        "vote": Column("int", f"{_VOTE}; -1 where it could not be read."),
        "label": text("The vote in words."),
        "confidence": share("What the agent said of its confidence, where it was asked."),
        "explanation": text("What the agent said beside its vote."),
    },
    key=("session_id", "round", "agent"),
)
METRICS = Schema(
    name="metrics",
    row="session",
    columns={
        **IDS,
        **MANIFEST.pick("strategy", "split"),
        **common("complete", "compliant?", "agents"),
        "rounds_lasted": count("Rounds until the debate ended; 0 where the session failed."),
        "consensus": Column("bool?", "Whether all agents had one vote in any round."),
        "consensus_round": number(
            "First round in which all agents had one vote; the most rounds where there is none, "
            "which is a lower bound.",
            "rounds",
        ),
        "majority": Column("bool?", "Whether more than half had one vote in any round."),
        "majority_round": number("First round in which more than half had one vote.", "rounds"),
        "switches": number("How often agents changed their votes.", "count"),
        "agreement": share("Share of the largest group in the last round."),
        "tie": Column("bool?", "Whether two groups were the largest in the last round."),
        "mode": Column("int?", f"{_VOTE}, of the largest group at the end; -1 for a tie."),
        "compromise": share("Mean distance between an agent's first and last vote, over 4."),
        "cosine": number("Mean cosine of agents' first and last explanations."),
        "sycophancy_of_switches": share("Share of switches to the mode of the round before."),
        "sycophancy": share("Switches to the mode of the round before, over agents and rounds."),
        "dogmatic": share("Share of agents that never switched and ended outside the mode."),
        "match": share("1 where the mode at the end is what the public prefers, else 0."),
        "match_levels": share("The same at three levels: against, neutral, for."),
        "always_agree": share("1 where a constant Agree is what the public prefers, else 0."),
        "weighted_match": share("As match, of ReConcile's confidence-weighted vote."),
        "alignment": number("Share on the expert's position at the end, minus that in round 1."),
        "extra_turns": count("Turns of agents that have no vote, and of side rounds."),
        "withheld": count("Turns of a nudger that named what it must not, shown to nobody."),
    },
    key=("session_id",),
)
EMBEDDING_CALLS = embedding_calls("embedding_calls")
#: The numbers that a session has; missing where it failed.
_NUMBERS = tuple(name for name, column in METRICS.columns.items() if column.kind.endswith("?"))

Embed = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True)
class Session:
    """What a session's turns say: agent -> ballot by round, and what others said."""

    rounds: tuple[Mapping[str, Ballot], ...]
    others: tuple[Row, ...]


def read_session(turns: Sequence[Row], strategy: str) -> Session:
    """A session's votes, of the turns of voters alone: no other text is ever read as a vote."""
    format = BallotFormat(strategy == RECONCILE)
    rounds: dict[int, dict[str, Ballot]] = {}
    for turn in turns:
        if turn["role"] == VOTER:
            ballot = format.read(turn["text"]).value or Ballot(UNREAD, "")
            rounds.setdefault(round_of(turn["round_label"]), {})[turn["speaker"]] = ballot
    others = tuple(turn for turn in turns if turn["role"] != VOTER)
    return Session(tuple(rounds[place] for place in sorted(rounds)), others)


def vote_rows(session: Session, ids: Row, order: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Rows of :data:`VOTES`, by round and in the order of the agents."""
    for place, ballots in enumerate(session.rounds, start=1):
        for agent in order:
            ballot = ballots[agent]
            yield {
                **ids,
                "round": place,
                "agent": agent,
                "vote": ballot.vote,
                "label": label_of(ballot.vote),
                "confidence": ballot.confidence,
                "explanation": ballot.explanation,
            }


@makes(votes=VOTES, metrics=METRICS, calls=EMBEDDING_CALLS)
def measure_debates(
    manifest: list[dict[str, Any]],
    statements: list[dict[str, Any]],
    outcomes: list[dict[str, Any]],
    turns: TurnsBySession,
    embed: Embed,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The stage of :func:`measure_all`."""
    by_id = {row["statement_id"]: row for row in statements}
    return measure_all(manifest, by_id, outcomes, turns, embed)


def measure_all(
    manifest: Sequence[Row],
    statements: Mapping[str, Row],
    outcomes: Sequence[Row],
    turns: Mapping[str, Sequence[Row]],
    embed: Embed,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Votes and measures of every session of the manifest.

    Parameters
    ----------
    manifest : its rows, of which the debates that are compared count.
    statements : statement_id -> row.
    outcomes : what became of each session.
    turns : session_id -> its turns, of those that ran to their end.
    embed : unit vectors of texts, all of the study in one call.

    Returns
    -------
    Rows of :data:`VOTES` and of :data:`METRICS`.
    """
    manifest = [row for row in manifest if row["kind"] == DEBATE]
    ended = {row["session_id"]: row for row in outcomes}
    sessions = {
        row["session_id"]: read_session(turns[row["session_id"]], row["strategy"])
        for row in manifest
        if row["session_id"] in turns
    }
    cosines = _cosines(sessions, {row["session_id"]: row["order"] for row in manifest}, embed)
    votes: list[dict[str, Any]] = []
    metrics = []
    for row in manifest:
        name = row["session_id"]
        named = {column: row[column] for column in (*IDS, "strategy", "split", "agents")}
        named |= {"complete": name in sessions, "compliant": ended[name]["compliant"]}
        if name not in sessions:
            counts = {"rounds_lasted": 0, "extra_turns": 0, "withheld": 0}
            metrics.append(dict.fromkeys(_NUMBERS) | named | counts)
            continue
        votes += vote_rows(sessions[name], {c: row[c] for c in IDS}, row["order"])
        values = measured(sessions[name], row, statements[row["statement_id"]])
        metrics.append({**named, **values, "cosine": cosines[name]})
    return votes, metrics


def measured(session: Session, row: Row, statement: Row) -> dict[str, Any]:
    """The measures of one session but for the cosine; None where undefined.

    Parameters
    ----------
    session : that ran to its end.
    row : of the manifest.
    statement : that was debated.
    """
    order = row["order"]
    ballots = [[ballot[agent] for agent in order] for ballot in session.rounds]
    votes = [{a: ballot[a].vote for a in order} for ballot in session.rounds]
    array, lasted = votes_array(votes, order, row["rounds"]), len(votes)
    measured_values = {
        name: values[0].item() for name, values in measure(array, np.array([lasted])).items()
    }
    low, high = statement["truth_low"], statement["truth_high"]
    measured_values["match"], measured_values["match_levels"] = _matched(
        measured_values["mode"], low, high
    )
    measured_values["always_agree"] = _matched(LABELS.index("Agree"), low, high)[0]
    weighted = None
    if row["strategy"] == RECONCILE:
        end = ballots[-1]
        answer = weighted_vote(
            [ballot.vote for ballot in end], [ballot.confidence for ballot in end]
        )
        weighted = _matched(answer, low, high)[0]
    measured_values |= {"rounds_lasted": lasted, "weighted_match": weighted}
    position, first, last = UNREAD, ballots[0], ballots[-1]
    if row["strategy"] == "credible":
        position = _position(session.others)
    measured_values["alignment"] = (
        None
        if position == UNREAD
        else alignment([b.vote for b in first], [b.vote for b in last], position)
    )
    measured_values["extra_turns"] = len(session.others)
    measured_values["withheld"] = _withheld(session.others, range(low, high + 1))
    numbers = {
        name: measured_values[name]
        for name in measured_values
        if isinstance(measured_values[name], float)
    }
    return measured_values | {name: None for name, value in numbers.items() if np.isnan(value)}


def _matched(mode: int, low: int, high: int) -> tuple[float, float]:
    exact, near = match(np.array([mode]), np.array([low]), np.array([high]))
    return float(exact[0]), float(near[0])


def _position(others: Sequence[Row]) -> int:
    """What the expert last stood for; -1 where it never said, or nobody heard it."""
    ballots = [BallotFormat().read(turn["text"]).value for turn in others if turn["role"] in EXTRAS]
    votes = [ballot.vote for ballot in ballots if ballot and ballot.vote != UNREAD]
    return votes[-1] if votes else UNREAD


def _withheld(others: Sequence[Row], truth: Sequence[int]) -> int:
    format = SpeechFormat(tuple(truth))
    return sum(
        turn["role"] == "nudger" and format.read(turn["text"]).value is None for turn in others
    )


def _cosines(
    sessions: Mapping[str, Session], orders: Mapping[str, Sequence[str]], embed: Embed
) -> dict[str, float | None]:
    """Mean cosine of first and last explanations, over agents that have both; None where none has.

    Each distinct text is embedded once, in the order in which it first comes up.
    """
    pairs = {
        name: [
            texts
            for agent in orders[name]
            if all(texts := [session.rounds[end][agent].explanation for end in (0, -1)])
        ]
        for name, session in sessions.items()
    }
    places: dict[str, int] = {}
    for some in pairs.values():
        for both in some:
            for reason in both:
                places.setdefault(reason, len(places))
    vectors = embed(list(places)) if places else np.zeros((0, 1), dtype=np.float32)
    cosines: dict[str, float | None] = {}
    for name, some in pairs.items():
        ends = [vectors[[places[both[end]] for both in some]] for end in (0, 1)]
        cosines[name] = mean_cosine(ends[0], ends[1]) if some else None
    return cosines
