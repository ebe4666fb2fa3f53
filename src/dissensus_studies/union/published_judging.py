"""The published debates of the source as this study's own turns, and its tables of these.

Their figures become the turns that a debate of this study has, with a stand-in for each text; the
study reads claims, rebuttals, votes and scores from these, tallies them and fills its tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from dissensus.validation.sources import Data

from .measures.debate import Offered, Speech
from .measures.records import Tables, reconstruct
from .published import CLAIMS, DEBATES, MAP, POINTS, REBUTTALS, SPEECHES, VOTES
from .tables import LAYERS, SIDES

Row = dict[str, Any]
#: Stands for each text, none of which is kept.
_WORD = "word"
_DIMENSIONS = {
    "argument_strength": "argument",
    "rebuttal_quality": "rebuttal",
    "evidence_grounding": "evidence",
    "rhetorical_effectiveness": "rhetoric",
    "persona_fidelity": "persona",
}


class Source:
    """The figures by debate, as numbers and flags."""

    def __init__(self, data: Data) -> None:
        self.debates = data.figures(DEBATES).to_dict("records")
        self.of = {
            name: _by_debate(data.figures(name))
            for name in (SPEECHES, POINTS, CLAIMS, REBUTTALS, VOTES)
        }
        self.map = data.figures(MAP)

    def rows(self, name: str, debate: str) -> list[Row]:
        """The rows of a debate."""
        return self.of[name].get(debate, [])


def _by_debate(frame: pd.DataFrame) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for row in frame.to_dict("records"):
        rows.setdefault(str(row["debate"]), []).append({str(k): v for k, v in row.items()})
    return rows


def judged(source: Source) -> Tables:
    """The study's tables of all debates: turns in, what was said and judged out."""
    manifest, motions, sessions = {}, {}, {}
    for debate in (row["debate"] for row in source.debates):
        session = f"published-{int(debate):02}"
        speeches = source.rows(SPEECHES, debate)
        seats: dict[str, list[str]] = {name: [] for name in SIDES}
        for row in speeches:
            seats[row["side"]].append(_seat(row["speech"]))
        students = [_seat(row["speech"]) for row in speeches if row["student"] == "True"]
        manifest[session] = {
            **{"session_id": session, "kind": "debate", "motion_id": session, "arm": "published"},
            **{"epoch": 1, "run": int(debate)},
        }
        motions[session] = {**seats, "students": students}
        sessions[session] = [*_turns(source, debate)]

    def points(session: Mapping[str, Any], speech: Speech) -> Sequence[tuple[Offered, bool]]:
        rows = source.rows(POINTS, str(session["run"]))
        taken = [row for row in rows if int(row["speech"]) == speech.number]
        return [(Offered(_seat(row["by"]), 1, _WORD), row["accepted"] == "True") for row in taken]

    return reconstruct(sessions, manifest, motions, LAYERS, points)


def _seat(speech: str) -> str:
    return f"S{speech}"


def _turns(source: Source, debate: str) -> Iterator[Row]:
    """A debate's turns as the study has them."""
    speeches = source.rows(SPEECHES, debate)
    for row in speeches:
        text = " ".join([_WORD] * int(row["words"]))
        yield _turn("speech", _seat(row["speech"]), text)
        for point in source.rows(POINTS, debate):
            if point["speech"] == row["speech"] and point["accepted"] == "True":
                yield _turn("answer", _seat(row["speech"]), _WORD)
    for row in speeches:
        if row["argument"]:
            scores = {name: float(row[column]) for name, column in _DIMENSIONS.items()}
            yield _turn("rubric", f"rubric:{_seat(row['speech'])}", scores)
    claims = source.rows(CLAIMS, debate)
    if claims:
        yield from _annotated(speeches, claims, source.rows(REBUTTALS, debate))
    for row in source.rows(VOTES, debate):
        vote = {"winner": "AB"[SIDES.index(row["side"])], "reason": ""}
        yield _turn("blind", f"blind:1:{row['judge']}", vote)


def _annotated(
    speeches: Sequence[Row], claims: Sequence[Row], rebuttals: Sequence[Row]
) -> Iterator[Row]:
    """Claims by speech, then the rebuttals of each side."""
    ids: dict[str, str] = {}
    for row in speeches:
        own = [claim for claim in claims if claim["speech"] == row["speech"]]
        for place, claim in enumerate(own, start=1):
            ids[claim["claim"]] = f"{row['speech']}.{place}"
        found = [
            {"text": _WORD, "type": claim["kind"], "specific": claim["specific"] == "True"}
            for claim in own
        ]
        yield _turn("claims", f"claims:{_seat(row['speech'])}", {"claims": found})
    side_of = {row["speech"]: row["side"] for row in speeches}
    for side in SIDES:
        found = [
            {
                **{"target": ids.get(row["claim"], row["claim"]), "speech": int(row["speech"])},
                **{name: row[name] == "True" for name in ("logic", "new", "undermines")},
            }
            for row in rebuttals
            if side_of[row["speech"]] == side
        ]
        yield _turn("rebuttals", f"rebuttals:{side}", {"rebuttals": found})


def _turn(role: str, speaker: str, said: str | Mapping[str, Any]) -> Row:
    text = said if isinstance(said, str) else json.dumps(said)
    return {"role": role, "speaker": speaker, "model": "published", "text": text}
