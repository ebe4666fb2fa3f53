"""A run of the union study as its artefacts have it, small enough to count by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dissensus.study.gather import outcomes_schema, turns_schema
from dissensus.tables.artefact import write

from ..measures.records import Drawn, reconstruct
from ..pages.debate import debate_page
from ..pages.run import Run, load
from ..tables import IDS, LAYERS, MANIFEST, MOTIONS, RECORDS
from .union_debates import MOTION, Script, golden, manifest_row, take_answered

ALWAYS_A = {1: ("A",) * 3, 2: ("A",) * 3}
DEFINITIONS = {
    "terms": [{"term": "lot", "definition": "a fair draw"}],
    "scope": "One chamber.",
    "exclusions": ["Courts."],
    "framing": "Who rules.",
}
CONTEST = {"accepted": ["lot"], "contested": ["scope"], "counter_framing": "Who answers."}
MEMO = {"worked": ["3.1"], "failed": ["5.1"], "missed": ["4.1"], "advice": ["Begin with 3.1."]}


def scripts() -> list[tuple[dict[str, Any], Script]]:
    """Debates of two epochs and arms, with every kind of verdict."""
    full = replace(
        golden(),
        definitions=DEFINITIONS,
        contest=CONTEST,
        offers={2: [("Ada", 2, "Is it?"), ("Ed", 2, "Why?")]},
        answers={2: ["It is."]},
    )
    return [
        (manifest_row(1, 1), full),
        (manifest_row(1, 1, "control"), replace(golden(), blind=ALWAYS_A)),
        (manifest_row(2, 1), replace(golden(), blind={})),
        (manifest_row(2, 1, "control"), Script()),
    ]


def make(
    folder: Path,
    debates: Sequence[tuple[dict[str, Any], Script]] | None = None,
    failed: Sequence[str] = (),
    memo: Any = MEMO,
    motion: dict[str, Any] = MOTION,
    points: Drawn = take_answered,
) -> dict[str, Path]:
    """The artefacts of a run in a folder: name -> file."""
    debates = scripts() if debates is None else debates
    rows = {row["session_id"]: row for row, _ in debates}
    session = manifest_row(2, 0, kind="memo", session_id="lots-e2-memo", order=[], lenses=[])
    rows["lots-e2-memo"] = session
    turns = {row["session_id"]: script.turns(row) for row, script in debates}
    turns["lots-e2-memo"] = Script(texts={}).turns(session)[:2]
    for turn, name in zip(turns["lots-e2-memo"], ("Cy", "Ed"), strict=True):
        turn |= {"speaker": name, "role": "memo", "text": json.dumps(memo)}
    ended = {name: turns[name] for name in rows if name not in failed}
    outcomes = [
        {
            **{name: row[name] for name in IDS},
            **{"attempts": 1, "repairs": 0, "compliant": None, "complete": name in ended},
            "failure": "" if name in ended else "speech 1 was refused | <b>twice</b>",
        }
        for name, row in rows.items()
    ]
    found = reconstruct(ended, rows, {"lots": motion}, LAYERS, points)
    said = [turn for one in ended.values() for turn in one]
    paths = {name: folder / f"{name}.parquet" for name in RECORDS}
    for name, schema in RECORDS.items():
        write(paths[name], schema, getattr(found, name), {})
    for name, schema, made in (
        ("motions", MOTIONS, [motion]),
        ("manifest", MANIFEST, list(rows.values())),
        ("outcomes", outcomes_schema(IDS), outcomes),
        ("turns", turns_schema(IDS), said),
    ):
        paths[name] = folder / f"{name}.parquet"
        write(paths[name], schema, made, {})
    return paths


def loaded(paths: dict[str, Path], session: str = "", simulated: bool = True) -> Run:
    return load(paths, simulated, session=session)


def page_of(paths: dict[str, Path], session: str) -> str:
    return debate_page(loaded(paths, session), session)


def cells(text: str, first: str) -> list[list[str]]:
    """Rows of the Markdown table whose header begins with a word."""
    lines = text.split("\n")
    (start,) = (n for n, line in enumerate(lines) if line.startswith(f"| {first} "))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows
