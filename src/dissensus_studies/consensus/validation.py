"""The paper's printed rows that cannot be."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.report.view import Artefacts, View
from dissensus.validation.sources import Data

from .figures.printed import table_printed

#: Column of the study's table -> what it says of a row.
_CHECKS = {
    "Dogmatic possible": "Dogmatic agents are at most those outside the largest group",
    "Possible of switches pooled": "Sycophancy as a share of all switches pooled",
    "Possible as a mean of debates": "Sycophancy as a mean of the debates' shares",
}


def printed(data: Data) -> Iterator[tuple[str, ...]]:
    """Of the rows of Tables 2 and 3, those that each check rules out."""
    table = table_printed(Artefacts({}), View("consensus", {}, simulated=False))
    for column, quantity in _CHECKS.items():
        place = table.columns.index(column)
        ruled_out = [f"{row[2]} ({row[1].lower()})" for row in table.rows if row[place] == "NO"]
        yield (
            "consensus",
            quantity,
            f"{len(table.rows)} rows of Tables 2 and 3",
            f"{len(ruled_out)} cannot be",
            ", ".join(ruled_out),
        )
