"""Small debates for tests of the measures and of the pages, as the turns that a protocol leaves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..measures.debate import Offered, Row, Speech
from ..measures.records import Tables, reconstruct
from ..tables import LAYERS

PROPOSITION, OPPOSITION = ("Ada", "Cy", "Ed"), ("Bo", "Di", "Flo")
ORDER = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")
MOTION = {
    "motion_id": "lots",
    "motion": "This House would draw lots",
    "about": "",
    "proposition": list(PROPOSITION),
    "opposition": list(OPPOSITION),
    "students": ["Cy", "Ed"],
    "source": "motions.yaml",
}

#: (target, by, speech, bits of logic, new, undermines)
Found = tuple[str, str, int, str]


def manifest_row(epoch: int = 1, run: int = 1, arm: str = "coached", **more: Any) -> dict[str, Any]:
    draw = f"lots-e{epoch}-r{run:02d}"
    return {
        "session_id": f"{draw}-{arm}",
        "draw_id": draw,
        "block": epoch,
        "motion_id": "lots",
        "arm": arm,
        "kind": "debate",
        "epoch": epoch,
        "run": run,
        "position": 1,
        "order": list(ORDER),
        "lenses": ["0"] * len(ORDER),
        "draw_seed": 7,
        "seed": 8,
        **more,
    }


@dataclass
class Script:
    """What is said in a debate; None where a reply cannot be read.

    ``claims``: speech -> (type, specific) of each; ``rebuttals``: rebutting side -> list;
    ``blind``, ``labelled``: votes by pass, in the order of the seats; ``offers``: speech ->
    (speaker, argument, text); ``answers``: speech -> texts; ``words``: of all claims and reasons,
    where they are no numbers.
    """

    order: Sequence[str] = ORDER
    texts: dict[int, str] = field(default_factory=dict)
    arguments: dict[int, int | None] = field(default_factory=dict)
    offers: dict[int, list[tuple[str, int, str]]] = field(default_factory=dict)
    answers: dict[int, list[str]] = field(default_factory=dict)
    definitions: dict[str, Any] | None = None
    contest: dict[str, Any] | None = None
    rubrics: dict[int, tuple[float, ...] | None] = field(default_factory=dict)
    recalibrated: Sequence[tuple[int, float]] | None = None
    claims: dict[int, list[tuple[str, bool]] | None] = field(default_factory=dict)
    rebuttals: list[dict[str, list[Found] | None]] = field(default_factory=list)
    blind: dict[int, Sequence[str]] = field(default_factory=dict)
    labelled: dict[int, Sequence[str]] = field(default_factory=dict)
    words: str = ""

    def turns(self, session: Row) -> list[dict[str, Any]]:
        """The session's turns, with the columns that name it."""
        ids = ("session_id", "draw_id", "motion_id", "arm", "kind", "epoch", "run")
        named = {name: session[name] for name in ids}
        return [
            {
                **named,
                **turn,
                "model": turn.get("model", "m"),
                "repairs": 0,
                "compliant": True,
                "origin": None,
                "person": False,
                "value": None,
            }
            for turn in (*self._said(), *self._judged())
        ]

    def _said(self) -> list[dict[str, Any]]:
        turns = [_turn(1, name, "prepare", "notes", "preparation") for name in self.order]
        for k, name in enumerate(self.order, start=1):
            step, label = 10 * k, f"speech {k}"
            turns.append(_turn(step, name, "speech", self.texts.get(k, f"Speech {k}."), label))
            found = self.arguments.get(k, 3)
            points = None if found is None else [{"point": f"Point {n}."} for n in range(found)]
            extracted = None if points is None else {"arguments": points}
            turns.append(_turn(step + 1, f"extract:{name}", "extract", extracted, label))
            by: dict[str, list[dict[str, Any]]] = {}
            for speaker, argument, text in self.offers.get(k, []):
                by.setdefault(speaker, []).append({"argument": argument, "point": text})
            for speaker, offers in by.items():
                turns.append(_turn(step + 2, speaker, "offer", {"offers": offers}, label))
            for n, text in enumerate(self.answers.get(k, [])):
                turns.append(_turn(step + 3 + n, name, "answer", text, label))
            if k == 1 and self.definitions is not None:
                turns.append(_turn(step + 6, "definitions", "definitions", self.definitions, label))
            if k == 2 and self.contest is not None:
                turns.append(_turn(step + 6, "contest", "contest", self.contest, label))
        return turns

    def _judged(self) -> list[dict[str, Any]]:
        turns = []
        for k, name in enumerate(self.order, start=1):
            scores = self.rubrics.get(k)
            turns.append(_turn(101, f"rubric:{name}", "rubric", scores and _rubric(scores)))
        ranks = self.recalibrated and {
            "speeches": [
                {"speech": n, "rank": rank, "score": score}
                for n, (rank, score) in enumerate(self.recalibrated, start=1)
            ]
        }
        turns.append(_turn(102, "recalibrate", "recalibrate", ranks))
        for k, name in enumerate(self.order, start=1):
            claims = self.claims.get(k, [])
            listed = None if claims is None else {"claims": _claims(k, claims, self.words)}
            turns.append(_turn(103, f"claims:{name}", "claims", listed))
        for n, lists in enumerate(self.rebuttals):
            for side in ("proposition", "opposition"):
                rebuttals = lists.get(side)
                said = None if rebuttals is None else {"rebuttals": list(map(_rebuttal, rebuttals))}
                turns.append(_turn(104 + n, f"rebuttals:{side}", "rebuttals", said))
        for n, (panel, votes) in enumerate((("blind", self.blind), ("labelled", self.labelled))):
            for pass_, cast in votes.items():
                for seat, vote in enumerate(cast, start=1):
                    said = (
                        {"winner": vote, "reason": self.words or f"reason {seat}"} if vote else None
                    )
                    turn = _turn(110 + n, f"{panel}:{pass_}:{seat}", panel, said)
                    turns.append({**turn, "model": f"judge{seat}"})
        return turns


def _turn(step: int, speaker: str, role: str, said: Any, label: str = "judging") -> dict[str, Any]:
    """A turn; ``said``: text, an object, or None for what cannot be read."""
    text = said if isinstance(said, str) else "no object" if said is None else json.dumps(said)
    return {"turn": step, "speaker": speaker, "role": role, "round_label": label, "text": text}


def _rubric(scores: Sequence[float]) -> dict[str, float]:
    names = ("argument_strength", "rebuttal_quality", "evidence_grounding")
    return dict(zip((*names, "rhetorical_effectiveness", "persona_fidelity"), scores, strict=True))


def _claims(speech: int, claims: Sequence[tuple[str, bool]], words: str) -> list[dict[str, Any]]:
    return [
        {"text": words or f"Claim {speech}.{n}.", "type": kind, "specific": specific}
        for n, (kind, specific) in enumerate(claims, start=1)
    ]


def _rebuttal(found: Found) -> dict[str, Any]:
    target, by, speech, bits = found
    logic, new, undermines = (bit == "1" for bit in bits)
    said = {"logic": logic, "new": new, "undermines": undermines}
    return {"target": target, "by": by, "speech": speech, **said}


def take_answered(_: Row, speech: Speech) -> list[tuple[Offered, bool]]:
    """Of every speech, all offers are drawn and the first of them are taken, one an answer."""
    return [(one, n < len(speech.answers)) for n, one in enumerate(speech.offers)]


def tables(script: Script, motion: dict[str, Any] = MOTION, **changes: Any) -> Tables:
    """The tables of one debate; ``changes`` of what is given besides."""
    session = manifest_row()
    name = session["session_id"]
    given_: dict[str, Any] = {"layers": LAYERS, "points": take_answered, **changes}
    return reconstruct({name: script.turns(session)}, {name: session}, {"lots": motion}, **given_)


E, P, S = "evidence_backed", "principled", "assertion"


def golden() -> Script:
    """The debate whose tally and fates are computed by hand in the tests."""
    return Script(
        claims={
            1: [(E, True), (S, False)],
            2: [(P, False), (E, False)],
            3: [(E, True), (P, True)],
            4: [(S, True)],
            5: [(P, False)],
            6: [(E, True), (S, False)],
        },
        rebuttals=[
            {
                "proposition": [
                    ("2.1", "3.1", 3, "101"),
                    ("2.2", "", 3, "010"),
                    ("4.1", "5.1", 5, "001"),
                    # Its claim comes later, and one's own side is no other.
                    ("6.1", "5.1", 5, "111"),
                    ("1.1", "3.1", 3, "111"),
                ],
                "opposition": [
                    ("1.1", "2.1", 2, "101"),
                    ("1.2", "", 4, "110"),
                    ("5.1", "6.1", 6, "111"),
                    # Its claim comes later, and there is none of this name.
                    ("3.1", "2.1", 2, "111"),
                    ("9.9", "", 4, "111"),
                ],
            }
        ],
        blind={1: ("A", "A", "B"), 2: ("B", "A", "B")},
        labelled={1: ("Proposition",) * 3, 2: ("Proposition", "Opposition", "Opposition")},
        recalibrated=[(1, 8.0), (4, 6.5), (3, 7.0), (2, 7.5), (5, 6.0), (6, 5.0)],
        rubrics=dict.fromkeys(range(1, 7), (6, 7, 8, 5, 9)),
    )
