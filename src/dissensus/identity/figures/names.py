"""What the figures and tables are called; the Snakefile lists its outputs by these."""

from __future__ import annotations

FIGURES = ("conformity", "peers", "rounds", "ibc_power")

#: The paper's seven by number, then the study's own.
TABLES = (
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "table_5",
    "table_6",
    "table_7",
    "table_printed",
    "table_dcm",
    "table_ibc",
    "table_rounds",
    "table_goodness",
    "table_martingale",
    "table_conduct",
    "table_power",
)
