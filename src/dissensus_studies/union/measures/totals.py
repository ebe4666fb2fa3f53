"""What debates come to: counts and means by speaker and by epoch, wherever they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from ..tables import CONTESTED, DIMENSIONS, FATES, LAYERS, SIDES, VERDICTS

Row = Mapping[str, Any]
Rows = list[dict[str, Any]]

#: Of verdicts, what an epoch has the mean of.
_MEANS = (
    *(f"points_{side}" for side in SIDES),
    *(f"surviving_{side}" for side in SIDES),
    *(name for name in VERDICTS.columns if name.startswith("student_")),
)


def by_speaker(speeches: Sequence[Row], scores: Sequence[Row], claims: Sequence[Row]) -> Rows:
    """Every speaker of every motion and arm, from rows of the artefacts of these names."""
    ids = ("motion_id", "arm", "speaker")
    spoken, scored, made = (_grouped(rows, ids) for rows in (speeches, scores, claims))
    rows = [_speaker(spoken[key], scored.get(key, []), made.get(key, [])) for key in sorted(spoken)]
    return sorted(rows, key=lambda row: (row["motion_id"], row["arm"], SIDES.index(row["side"])))


def _speaker(
    speeches: Sequence[Row], scores: Sequence[Row], claims: Sequence[Row]
) -> dict[str, Any]:
    surviving = [row["fate"] == FATES[0] for row in claims]
    return {
        **{name: speeches[0][name] for name in ("motion_id", "arm", "speaker", "side", "student")},
        "speeches": len(speeches),
        "words": mean(row["words"] for row in speeches),
        "length_kept": mean(row["length_kept"] for row in speeches),
        **{
            name: mean(row[name] for row in scores)
            for name in (*DIMENSIONS, "mean", "recalibrated", "rank")
        },
        "offered": sum(row["offered"] for row in speeches),
        "accepted": sum(row["accepted"] for row in speeches),
        "claims": len(claims),
        "claims_a_speech": round(len(claims) / len(speeches), 6),
        "surviving": sum(surviving),
        "survival": mean(surviving),
    }


def by_epoch(debates: Sequence[Row], verdicts: Iterable[Row]) -> Rows:
    """Every epoch of every motion and arm; means are over the debates that ended.

    Parameters
    ----------
    debates : rows of the artefact ``manifest``, of all that were drawn.
    verdicts : rows of the artefact of this name.
    """
    ids = ("motion_id", "arm", "epoch")
    judged = _grouped(verdicts, ids)
    return [
        {**dict(zip(ids, key, strict=True)), **_epoch(len(drawn), judged.get(key, []))}
        for key, drawn in sorted(_grouped(debates, ids).items())
    ]


def _epoch(debates: int, verdicts: Sequence[Row]) -> dict[str, Any]:
    winners, deciding = ([row[name] for row in verdicts] for name in ("winner", "decided_by"))
    judged = [row for row in verdicts if row["panel"] in (*SIDES, CONTESTED)]
    return {
        "debates": debates,
        "ended": len(verdicts),
        **{name: winners.count(name) for name in (*SIDES, CONTESTED)},
        **{f"by_{layer}": deciding.count(layer) for layer in (*LAYERS, "none")},
        "passes_agree": mean(row["passes_agree"] for row in judged),
        "one_sided": sum(row["one_sided"] for row in verdicts),
        "margins": " / ".join(
            str(sum(row["margin"] == each for row in verdicts))
            for each in ("narrow", "clear", "landslide")
        ),
        **{name: mean(row[name] for row in verdicts) for name in _MEANS},
    }


def _grouped(rows: Iterable[Row], names: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the known ones, of six decimals; None where none is known."""
    numbers = [value for value in values if value is not None and value == value]
    return round(fsum(numbers) / len(numbers), 6) if numbers else None


def share(rows: Iterable[Row], name: str, value: Any) -> float | None:
    """Share of the rows that have a value; None where there is no row."""
    return mean(row[name] == value for row in rows)
