"""What the script of the map's page is given, and how it is written so that it stays data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.escaping import line, plain
from dissensus.report.labels import MISSING, interval, p_value, percent, signed

from ..tables import CONTESTED, FATES, KINDS, SIDES
from .colours import colour_of

Row = Mapping[str, Any]

#: Columns of a claim of which the page has each value once, and for the claim its place.
_NAMED = ("session_id", "motion_id", "speaker", "side", "fate", "winner", "kind")
#: The values of some, in the order in which readers get them.
_ORDERED = {"side": SIDES, "fate": FATES, "winner": (*SIDES, CONTESTED), "kind": KINDS}
#: Letters that begin or end something in HTML, and line ends of JavaScript.
_MARKS = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def page_data(
    claims: Sequence[Row], clusters: Sequence[Row], motions: Mapping[str, str], confidence: float
) -> dict[str, Any]:
    """The data of the page.

    Parameters
    ----------
    claims : rows of ``map.parquet``; a claim whose cluster has no row is in none.
    clusters : rows of ``clusters.parquet``, in the order of their numbers on the page.
    motions : motion_id -> the motion, of all motions with claims.
    confidence : level of the intervals.

    Returns
    -------
    ``values``: column -> the values that occur; ``claims``: column -> an entry a claim, for a
    column of ``values`` a place in these, and for ``cluster`` a place in ``clusters`` or -1;
    ``clusters``: a mapping each; ``motions``: texts in the order of ``values``.
    """
    values = {name: _values(claims, name) for name in _NAMED}
    places = {name: {value: i for i, value in enumerate(values[name])} for name in _NAMED}
    numbers = {row["cluster"]: i for i, row in enumerate(clusters)}
    columns: dict[str, list[Any]] = {
        name: [places[name][row[name]] for row in claims] for name in _NAMED
    }
    columns["cluster"] = [numbers.get(row["cluster"], -1) for row in claims]
    columns["claim_id"] = [line(row["claim_id"]) for row in claims]
    columns["text"] = [plain(row["text"]) for row in claims]
    for axis in ("x", "y"):
        columns[axis] = [round(float(row[axis]), 4) for row in claims]
    return {
        "values": {name: [line(value) for value in column] for name, column in values.items()},
        "claims": columns,
        "clusters": [_cluster(row, confidence) for row in clusters],
        "motions": [line(motions[name]) for name in values["motion_id"]],
        "confidence": confidence,
    }


def as_json(data: Any) -> str:
    """JSON that may stand in an element ``script``: nothing in it is a mark of HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_MARKS)


def _values(claims: Sequence[Row], name: str) -> list[str]:
    present = {row[name] for row in claims}
    ordered = [value for value in _ORDERED.get(name, ()) if value in present]
    return [*ordered, *sorted(present.difference(ordered))]


def _cluster(row: Row, confidence: float) -> dict[str, Any]:
    """A cluster's texts, the numbers of its charts, and its facts as readers see them."""
    numbers = ("survives", "survives_low", "survives_high", "lift", "p_adjusted")
    return {
        "number": row["cluster"],
        "colour": colour_of(row["cluster"]),
        "name": line(row["name"]),
        "description": plain(row["description"]),
        "example": plain(row["example"]),
        **{name: _number(row[name]) for name in numbers},
        "p": p_value(row["p_adjusted"]),
        "facts": facts(row, confidence),
    }


def facts(row: Row, confidence: float) -> list[tuple[str, str]]:
    """What was estimated of a cluster, each with its name."""
    level = percent(confidence)
    return [
        (
            f"Claims that survive [{level} interval]",
            f"{percent(row['survives'])} {span(row['survives_low'], row['survives_high'])}",
        ),
        ("Win share of the sides that make them", percent(row["won"])),
        ("Lift over the sides’ base rate", points(row["lift"])),
        ("p of the lift, permutation", p_value(row["p_value"])),
        ("p adjusted, Holm", p_value(row["p_adjusted"])),
        ("p adjusted, Benjamini–Hochberg", p_value(row["p_bh"])),
        *(
            (
                f"Part of the students’ claims, {arm}, first → last epoch",
                f"{percent(row[f'first_epoch{end}'])} → {percent(row[f'last_epoch{end}'])}",
            )
            for arm, end in (("coached", ""), ("control", "_control"))
        ),
    ]


def points(value: float | None) -> str:
    """A difference of shares in percentage points."""
    text = signed(None if value is None else 100 * value, 1)
    return text if text == MISSING else f"{text} pp"


def span(low: float | None, high: float | None) -> str:
    """The interval of a share, in per cent."""
    first, last = (None if limit is None else 100 * limit for limit in (low, high))
    shown = interval(first, last, 1)
    return "" if shown == MISSING else shown


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)
