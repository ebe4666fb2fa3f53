"""Preference data of a run: the better and the worse debate of one agent on one statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from dissensus.digests import digest
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import text

from ..domains import STATEMENTS, Agent, read_domain
from ..learning.profiles import behaviour, standing

Row = Mapping[str, Any]

TRAIN, SCORE = "train", "score"
TRIPLETS = Schema(
    name="triplets",
    row="agent and training statement, where it behaved better in one arm than in another",
    columns={
        **STATEMENTS.pick("statement_id", "domain"),
        "agent": text("Name of the agent in its domain."),
        "purpose": text("train, or score for statements that are kept for scoring alone."),
        "system": text("The agent's system prompt."),
        "question": text("What it was asked: x of the loss, after the system prompt."),
        "chosen": text("Its debate in the arm where it stood best: y+."),
        "rejected": text("Its debate in the arm where it stood worst: y-."),
        "chosen_session": text("Session of the better debate."),
        "rejected_session": text("Session of the worse debate."),
        "rationale": text("Why the better is good; empty where it is no example."),
        "counterfactual": text("What the worse lacked; empty where it is no example."),
    },
    key=("statement_id", "agent"),
)
#: One statement in so many is kept for scoring.
_KEPT = 4


@makes(triplets=TRIPLETS)
def export_triplets(
    profiles: list[dict[str, Any]], fewshot: list[dict[str, Any]], domains: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The stage of :func:`make_triplets`; ``domains``: name -> folder of its agents."""
    agents = {
        name: {agent.id: agent for agent in read_domain(folder).agents}
        for name, folder in domains.items()
    }
    return list(make_triplets(profiles, fewshot, agents))


def make_triplets(
    profiles: Sequence[Row], examples: Sequence[Row], agents: Mapping[str, Mapping[str, Agent]]
) -> Iterator[dict[str, Any]]:
    """Rows of :data:`TRIPLETS`, by domain, statement and agent.

    The paper forms triplets of its best and worst agents, whose statements differ; then x is not
    the same for y+ and y-, as the loss has it. Here both are of one agent on one statement, ranked
    in the same way; agents who behaved alike in all arms have no triplet.

    Parameters
    ----------
    profiles : rows of :data:`~.learning.tables.PROFILES`.
    examples : rows of :data:`~.learning.tables.FEWSHOT`.
    agents : domain -> name -> agent.
    """
    example_of = {(row["session_id"], row["agent"]): row for row in examples}

    def key(row: Row) -> tuple[str, str, str]:
        return row["domain"], row["statement_id"], row["agent"]

    kept = _kept_for_scoring(profiles)
    for (domain, statement_id, agent), group in groupby(sorted(profiles, key=key), key=key):
        ranked = sorted(group, key=standing)
        best, worst = ranked[0], ranked[-1]
        if behaviour(best) == behaviour(worst):
            continue
        why, lacked = (example_of.get((row["session_id"], agent), {}) for row in (best, worst))
        yield {
            "statement_id": statement_id,
            "domain": domain,
            "agent": agent,
            "purpose": SCORE if statement_id in kept else TRAIN,
            "system": agents[domain][agent].system,
            "question": f'Policy statement: "{best["statement"]}"\nDebate it, and vote.',
            "chosen": _debate(best),
            "rejected": _debate(worst),
            "chosen_session": best["session_id"],
            "rejected_session": worst["session_id"],
            "rationale": why["rationale"] if why.get("label") == "good" else "",
            "counterfactual": lacked["counterfactual"] if lacked.get("label") == "bad" else "",
        }


def _kept_for_scoring(profiles: Sequence[Row]) -> set[str]:
    """One statement in four of each domain, the same in every run that has them."""
    scoring: set[str] = set()
    for domain in {row["domain"] for row in profiles}:
        names = {row["statement_id"] for row in profiles if row["domain"] == domain}
        scoring |= set(sorted(names, key=digest)[: -(-len(names) // _KEPT)])
    return scoring


def _debate(row: Row) -> str:
    """An agent's side of a debate: explanations and votes by round, as it wrote them."""
    rounds = zip(row["explanations"], row["votes"], strict=True)
    return "\n\n".join(f"{explanation}\nVote: {vote}" for explanation, vote in rounds)
