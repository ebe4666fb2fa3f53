"""How the reader of debates shows this study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.language.outcomes import INDEX
from dissensus.report.declared import Details, Measure, Reader, Rows

Row = Mapping[str, Any]

READER = Reader(
    title="motion",
    measures=(
        Measure("metrics", "hi_z", f"{INDEX.title} (z)"),
        Measure("metrics", "s_lex", "Lexical similarity"),
        Measure("metrics", "s_sem", "Semantic similarity"),
        Measure("metrics", "tokens", "Tokens"),
    ),
    details="dissensus.language.reader:details",
    reads=("reuse",),
)


def details(row: Row, motion: Row, artefacts: Mapping[str, Sequence[Row]]) -> Details:
    """The sides, and what speakers say again of their own earlier turn."""
    return Details(
        sides={"P1": "Pro", "P2": "Pro", "O1": "Con", "O2": "Con"},
        tables=[
            Rows(
                "What each speaker says again of an earlier turn of its own",
                ("Speaker", "Turn", "Again in turn", "Characters", "Tokens"),
                [
                    (
                        pair["speaker"],
                        pair["first_turn"],
                        pair["second_turn"],
                        _share(pair["characters"]),
                        _share(pair["tokens"]),
                    )
                    for pair in artefacts["reuse"]
                ],
            )
        ],
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f}%"
