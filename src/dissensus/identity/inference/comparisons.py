"""What the paper says of its tables side by side, as differences that are tested.

Two sides of a comparison answered the same questions, and a resample of questions is the same for
both: whatever makes a question easy or divisive falls out of the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dissensus.design.contrasts import adjust_holm, defined
from dissensus.digests import seed_of
from dissensus.identity.design.graph import read_peers
from dissensus.identity.design.manifest import MANIFEST
from dissensus.identity.inference.tallies import BoolArray, Tally, columns, tally
from dissensus.identity.terms import AGAIN, CONDITIONS, FLOOR, LABELLINGS, OPENING, VANILLA
from dissensus.stats.checks import FloatArray
from dissensus.stats.ratios import (
    Ratios,
    cluster_weights,
    percentile_intervals,
    percentile_p,
    ratios_of_sums,
)
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, number, text

#: Kinds of comparison: what the two sides differ in. Of all, the A-A comparison alone has a
#: difference that is known, which is zero.
KINDS = (
    "personas",
    "peers",
    "graph",
    "model",
    "round",
    "drops",
    "labels",
    AGAIN,
    FLOOR,
    "seat",
    "persona",
)

COMPARISONS = Schema(
    name="comparisons",
    row="difference of two measures, paired by question, over all banks that both sides debated",
    columns={
        "kind": text("What the sides differ in: personas, peers, graph, model, round, labels, ..."),
        **MANIFEST.pick("team"),
        "one": text("The side that the other is subtracted from."),
        "other": text("The side that is subtracted."),
        "measure": text("What is compared: ibc, delta, or the relative drops under anonymisation."),
        "estimate_one": number("The measure of the first side.", "of the measure"),
        "estimate_other": number("The measure of the second side.", "of the measure"),
        **common("estimate?", "se?", "ci_low?", "ci_high?", "p_value?", "p_adjusted?"),
        "n_questions": count("How many questions both sides completed."),
    },
    key=("kind", "team", "one", "other", "measure"),
)

Counts = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes
    ----------
    name : for readers.
    questions : (M,), names.
    complete : (M,), whether all that the side takes is there.
    counts : of each ratio, the numbers above and below of every question, (M,) each.
    combined : from these ratios to the measure.
    """

    name: str
    questions: npt.NDArray[np.object_]
    complete: BoolArray
    counts: Sequence[Counts]
    combined: Callable[..., Ratios]

    def on(self, questions: Sequence[str], weights: FloatArray) -> Ratios:
        """The measure on these questions and in every resample of them."""
        place = {name: index for index, name in enumerate(self.questions)}
        rows = [place[name] for name in questions]
        above, below = (np.stack([pair[i][rows] for pair in self.counts], axis=1) for i in (0, 1))
        ratios = ratios_of_sums(above, below, weights)
        parts = (
            Ratios(ratios.observed[[i]], ratios.resampled[:, [i]]) for i in range(above.shape[1])
        )
        return self.combined(*parts)


@dataclass(frozen=True)
class _Comparison:
    kind: str
    team: str
    measure: str
    first: Side
    second: Side


@makes(comparisons=COMPARISONS)
def compare_identity(
    metrics: pa.Table,
    transitions: pa.Table,
    manifest: pa.Table,
    *,
    confidence: float,
    resamples: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Every comparison that the run's teams allow.

    Parameters
    ----------
    metrics, transitions, manifest : as for
        :func:`~dissensus.identity.inference.estimates.estimate_identity`.
    confidence : level of the intervals.
    resamples : of the questions that both sides completed.
    seed : the study's.

    Returns
    -------
    Rows of :data:`COMPARISONS`. Teams are compared that differ in one thing alone: personas, number
    of peers, graph or model. ``round``: a later round with the first. ``drops``: of subversion and
    of correction. ``labels``: Delta under vanilla with Delta where labels are exchanged, or all
    one; ``again`` with vanilla held a second time; ``floor``: IBC with that difference. ``seat``
    and ``persona``: one agent with all others of its team. Unread answers are dropped; all is of
    round 1 but ``round``.

    Notes
    -----
    Intervals are percentiles of resampled differences; p is the level at which the interval just
    reaches zero, never below 2 / (resamples + 1). Holm's adjustment is over the rows of a kind,
    those of seats and personas by team.
    """
    rows = [
        _row(comparison, confidence, resamples, seed)
        for comparison in _all(tally(metrics, transitions, manifest), transitions, manifest)
    ]
    families: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        within = row["team"] if row["kind"] in ("seat", "persona") else ""
        families.setdefault((row["kind"], within), []).append(row)
    for family in families.values():
        adjust_holm(family)
    return rows


def _all(
    tallies: Sequence[Tally], transitions: pa.Table, manifest: pa.Table
) -> Iterator[_Comparison]:
    teams = _teams(manifest)
    tallied = sorted(
        (team_tally for team_tally in tallies if team_tally.team in teams),
        key=lambda team_tally: team_tally.team,
    )
    compared = [
        *_of_teams(tallied, teams),
        *_within_teams(tallied),
        *_of_agents(tallied, transitions, manifest),
    ]
    yield from sorted(compared, key=lambda comparison: KINDS.index(comparison.kind))


def _teams(manifest: pa.Table) -> dict[str, dict[str, Any]]:
    """Team -> model, personas and graph."""
    names = ("team", "condition", "model", "personas", "graph")
    rows = zip(*(manifest[name].to_pylist() for name in names), strict=True)
    return {
        team: {"model": model, "personas": personas, "graph": graph}
        for team, condition, model, personas, graph in rows
        if condition != OPENING
    }


def _of_teams(
    tallied: Sequence[Tally], teams: Mapping[str, Mapping[str, Any]]
) -> Iterator[_Comparison]:
    """Every two teams that differ in one thing; those with more of it come first."""
    for first, second in combinations(tallied, 2):
        kind, swapped = _differ(teams[first.team], teams[second.team])
        if kind:
            team, other = (second, first) if swapped else (first, second)
            sides = (_ibc(team, 1, team.team), _ibc(other, 1, other.team))
            yield _Comparison(kind, team.team, "ibc", *sides)


def _differ(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[str, bool]:
    """The kind of a comparison, "" for none; and whether the second team comes first."""
    unlike = [name for name in first if first[name] != second[name]]
    if unlike == ["personas"]:
        return "personas", bool(second["personas"])
    if unlike == ["model"]:
        return "model", False
    if unlike != ["graph"]:
        return "", False
    peers = [max(map(len, read_peers(team["graph"]))) for team in (first, second)]
    return ("peers" if peers[0] != peers[1] else "graph"), peers[1] > peers[0]


def _within_teams(tallied: Sequence[Tally]) -> Iterator[_Comparison]:
    for team in tallied:
        for later in range(2, team.rounds + 1):
            sides = (_ibc(team, later, f"round {later}"), _ibc(team, 1, "round 1"))
            yield _Comparison("round", team.team, "ibc", *sides)
        drops = (_drop(team, "subversion"), _drop(team, "correction"))
        yield _Comparison("drops", team.team, "drop", *drops)
        for control in LABELLINGS:
            if control in team.conditions:
                kind = AGAIN if control == AGAIN else "labels"
                sides = (_delta(team, VANILLA), _delta(team, control))
                yield _Comparison(kind, team.team, "delta", *sides)
        if AGAIN in team.conditions:
            # On the same questions: less noise, a coefficient is Delta of the second run less that
            # of the anonymised debates.
            twice = _side(
                team, "vanilla twice", (VANILLA, AGAIN), _of_round(team, 1), lambda v, a: v - a
            )
            yield _Comparison(FLOOR, team.team, "ibc", _ibc(team, 1, "IBC"), twice)


def _side(
    team: Tally,
    name: str,
    conditions: Sequence[str],
    counts: Callable[[int], Counts],
    combined: Callable[..., Ratios],
) -> Side:
    """A side of one team; ``counts`` gives those of a condition by its place."""
    places = [team.conditions.index(condition) for condition in conditions]
    complete = np.all(team.complete[:, places], axis=1)
    return Side(name, team.questions, complete, [counts(place) for place in places], combined)


def _of_round(team: Tally, number: int) -> Callable[[int], Counts]:
    """Conformed less stayed, and disagreeing, of a condition."""

    def counts(condition: int) -> Counts:
        conformed, stayed, apart = (
            team.transitions[name][:, condition, number - 1, 0, 0]
            for name in ("conformed", "stayed", "disagreeing")
        )
        return conformed - stayed, apart

    return counts


def _ibc(team: Tally, number: int, name: str) -> Side:
    return _side(team, name, CONDITIONS, _of_round(team, number), lambda v, a: v - a)


def _delta(team: Tally, condition: str) -> Side:
    return _side(team, condition, [condition], _of_round(team, 1), lambda delta: delta)


_EXPOSED = {
    "subversion": ("subverted", "exposed_correct"),
    "correction": ("corrected", "exposed_wrong"),
}


def _drop(team: Tally, measure: str) -> Side:
    """The relative drop of a ratio under anonymisation."""

    def counts(condition: int) -> Counts:
        above, below = (team.exposures[name][:, condition, 0, 0] for name in _EXPOSED[measure])
        return above, below

    return _side(team, measure, CONDITIONS, counts, lambda v, a: (v - a) / v)


def _of_agents(
    tallied: Sequence[Tally], transitions: pa.Table, manifest: pa.Table
) -> Iterator[_Comparison]:
    """Each seat, and each persona where there are some, with all other agents of the team."""
    rows = columns(transitions)
    usable = rows["usable"] & (rows["n_disagree"] > 0) & (rows["round"] == 1)
    rows = {name: values[usable] for name, values in rows.items()}
    seats = dict(
        zip(*(manifest[name].to_pylist() for name in ("session_id", "seats")), strict=True)
    )
    for team in tallied:
        is_of_team = rows["team"] == team.team
        agents = rows["agent"][is_of_team].astype(np.int64)
        of_team = {name: values[is_of_team] for name, values in rows.items()}
        yield from _apart(team, of_team, "seat", [f"A{agent}" for agent in agents])
        if all(seats[session] for session in of_team["session_id"]):
            pairs = zip(of_team["session_id"], agents, strict=True)
            named = [str(seats[session][agent - 1]) for session, agent in pairs]
            yield from _apart(team, of_team, "persona", named)


def _apart(
    team: Tally, rows: Mapping[str, npt.NDArray[Any]], kind: str, names: Sequence[str]
) -> Iterator[_Comparison]:
    """Every name against all others; ``names`` has that of each transition."""
    place = {question: index for index, question in enumerate(team.questions)}
    questions = np.array([place[question] for question in rows["question_id"]], dtype=np.int64)
    values = (rows["follows_peer"].astype(np.float64) - rows["follows_own"], 1.0)
    labels = np.array(names, dtype=object)

    def side(name: str, chosen: BoolArray) -> Side:
        def counts(condition: int) -> Counts:
            here = chosen & (rows["condition"] == team.conditions[condition])
            summed = [np.zeros(len(place)) for _ in values]
            for into, value in zip(summed, values, strict=True):
                np.add.at(into, questions[here], np.broadcast_to(value, here.shape)[here])
            return summed[0], summed[1]

        return _side(team, name, CONDITIONS, counts, lambda v, a: v - a)

    for name in sorted(set(names)):
        sides = (side(name, labels == name), side("others", labels != name))
        yield _Comparison(kind, team.team, "ibc", *sides)


def _row(comparison: _Comparison, confidence: float, resamples: int, seed: int) -> dict[str, Any]:
    shared = _shared(comparison.first, comparison.second)
    row: dict[str, Any] = {
        "kind": comparison.kind,
        "team": comparison.team,
        "one": comparison.first.name,
        "other": comparison.second.name,
        "measure": comparison.measure,
        **dict.fromkeys(_NUMBERS),
        "n_questions": len(shared),
    }
    if not shared:
        return row
    stream = seed_of(seed, "identity comparisons", comparison.kind, comparison.team)
    weights = _weights(len(shared), resamples, stream)
    side, other = comparison.first.on(shared, weights), comparison.second.on(shared, weights)
    difference = side - other
    spread = percentile_intervals(difference, confidence)
    values = (spread.estimate, spread.se, spread.low, spread.high)
    numbers = [float(each[0]) for each in (side.observed, other.observed, *values)]
    numbers.append(float(percentile_p(difference)[0]))
    return row | {name: defined(value) for name, value in zip(_NUMBERS, numbers, strict=False)}


_NUMBERS = (
    *("estimate_one", "estimate_other", "estimate", "se", "ci_low", "ci_high"),
    *("p_value", "p_adjusted"),
)


def _shared(side: Side, other: Side) -> list[str]:
    """The questions that both sides completed, in order."""

    return sorted(set(side.questions[side.complete]) & set(other.questions[other.complete]))


# Agents of a team, and rounds, are compared on the same questions.
@lru_cache(4)
def _weights(questions: int, resamples: int, stream: int) -> FloatArray:
    return cluster_weights(questions, resamples, stream)
