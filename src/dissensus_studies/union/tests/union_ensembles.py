"""Small made-up ensembles of debates, as the measures would leave them, for the estimates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from made_frames import frame_of

from ..tables import CLAIMS, MANIFEST, SIDES, SPEECHES, VERDICTS, VOTES

SPEAKERS = {"proposition": ("Ada", "Bo", "Cy"), "opposition": ("Di", "Ed", "Flo")}
STUDENTS = ("Bo", "Cy")

#: From the side favoured by quality, pass, words by which A is longer, and label of A's side, to
#: the slot of the vote.
Judge = Callable[[str, int, float], str]


def fair(slot: str, number: int, longer: float) -> str:
    return slot


def always_a(slot: str, number: int, longer: float) -> str:
    return "A"


def longer_wins(slot: str, number: int, longer: float) -> str:
    return "A" if longer > 0 else "B"


def always_proposition(slot: str, number: int, longer: float) -> str:
    """On the labelled panel, where slot A has the label proposition in pass 1."""
    return "A" if number == 1 else "B"


@dataclass
class Ensemble:
    manifest: pd.DataFrame
    verdicts: pd.DataFrame
    speeches: pd.DataFrame
    claims: pd.DataFrame
    votes: pd.DataFrame


def make_ensemble(
    motions: int = 1,
    epochs: int = 4,
    runs: int = 5,
    arms: Sequence[str] = ("coached", "control"),
    *,
    blind: Sequence[tuple[str, Judge]] = (("j1", fair), ("j2", fair), ("j3", fair)),
    labelled: Sequence[tuple[str, Judge]] = (("j1", fair), ("j2", fair), ("j3", fair)),
    gain: float = 0.0,
    seed: int = 1,
) -> Ensemble:
    """Debates of every draw in each arm; the sides are equally strong."""
    rng = np.random.default_rng(seed)
    manifest, verdicts, speeches, claims, votes = ([] for _ in range(5))
    for motion in range(1, motions + 1):
        for epoch in range(1, epochs + 1):
            for run in range(1, runs + 1):
                draw = f"m{motion}-e{epoch}-r{run:02d}"
                level = rng.uniform(0.35, 0.65)
                order = [rng.permutation(SPEAKERS[side]).tolist() for side in SIDES]
                for arm in arms:
                    ids = {
                        "session_id": f"{draw}-{arm}",
                        "motion_id": f"m{motion}",
                        "arm": arm,
                        "epoch": epoch,
                        "run": run,
                    }
                    manifest.append(
                        _row(ids, draw, [n for p in zip(*order, strict=True) for n in p])
                    )
                    spoken = _speeches(ids, manifest[-1]["order"])
                    speeches += spoken
                    coached = gain * (arm == "coached" and epoch > 1)
                    made = _claims(ids, spoken, level, coached, rng)
                    claims += made
                    quality = 1.5 * rng.standard_normal()
                    words = float(np.round(300 * rng.standard_normal()))
                    cast = [
                        vote
                        for panel, judges in (("blind", blind), ("labelled", labelled))
                        for vote in _votes(ids, panel, judges, quality, words, rng)
                    ]
                    votes += cast
                    verdicts.append(_verdict(ids, cast, made, quality, rng))
    return Ensemble(
        frame_of(MANIFEST, manifest),
        frame_of(VERDICTS, verdicts),
        frame_of(SPEECHES, speeches),
        frame_of(CLAIMS, claims),
        frame_of(VOTES, votes),
    )


def _row(ids: dict[str, Any], draw: str, order: list[str]) -> dict[str, Any]:
    more = {"draw_id": draw, "block": 1, "kind": "debate", "position": 1, "order": order}
    return {**ids, **more, "lenses": ["0"] * 6, "draw_seed": 1, "seed": 1}


def _speeches(ids: dict[str, Any], order: list[str]) -> list[dict[str, Any]]:
    return [
        {
            **ids,
            "speech": number,
            "speaker": name,
            "side": SIDES[(number - 1) % 2],
            "student": name in STUDENTS,
            "words": 1300,
            "length_kept": True,
            "arguments": 4,
            "extracted": True,
            "offered": 2,
            "accepted": 1,
            "text": "A speech.",
        }
        for number, name in enumerate(order, 1)
    ]


def _claims(
    ids: dict[str, Any],
    speeches: list[dict[str, Any]],
    level: float,
    gain: float,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    rows = []
    for speech in speeches:
        chance = level + gain * speech["student"]
        for number in range(1, 9):
            survives = rng.random() < chance
            named = {name: speech[name] for name in ("speech", "speaker", "side", "student")}
            rows.append(
                {
                    **ids,
                    **named,
                    "claim_id": f"{speech['speech']}.{number}",
                    "kind": ("evidence_backed", "principled", "assertion")[number % 3],
                    "specific": number % 2 == 0,
                    "points": 2.0,
                    "rebuttals": 1,
                    "fate": "survives" if survives else ("contested", "demolished")[number % 2],
                    "text": "A claim.",
                }
            )
    return rows


def _votes(
    ids: dict[str, Any],
    panel: str,
    judges: Sequence[tuple[str, Judge]],
    quality: float,
    words: float,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    rows = []
    for number in (1, 2):
        for seat, (name, judge) in enumerate(judges, 1):
            side = SIDES[int(rng.random() > special.expit(quality))]
            # In pass 1 the proposition is in slot A; on a labelled panel it always is.
            kept = number == 1 or panel == "labelled"
            of_slot = dict(zip("AB", SIDES if kept else SIDES[::-1], strict=True))
            longer = words if kept else -words
            slot = judge(next(k for k, v in of_slot.items() if v == side), number, longer)
            labels = SIDES if number == 1 else SIDES[::-1]
            rows.append(
                {
                    **ids,
                    "panel": panel,
                    "pass": number,
                    "seat": seat,
                    "judge": name,
                    "slot": slot,
                    "label": "" if panel == "blind" else labels["AB".index(slot)],
                    "side": of_slot[slot],
                    "words_more": longer,
                }
            )
    return rows


def _verdict(
    ids: dict[str, Any],
    votes: list[dict[str, Any]],
    claims: list[dict[str, Any]],
    quality: float,
    rng: np.random.Generator,
) -> dict[str, Any]:
    blind = [vote["side"] for vote in votes if vote["panel"] == "blind"]
    ahead, behind = (blind.count(side) for side in SIDES)
    panel = "contested" if ahead == behind else SIDES[int(behind > ahead)]
    points = 20 + 5 * (quality + 0.5 * rng.standard_normal())
    own = [claim["fate"] == "survives" for claim in claims if claim["student"]]
    return {
        **ids,
        "winner": panel,
        "decided_by": "panel",
        "margin": "narrow",
        "votes_proposition": ahead,
        "votes_opposition": behind,
        "passes_agree": True,
        "panel": panel,
        "annotation": SIDES[int(points < 20)],
        "rubric": SIDES[int(rng.random() < 0.5)],
        "audit": "none",
        "points_proposition": points,
        "points_opposition": 20.0,
        "surviving_proposition": 3,
        "surviving_opposition": 3,
        "one_sided": False,
        "student_votes": ahead / len(blind) if blind else np.nan,
        "student_survival": float(np.mean(own)),
        "student_demolitions": float(np.mean(own[:4])),
    }
