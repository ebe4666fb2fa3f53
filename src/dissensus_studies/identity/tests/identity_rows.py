"""Debates as rows of artefacts, from answers written down or drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ..inference.estimates import ESTIMATES, estimate_identity
from ..measures.metrics import METRICS, measure_rounds
from ..measures.transitions import TRANSITIONS, follow_answers

SEED = 11
RING = {3: "2|3|1", 5: "2|3|4|5|1"}


def full(agents: int) -> str:
    """Everyone sees everyone else."""
    names = range(1, agents + 1)
    return "|".join("+".join(str(peer) for peer in names if peer != agent) for agent in names)


def question(name: str, answer: str = "A", options: int = 4) -> dict[str, Any]:
    return {
        "question_id": name,
        "kind": "choice",
        "options": [f"option {index}" for index in range(options)],
        "answer": answer,
    }


def session(
    team: str, name: str, condition: str, graph: str, agents: int, rounds: int
) -> dict[str, Any]:
    """A manifest's row, as far as the measures read it."""
    return {
        "session_id": f"{team}-{name}-{condition}",
        "team": team,
        "bank": name.partition("-")[0],
        "question_id": name,
        "condition": condition,
        "opening": "" if condition == "opening" else f"{team}-{name}-opening",
        "graph": graph,
        "agents": agents,
        "rounds": rounds,
    }


def lenient(letter: str, number: int, agent: int) -> str:
    """What a lenient reader makes of an answer: of one that was not parsed A, B or nothing."""
    return ("", "A", "B")[(number + agent) % 3] if letter == "-" else letter


def answer_rows(row: Mapping[str, Any], rounds: Sequence[str], right: str) -> list[dict[str, Any]]:
    """Rows of answers: a string a round, a letter an agent, "-" for one that was not parsed."""
    names = ("session_id", "team", "bank", "question_id", "condition")
    return [
        {name: row[name] for name in names}
        | {
            "round": number,
            "agent": agent,
            "answer": letter.strip("-"),
            "parsed": letter != "-",
            "correct": letter == right,
            "lenient_answer": lenient(letter, number, agent),
            "lenient_correct": lenient(letter, number, agent) == right,
        }
        for number, letters in enumerate(rounds)
        for agent, letter in enumerate(letters, start=1)
    ]


def table(schema: Any, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows as the table that a stage reads."""
    fields = schema.arrow
    return pa.table({name: [row[name] for row in rows] for name in fields.names}, schema=fields)


class Debates:
    """Answers of debates, and all that is measured from them."""

    def __init__(self) -> None:
        self.sessions: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.questions: dict[str, dict[str, Any]] = {}

    def add(
        self,
        team: str,
        name: str,
        condition: str,
        rounds: Sequence[str] | None,
        *,
        right: str = "A",
        graph: str | None = None,
        planned: int = 1,
    ) -> None:
        """Add a debate; ``rounds`` of None is one that failed."""
        agents = len(rounds[0]) if rounds else 3
        last = len(rounds) - 1 if rounds else planned
        row = session(team, name, condition, graph or RING[agents], agents, last)
        self.sessions.append(row)
        self.questions[name] = question(name, right)
        if rounds:
            self.answers += answer_rows(row, rounds, right)

    @property
    def transitions(self) -> list[dict[str, Any]]:
        return follow_answers(self.answers, self.sessions)

    @property
    def metrics(self) -> list[dict[str, Any]]:
        return measure_rounds(
            self.answers, self.transitions, self.sessions, self.questions.values()
        )

    def tables(self) -> tuple[pa.Table, pa.Table, pa.Table]:
        """Metrics, transitions and manifest, as the estimating stage reads them."""
        names = ("session_id", "agents")
        manifest = pa.table({name: [row[name] for row in self.sessions] for name in names})
        return table(METRICS, self.metrics), table(TRANSITIONS, self.transitions), manifest


def drawn(
    rng: np.random.Generator,
    teams: Sequence[str],
    questions: int,
    *,
    banks: Sequence[str] = ("choice", "numeric"),
    rounds: int = 2,
    unparsed: float = 0.02,
) -> Debates:
    """Debates of five agents who keep, follow or guess at random."""
    debates = Debates()
    letters = np.array(list("ABCD-"))
    chances = [*[(1 - unparsed) / 4] * 4, unparsed]
    for team in teams:
        for bank in banks:
            for index in range(questions // len(banks)):
                opening = rng.choice(letters, 5, p=chances)
                for condition in ("anonymized", "vanilla"):
                    said = [opening]
                    for _ in range(rounds):
                        guess = rng.choice(letters, 5, p=chances)
                        follow = rng.random(5)
                        now = np.where(follow < 0.4, np.roll(said[-1], -1), said[-1])
                        said.append(np.where(follow > 0.8, guess, now))
                    graph = full(5) if team.endswith("full") else RING[5]
                    texts = ["".join(one) for one in said]
                    debates.add(team, f"{bank}-{index:03d}", condition, texts, graph=graph)
    return debates


def estimated(
    debates: Debates, resamples: int = 50, confidence: float = 0.95
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Rows of the estimates by team, bank, round, condition, peers, policy and measure."""
    rows = estimate_identity(
        *debates.tables(), confidence=confidence, resamples=resamples, seed=SEED
    )
    return {tuple(row[name] for name in ESTIMATES.key): row for row in rows}
