"""From the turns of a session to its claims, engagements, stances and judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dissensus.session.protocol import round_of
from dissensus.study.makes import RowsOf, TurnsBySession, makes

from ..controls.crit import gamma, parse_assessment, products, signed
from ..controls.rca import parse_verdict
from ..turns import ParsedTurn, claim_id, parse_turn
from .consistency import conclusion, consistent
from .records import CLAIMS, ENGAGEMENTS, JUDGEMENTS, STANCES
from .references import Cited, resolve
from .state import in_order

Row = Mapping[str, Any]
Rows = list[dict[str, Any]]

#: Roles of the calls whose replies are an agent's own.
OWN = ("debater", "retry")
_JUDGE, _ABOUT = "judge:", "J:"
_IDS = ("session_id", "draw_id", "topic_id", "arm")


@dataclass
class Tables(RowsOf):
    """Rows of the four artefacts, of one session or of many."""

    claims: Rows = field(default_factory=list)
    engagements: Rows = field(default_factory=list)
    stances: Rows = field(default_factory=list)
    judgements: Rows = field(default_factory=list)


@dataclass(frozen=True)
class _AgentTurn:
    """An agent's turn of a round: its last reply there, with the last verdict on it."""

    agent: str
    round: int
    model: str
    turn: ParsedTurn
    verdict: bool | None

    @property
    def abstained(self) -> bool:
        return self.verdict is False


@makes(claims=CLAIMS, engagements=ENGAGEMENTS, stances=STANCES, judgements=JUDGEMENTS)
def reconstruct_debates(turns: TurnsBySession, topics: list[dict[str, Any]]) -> Tables:
    """Claims, engagements, stances and judgements, read out of the turns."""
    return reconstruct(turns, {topic["topic_id"]: topic["options"] for topic in topics})


def reconstruct(
    sessions: Mapping[str, Sequence[Row]], options: Mapping[str, Sequence[str]]
) -> Tables:
    """The tables of all sessions that ran to the end.

    Parameters
    ----------
    sessions : session_id -> rows of the artefact ``turns``, in order.
    options : topic_id -> labels in the topic's order.
    """
    tables = Tables()
    for turns in sessions.values():
        tables.add(reconstruct_session(turns, options[turns[0]["topic_id"]]))
    return tables


def reconstruct_session(turns: Sequence[Row], options: Sequence[str]) -> Tables:
    """The tables of one session.

    Parameters
    ----------
    turns : its rows of the artefact ``turns``, in order. An agent's turn of a round is its last
        reply there. Where the last verdict on it is a rejection the agent abstained: nothing that
        it wrote in the round counts, and its stance and distribution are those from before.
    options : the topic's labels, in order.
    """
    ids = {name: turns[0][name] for name in _IDS}
    judgements = _judgements(turns)
    verdicts = {
        (row["round"], row["agent"]): row["accepted"] for row in judgements if row["kind"] == "rca"
    }
    agent_turns = _agent_turns(turns, options, verdicts)
    standing = [turn for turn in agent_turns if not turn.abstained]
    return Tables(
        claims=[{**ids, **row} for row in _claims(standing)],
        engagements=[{**ids, **row} for row in _engagements(standing)],
        stances=[{**ids, **row} for row in _stances(agent_turns, options)],
        judgements=[{**ids, **row} for row in judgements],
    )


def _agent_turns(
    turns: Sequence[Row],
    options: Sequence[str],
    verdicts: Mapping[tuple[int, str], bool | None],
) -> list[_AgentTurn]:
    """The last own reply of every agent in every round, in the order of rounds and seats."""
    last: dict[tuple[int, str], Row] = {}
    for turn in turns:
        if turn["role"] in OWN:
            last[round_of(turn["round_label"]), turn["speaker"]] = turn
    return [
        _AgentTurn(
            agent,
            round_,
            turn["model"],
            # Whoever abstains has no stance, asked for one or not.
            parse_turn(turn["text"], options, may_abstain=True),
            verdicts.get((round_, agent)),
        )
        for (round_, agent), turn in sorted(last.items(), key=lambda item: _place(item[0]))
    ]


def _place(key: tuple[int, str]) -> tuple[int, int, str]:
    """Rounds, then seats: A2 before A10."""
    return key[0], len(key[1]), key[1]


def _claims(agent_turns: Sequence[_AgentTurn]) -> Rows:
    return [
        {
            "claim_id": claim_id(turn.agent, turn.round, claim.id),
            "agent": turn.agent,
            "round": turn.round,
            "option": turn.turn.stance,
            "text": claim.text,
            "evidence": list(claim.evidence),
        }
        for turn in agent_turns
        for claim in turn.turn.claims
    ]


def _engagements(agent_turns: Sequence[_AgentTurn]) -> Rows:
    cited = [
        Cited(turn.agent, turn.round, claim.id, claim.text)
        for turn in agent_turns
        for claim in turn.turn.claims
    ]
    rows: Rows = []
    for turn in agent_turns:
        for index, engagement in enumerate(turn.turn.engagements):
            target = (engagement.agent, engagement.claim, engagement.quote)
            resolution = resolve(turn.agent, turn.round, target, cited)
            rows.append(
                {
                    "round": turn.round,
                    "source": turn.agent,
                    "index": index,
                    "target_agent": engagement.agent,
                    "target_claim": engagement.claim,
                    "relation": engagement.relation,
                    "quote": engagement.quote,
                    "status": resolution.status,
                    "resolved_agent": resolution.agent,
                    "resolved_claim": resolution.claim,
                }
            )
    return rows


def _stances(agent_turns: Sequence[_AgentTurn], options: Sequence[str]) -> Rows:
    rows: Rows = []
    last: dict[str, dict[str, Any]] = {}
    for agent_turn in agent_turns:
        before = last.get(agent_turn.agent, {"stance": "", "probabilities": []})
        concluded = ""
        opinion = {name: before[name] for name in ("stance", "probabilities")}
        if not agent_turn.abstained:
            concluded = conclusion(
                agent_turn.turn.reasoning, agent_turn.turn.reasoning_answer, options
            )
            opinion = {
                "stance": agent_turn.turn.stance,
                "probabilities": in_order(agent_turn.turn.probabilities, options),
            }
        row = {
            "round": agent_turn.round,
            "agent": agent_turn.agent,
            "model": agent_turn.model,
            **opinion,
            "confidence": None if agent_turn.abstained else agent_turn.turn.confidence,
            "parsed": bool(agent_turn.turn.stance) or agent_turn.turn.abstains,
            "abstained": agent_turn.abstained,
            "declined": agent_turn.turn.abstains and not agent_turn.abstained,
            "switched": "" not in (before["stance"], opinion["stance"])
            and before["stance"] != opinion["stance"],
            "conclusion": concluded,
            "consistent": None
            if agent_turn.abstained
            else consistent(concluded, agent_turn.turn.stance, agent_turn.verdict),
        }
        last[agent_turn.agent] = row
        rows.append(row)
    return rows


def _judgements(turns: Sequence[Row]) -> Rows:
    rows: Rows = []
    attempts: dict[tuple[int, str, str], int] = {}
    for turn in turns:
        if not turn["role"].startswith(_JUDGE):
            continue
        kind = turn["role"].removeprefix(_JUDGE)
        agent, round_ = turn["speaker"].removeprefix(_ABOUT), round_of(turn["round_label"])
        attempt = attempts[round_, agent, kind] = attempts.get((round_, agent, kind), 0) + 1
        rows.append(
            {
                "round": round_,
                "agent": agent,
                "judge": turn["model"],
                "kind": kind,
                "attempt": attempt,
                **(_assessed(turn["text"]) if kind == "crit" else _ruled(turn["text"])),
            }
        )
    return rows


def _assessed(text: str) -> dict[str, Any]:
    read = parse_assessment(text)
    return {
        "gamma": gamma(read),
        "signed": signed(read),
        "reasons": list(products(read.reasons)),
        "rivals": list(products(read.rivals)),
        "accepted": None,
        "parsed": not read.problems,
    }


def _ruled(text: str) -> dict[str, Any]:
    follows = parse_verdict(text).follows
    return {
        "gamma": None,
        "signed": None,
        "reasons": [],
        "rivals": [],
        "accepted": follows,
        "parsed": follows is not None,
    }
