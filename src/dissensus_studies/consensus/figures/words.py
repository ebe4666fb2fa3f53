"""Numbers of the consensus study as tables and captions word them."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any

import pandas as pd

from dissensus.design.contrasts import HEADLINE
from dissensus.design.declared import ALL
from dissensus.report import frames
from dissensus.report.labels import estimate
from dissensus.report.view import Artefacts, View

from ..design import DEBATE
from ..learning.inference import CLAIM, claim_p, one_sided
from ..outcomes import OUTCOMES, PRIMARY

#: How a value that is planted in simulated agents is drawn.
TICK = "A tick marks what simulated agents' equations plant."
DOTTED = "Dotted: what simulated agents' equations plant."


def panel(outcome: str, letter: str, unit: str) -> tuple[str, float]:
    """The title of an outcome's panel, and what its values are multiplied by."""
    declared = OUTCOMES[outcome]
    title = f"{declared.title}, {unit}" if unit else declared.title
    return f"{letter}  {fill(title, 40)}", declared.times


def percent_of(row: Mapping[str, Any] | Any, digits: int = 1) -> str:
    """A share as a percentage with its interval, such as "12.5 [3.1, 20.0]%"."""
    return f"{cell(row, 100.0, digits)}%"


def with_share(view: View, row: Mapping[str, Any]) -> str:
    """The arm of an estimate with its share, such as "CCAgent 88.9 [71.9, 96.1]%"."""
    return f"{view.arm_of(row)} {percent_of(row)}"


def cell(row: Mapping[str, Any] | Any, scale: float = 1.0, digits: int = 2) -> str:
    """An estimate with its interval, where it has one."""
    value, low, high = (
        None if pd.isna(row[name]) else scale * row[name]
        for name in ("estimate", "ci_low", "ci_high")
    )
    return estimate(value, low, high, digits)


def attrition(artefacts: Artefacts, **drawn: Any) -> str:
    """How many debates that are compared, or are drawn, came through: "143 of 144 debates"."""
    return frames.attrition(artefacts, "debate", kind=DEBATE, **drawn)


def planted_words(planted: pd.Series[float], sentence: str) -> str:
    """A sentence on how planted values are drawn; "" where none are."""
    return sentence if planted.notna().any() else ""


def claimed(artefacts: Artefacts) -> float | None:
    """The p-value of :func:`~.learning.inference.claim_p`, a fact."""
    comparisons = artefacts.facts("ablations").rows(
        question=CLAIM, domain=ALL, outcome=PRIMARY, method=HEADLINE
    )
    ones = [
        row.derived("p_value / 2" if row["estimate"] > 0 else "1 - p_value / 2", p)
        for row in comparisons
        if (p := one_sided(row)) is not None
    ]
    return max(ones, default=None) if claim_p(comparisons) is not None else None
