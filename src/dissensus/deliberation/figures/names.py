"""What the study's figures and tables are called; their files are named so."""

from __future__ import annotations

FIGURES = ("trajectories", "control", "ignored_claims", "contrasts", "debate_graph")

TABLES = (
    "table_arms",
    "table_contrasts",
    "table_outcomes",
    "table_silence",
    "table_hints",
    "table_references",
    "table_pairs",
    "table_calls",
    "table_control",
    "table_influence",
)
