"""Debates between simulated models whose settings a test plants."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from dissensus.llm.journal import NoJournal
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.session.protocol import Decoding
from dissensus.session.runner import Limits, Session, run_session
from dissensus_studies.language.prompts import Prompts
from dissensus_studies.language.protocol import debate
from scripted import ROOT

RESOURCES = ROOT / "resources"
ROLES = ("P1", "P2", "O1", "O2")
SCRIPTS = {"en": "latin", "zh": "han"}
PROMPTS = {
    language: Prompts.read(ROOT / "studies/language/prompts" / f"{language}.yaml")
    for language in SCRIPTS
}


@cache
def motions() -> dict[str, dict[str, str]]:
    path = RESOURCES / "motions" / "motions.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {row["motion_id"]: row for row in csv.DictReader(file)}


def settings(en: float = 0.3, zh: float = 0.3, **speech: Any) -> dict[str, Any]:
    """A model's settings, with nothing random about its recycling unless asked for."""
    return {
        "provider": "simulated",
        "behaviour": "dissensus_studies.language.simulated",
        "speech": {
            "arguments": str(RESOURCES / "arguments"),
            "motions": str(RESOURCES / "motions" / "motions.csv"),
            "recycle": {"en": en, "zh": zh},
            **speech,
        },
    }


def hold(
    model: dict[str, Any], topic: str, language: str, seed: int = 1, repairs: int = 0
) -> Session:
    steps = debate(
        PROMPTS[language],
        topic,
        dict.fromkeys(ROLES, "s"),
        script=SCRIPTS[language],
        words_per_sentence=50,
        system_message=False,
        decoding=Decoding(0.2, 512),
    )
    provider = SimulatedModel("s", model)
    return run_session(seed, steps, {"s": provider}, NoJournal(), Limits(repairs, 1))


@dataclass(frozen=True)
class Used:
    """A clause of the argument space, as a reader of the table sees it."""

    kind: str
    text: str


@cache
def space(motion_id: str, side: str, language: str) -> tuple[Used, ...]:
    path = RESOURCES / "arguments" / f"{motion_id}.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(
        Used(row["part"], row[language].lower())
        for row in table
        if row["side"] == side and row["part"] != "label"
    )


def decisions(session: Session, motion_id: str, language: str) -> Iterator[bool]:
    """Read a transcript: of each sentence that could do either, whether it recycled.

    A sentence could do either where its side has used a clause of its kind and not used them all.
    """
    used: dict[str, set[Used]] = {"pro": set(), "con": set()}
    for turn in session.turns:
        side = "pro" if turn.speaker[0] == "P" else "con"
        own = space(motion_id, side, language)
        for sentence in re.split(r"(?<=[.?。？])\s*", turn.text.lower()):
            # A quotation is of the other side.
            said = [clause for clause in own if clause.text in sentence]
            if not said:
                continue
            (clause,) = said
            before = {c for c in used[side] if c.kind == clause.kind}
            if 0 < len(before) < sum(c.kind == clause.kind for c in own):
                yield clause in before
            used[side].add(clause)
