"""The measures of whole debates: one row a session, and one a session and agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from dissensus.study.makes import makes

from .debate import MeasuredDebate, Row, debate_of, mean, share
from .entropy import collapse
from .graph import (
    claim_engagement,
    gini,
    ignored,
    in_degrees,
    marginalisation,
    mean_density,
    status_share,
    watched,
)
from .groupthink import groupthink, rival_coverage
from .influence import direct, dyads, katz, leader
from .pairs import CompleteSession, Permuting, measure_pairs
from .records import INFLUENCE, METRICS, PAIRS, ROUNDS
from .rounds import agreement, measure_rounds
from .silence import exposures, silence_effect, silent_share
from .sycophancy import sycophancy_of

Rows = list[dict[str, Any]]

_IDS = ("session_id", "draw_id", "topic_id", "arm")
_CALLS = {"debater_calls": "debater", "judge_calls": "judge", "retry_calls": "retry"}


@dataclass(frozen=True)
class Inputs:
    """The artefacts that sessions are measured on, as rows."""

    manifest: Sequence[Row]
    topics: Sequence[Row]
    outcomes: Sequence[Row]
    turns: Sequence[Row]
    claims: Sequence[Row]
    engagements: Sequence[Row]
    stances: Sequence[Row]
    judgements: Sequence[Row]


@dataclass
class Measured:
    """Rows of the four artefacts of measures."""

    rounds: Rows = field(default_factory=list)
    metrics: Rows = field(default_factory=list)
    influence: Rows = field(default_factory=list)
    pairs: Rows = field(default_factory=list)


@makes(rounds=ROUNDS, metrics=METRICS, influence=INFLUENCE, pairs=PAIRS)
def measure_deliberation(
    manifest: Rows,
    topics: Rows,
    outcomes: Rows,
    turns: Rows,
    claims: Rows,
    engagements: Rows,
    stances: Rows,
    judgements: Rows,
    **study: Any,
) -> Measured:
    """Every session: its rounds, its agents, the whole of it, and every two models."""
    read = Inputs(manifest, topics, outcomes, turns, claims, engagements, stances, judgements)
    return measure(read, study)


def measure(inputs: Inputs, study: Mapping[str, Any]) -> Measured:
    """Measure every session of the manifest.

    Where agents do not see each other there is no deliberation to measure, and a replay without a
    seat is measured beside the reference alone: such a session has a row of metrics, without
    measures. A session that was not run, since the study had stopped, has none.

    Parameters
    ----------
    inputs : the artefacts.
    study : the study's ``arms``, ``control`` and ``measures``, as plain values, and ``resamples``
        and ``seed`` of the permutations.
    """
    topics = {topic["topic_id"]: topic for topic in inputs.topics}
    complete = {row["session_id"]: row["complete"] for row in inputs.outcomes}
    tables = [
        _by_session(rows)
        for rows in (inputs.claims, inputs.engagements, inputs.stances, inputs.judgements)
    ]
    turns = _by_session(inputs.turns)
    measured, sessions = Measured(), []
    for session in inputs.manifest:
        if session["session_id"] not in complete:
            continue
        name, topic = session["session_id"], topics[session["topic_id"]]
        if not complete[name]:
            measured.metrics.append(_lost(session))
            continue
        arm = study["arms"][session["arm"]]
        if arm["sees"] != "all" or arm["without"]:
            measured.metrics.append(_lost(session) | {"complete": True, **_counts(turns[name])})
            continue
        debate = debate_of(session, topic, *(table.get(name, []) for table in tables))
        measured_session = CompleteSession(session, topic, debate)
        sessions.append(measured_session)
        _add(measured, measured_session, tables[2][name], turns[name], study)
    measured.pairs = measure_pairs(sessions, Permuting(study["resamples"], study["seed"]))
    return measured


def _add(
    measured: Measured,
    complete: CompleteSession,
    stances: Sequence[Row],
    turns: Sequence[Row],
    study: Mapping[str, Any],
) -> None:
    """Add the rows of a complete session."""
    session, debate, measures = complete.session, complete.debate, study["measures"]
    arm, ids = study["arms"][session["arm"]], _ids(session)
    rounds = measure_rounds(debate, arm, study["control"], measures)
    agents = measure_agents(debate, measures)
    measured.rounds += [{**ids, **row} for row in rounds]
    measured.influence += [
        {"session_id": session["session_id"], "arm": session["arm"], **row} for row in agents
    ]
    measured.metrics.append(
        {
            **ids,
            "complete": True,
            **_counts(turns),
            **_course(rounds, measures["collapse"]),
            **_graph(debate, agents, rounds[-1]["retention"], measures),
            **_conduct(debate, stances),
            **_ending(debate, rounds, stances, str(complete.topic["truth"])),
            **_hint(debate, session, bool(arm["hints"])),
        }
    )


def measure_agents(debate: MeasuredDebate, measures: Mapping[str, Any]) -> Rows:
    """Influence of each agent: rows of the artefact ``influence`` without the session's columns."""
    pairs = dyads(debate, measures["movement"])
    total = katz(debate, pairs, measures["katz"])
    unheard = [claim.agent for claim in ignored(debate)]
    return [
        {
            "agent": agent,
            "direct_in": direct([dyad for dyad in pairs if dyad.target == agent]),
            "direct_out": direct([dyad for dyad in pairs if dyad.source == agent]),
            "katz": total[agent],
            "claims": sum(claim.agent == agent for claim in debate.claims),
            "ignored": unheard.count(agent),
            "marginalisation": marginalisation(debate, agent),
        }
        for agent in debate.agents
    ]


def _course(rounds: Rows, fraction: float) -> dict[str, Any]:
    """Entropy from the first round to the last."""
    first, last = rounds[0]["entropy"], rounds[-1]["entropy"]
    has_both = first is not None and last is not None
    fall = collapse(
        [row["entropy"] for row in rounds], [row["evidence_overlap"] for row in rounds], fraction
    )
    return {
        "entropy_first": first,
        "entropy_last": last,
        "entropy_drop": first - last if has_both else None,
        "collapse_round": fall.round,
        "premature": fall.premature,
        "retention_last": rounds[-1]["retention"],
    }


def _graph(
    debate: MeasuredDebate, agents: Rows, kept: float | None, measures: Mapping[str, Any]
) -> dict[str, Any]:
    material = measures["material"]
    covered = rival_coverage(debate, material)
    exposed = exposures(debate, material)
    passed = [row["marginalisation"] for row in agents if row["marginalisation"] is not None]
    return {
        "density_mean": mean_density(debate),
        "claim_engagement": claim_engagement(debate, range(2, debate.rounds + 1), material),
        "rival_coverage": covered,
        "groupthink": groupthink(kept, covered),
        "compliance": status_share(debate, "resolved"),
        "dangling": status_share(debate, "dangling"),
        "ambiguous": status_share(debate, "ambiguous"),
        "silent_share": silent_share(exposed),
        "silence_effect": silence_effect(exposed),
        "dominance": gini(list(in_degrees(debate).values())),
        "top_influencer": leader({row["agent"]: row["katz"] for row in agents}),
        "marginalisation_max": max(passed, default=None),
        "ignored_share": share(len(ignored(debate)), len(watched(debate))),
    }


def _conduct(debate: MeasuredDebate, stances: Sequence[Row]) -> dict[str, Any]:
    counts = sycophancy_of(debate)
    stated = [row["consistent"] for row in stances if not row["abstained"] and not row["declined"]]
    decided = [value for value in stated if value is not None]
    return {
        "sycophancy_per_switch": counts.per_switch,
        "sycophancy_per_opportunity": counts.per_opportunity,
        "switches": counts.switches,
        "consistency": share(sum(decided), len(decided)),
        "undecidable": share(len(stated) - len(decided), len(stated)),
        "parsed_share": mean([float(row["parsed"]) for row in stances]),
    }


def _ending(
    debate: MeasuredDebate, rounds: Rows, stances: Sequence[Row], truth: str
) -> dict[str, Any]:
    final = list(debate.stances(debate.rounds).values())
    last = [float(row["declined"]) for row in stances if row["round"] == debate.rounds]
    return {
        "quality_last": rounds[-1]["quality"],
        "contentiousness_last": rounds[-1]["contentiousness"],
        "agreement_last": agreement(debate, debate.rounds),
        "abstained_last": mean(last),
        "correct_last": share(final.count(truth), len(final)) if truth else None,
    }


def _hint(debate: MeasuredDebate, session: Row, given: bool) -> dict[str, Any]:
    """What agents did with a hint, of those whose stance before was not its option.

    Before a hint in round 1 no stance is known, so that all agents count.
    """
    result: dict[str, Any] = {"hint_accepted": None, "hint_rejected": None}
    if not given or session["hint"] == "none":
        return result
    option = session["hint_option"]
    before, final = debate.stances(session["hint_round"] - 1), debate.stances(debate.rounds)
    open_to = [agent for agent in final if before.get(agent, "") != option]
    taken = share(sum(final[agent] == option for agent in open_to), len(open_to))
    if session["hint"] == "valid":
        result["hint_accepted"] = taken
    elif taken is not None:
        result["hint_rejected"] = 1.0 - taken
    return result


def _counts(turns: Sequence[Row]) -> dict[str, int]:
    roles = [turn["role"].split(":")[0] for turn in turns]
    return {name: roles.count(role) for name, role in _CALLS.items()}


def _lost(session: Row) -> dict[str, Any]:
    """The row of a session that failed for good."""
    blank = {n: "" if column.kind == "string" else None for n, column in METRICS.columns.items()}
    return {**blank, **_ids(session), "complete": False, **_counts([])}


def _ids(session: Row) -> dict[str, Any]:
    return {name: session[name] for name in _IDS}


def _by_session(rows: Sequence[Row]) -> dict[str, list[Row]]:
    key = itemgetter("session_id")
    return {name: list(group) for name, group in groupby(rows, key=key)}
