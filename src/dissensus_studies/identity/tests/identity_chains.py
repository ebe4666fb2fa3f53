"""Debates between simulated agents through the true prompts, and all that is read from them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.llm.call import Message
from dissensus.session.protocol import Call, Decoding, Steps
from scripted import ROOT

from .. import simulated
from ..design.banks import Question, read_bank, write_question
from ..design.graph import read_peers
from ..design.manifest import Drawing, draw_manifest
from ..measures.metrics import METRICS, measure_identity
from ..measures.transitions import TRANSITIONS
from ..protocol import AGENT, AnswerFormat, Prompts, TeamDebate, read_personas
from ..settings import BankSettings, TeamSettings
from .identity_rows import table

FOLDER = ROOT / "studies" / "identity" / "prompts"
PROMPTS = Prompts.read(FOLDER / "debate.yaml")
PERSONAS = read_personas(FOLDER / "personas.yaml")

#: (w_self, w_peer) in the vanilla condition.
Weights = tuple[float, float]


def bank(path: Path, questions: int) -> str:
    """A file in the project's own format; the right option is each letter in turn."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "field", "question", *"ABCD", "answer", "why"])
        for number in range(questions):
            options = [f"thing {number}-{letter}" for letter in "abcd"]
            right = "ABCD"[number % 4]
            writer.writerow([f"q-{number:03d}", "f", f"Which of {number}?", *options, right, "so"])
    return str(path)


def agent(file: str, vanilla: Weights, blind: float = 0.75, **speech: Any) -> dict[str, Any]:
    """A simulated agent's settings."""
    weights = {
        "vanilla": dict(zip(("self", "peer"), vanilla, strict=True)),
        "anonymized": {"self": blind, "peer": blind},
    }
    planted = {"questions": [file], "knows": 3.0, "errs": 1.5, "weights": weights}
    return {"speech": planted | speech}


@dataclass
class Held:
    """A run's rows, as the artefacts of these names have them."""

    manifest: list[dict[str, Any]]
    questions: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    transitions: list[dict[str, Any]]
    metrics: list[dict[str, Any]]
    calls: list[dict[str, Any]]

    def tables(self) -> tuple[pa.Table, pa.Table, pa.Table]:
        """Metrics, transitions and manifest."""
        names = ("session_id", "team", "condition", "model", "personas", "graph", "agents", "seats")
        manifest = pa.table({name: [row[name] for row in self.manifest] for name in names})
        return table(METRICS, self.metrics), table(TRANSITIONS, self.transitions), manifest


def hold(
    file: str,
    teams: Mapping[str, Mapping[str, Any]],
    model: Callable[[str, Call], dict[str, Any]],
    *,
    rounds: int = 1,
    samples: int | None = None,
    seed: int = 1,
    lost: Collection[str] = (),
) -> Held:
    """Run every session of the manifest.

    Parameters
    ----------
    file : of the questions.
    teams : name -> its settings.
    model : from a team's model and a call to the settings of the agent that answers.
    lost : sessions that failed for good.
    """
    questions, question_of = _bank(file)
    settings = {name: TeamSettings(**team) for name, team in teams.items()}
    drawing = Drawing(seed, 5, rounds, 1000, settings, list(PERSONAS), samples)
    manifest = draw_manifest(questions, drawing)
    rng = np.random.default_rng(seed)
    turns: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    said: dict[str, list[str]] = {}
    # Openings are held first: what goes on from one reads it.
    for row in sorted(manifest, key=lambda row: row["opening"] != ""):
        debate = _debate(row, question_of[row["question_id"]])
        steps = debate.opening()
        if row["opening"]:
            peers = read_peers(row["graph"])
            start = said[row["opening"]]
            steps = debate.goes_on(row["condition"], start, peers, row["rounds"], row["seed"])
        for call, text in _played(steps, lambda call, name=row["model"]: model(name, call), rng):
            said.setdefault(row["session_id"], []).append(text)
            names = {name: row[name] for name in ("session_id", "question_id")}
            words = sum(len(one.content.split()) for one in call.messages)
            spent = {"input_tokens": words, "output_tokens": len(text.split())}
            place = {"speaker": call.speaker, "round_label": call.round_label, "text": text}
            turns.append(names | place)
            calls.append(names | spent | {"turn": call.number, "cost_usd": None, "faults_usd": 0.0})
    names_of = [row["session_id"] for row in manifest]
    outcomes = [{"session_id": name, "complete": name not in lost} for name in names_of]
    turns = [turn for turn in turns if turn["session_id"] not in lost]
    read_rows = measure_identity(turns, outcomes, manifest, questions)
    return Held(manifest, questions, *read_rows, calls)


def _bank(file: str) -> tuple[list[dict[str, Any]], dict[str, Question]]:
    """The questions of a file as rows, and each by its id."""
    bank = BankSettings(format="dissensus", source=file)
    question_of = {
        f"q-{number:03d}": question for number, (_, question) in enumerate(read_bank(bank))
    }
    rows = [
        {
            "question_id": name,
            "bank": "q",
            "kind": question.kind,
            "options": list(question.options),
            "answer": question.answer,
        }
        for name, question in question_of.items()
    ]
    return rows, question_of


def _debate(row: Mapping[str, Any], question: Question) -> TeamDebate:
    """The debate of a row of the manifest."""
    seats = row["seats"] or [AGENT] * 5
    return TeamDebate(
        PROMPTS,
        write_question(question.kind, question.text, question.options),
        AnswerFormat(question.kind, tuple(question.options)),
        Decoding(1.0, 64),
        row["model"],
        tuple(seats),
        tuple(PERSONAS.get(seat, "") for seat in seats),
    )


def _played(
    steps: Steps, model: Callable[[Call], dict[str, Any]], rng: np.random.Generator
) -> list[tuple[Call, str]]:
    """Every call and what is said to it."""
    found: list[tuple[Call, str]] = []
    step = next(steps, None)
    while step is not None:
        messages: list[tuple[Message, ...]] = [call.messages for call in step]
        texts = [
            simulated.speak(one, model(call), rng) for one, call in zip(messages, step, strict=True)
        ]
        found += zip(step, texts, strict=True)
        try:
            step = steps.send([c.turn(text) for c, text in zip(step, texts, strict=True)])
        except StopIteration:
            step = None
    return found
