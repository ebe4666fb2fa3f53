"""What is planted in simulated models, beside what the run's estimators made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from dissensus.report.labels import MISSING, counted, estimate, number, p_value
from dissensus.report.tables import Table, make
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, flag, share, text
from dissensus.tables.common import number as numbers

_UNIT = "of the effect"
#: From it on a planted effect is one that a run should find.
_POWER = 0.9

TRUTH = Schema(
    name="truth",
    row="effect whose truth is known, in a run with simulated models",
    columns={
        "study": text("Name of the study."),
        "effect": text("What is compared in which outcome, with its unit."),
        "planted": numbers("True value under the simulated models.", _UNIT),
        "planted_se": numbers(
            "Standard error of the true value, from simulating it; 0 where it is exact.", _UNIT
        ),
        "none": numbers("The value that stands for no effect.", _UNIT),
        **common("estimate?", "ci_low?", "ci_high?", "p_value?", "p_adjusted?", "n"),
        "power": share(
            "Share of simulated studies that find the effect, and in identity a formula from how "
            "much the run's questions vary; missing where there is none."
        ),
        "found": flag(
            "Whether p_adjusted, or p_value where no family is adjusted over, is below one minus "
            "the level of the intervals."
        ),
    },
    key=("study", "effect"),
)


@dataclass(frozen=True)
class Truth:
    """A true value, and the standard error of its simulation; 0 where it is exact."""

    value: float
    se: float = 0.0


@dataclass(frozen=True)
class Effect:
    """An effect that is planted, or planted to be none, beside the run's estimate.

    Attributes
    ----------
    words : what is compared in which outcome, with its unit.
    truth : under the simulated models.
    row : the estimate: ``estimate``, ``ci_low``, ``ci_high``, ``p_value``, ``n``, and
        ``p_adjusted`` where it is one of a family.
    power : share of such studies that find it; NaN where nobody knows it, or nothing is there.
    none : the value that stands for no effect.
    """

    words: str
    truth: Truth
    row: Mapping[str, Any]
    power: float = nan
    none: float = 0.0

    @property
    def p_values(self) -> tuple[float | None, float | None]:
        """Before and after adjustment; None where there is none."""
        return _known(self.row["p_value"]), _known(self.row.get("p_adjusted"))

    def is_found(self, alpha: float) -> bool:
        """Whether it is significant, after adjustment where it is one of a family."""
        p_value, adjusted = self.p_values
        decisive = p_value if adjusted is None else adjusted
        return decisive is not None and decisive < alpha


@dataclass(frozen=True)
class Diagnosed:
    """What the design diagnosis says of these very settings.

    Attributes
    ----------
    rows : (world, estimator) -> ``true``, ``true_se`` and ``rejection``.
    """

    rows: Mapping[tuple[str, str], Mapping[str, float]]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Diagnosed:
        """From rows of the stored diagnosis."""
        return cls({(row["world"], row["estimator"]): row for row in rows})

    def truth(self, world: str, estimator: str) -> Truth | None:
        """The true value in a world; None where the diagnosis has no such world."""
        row = self.rows.get((world, estimator))
        return Truth(row["true"], row["true_se"]) if row else None

    def power(self, world: str, estimator: str) -> float:
        """The share of studies in a world that find the effect; NaN without such a world."""
        row = self.rows.get((world, estimator))
        return row["rejection"] if row else nan


def truth_rows(study: str, effects: Iterable[Effect], confidence: float) -> list[dict[str, Any]]:
    """Rows of :data:`TRUTH`.

    Parameters
    ----------
    study : its name.
    effects : those that the run has an estimate of; others are left out.
    confidence : level of the intervals, and one minus that of the tests.
    """
    return [
        {
            "study": study,
            "effect": effect.words,
            "planted": effect.truth.value,
            "planted_se": effect.truth.se,
            "none": effect.none,
            **{name: _known(effect.row[name]) for name in ("estimate", "ci_low", "ci_high")},
            **dict(zip(("p_value", "p_adjusted"), effect.p_values, strict=True)),
            "n": int(effect.row["n"]),
            "power": _known(effect.power) if effect.truth.value != effect.none else None,
            "found": effect.is_found(1.0 - confidence),
        }
        for effect in effects
        if _known(effect.row["estimate"]) is not None
    ]


def table_truth(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Truth beside estimate, for all studies of a run."""
    columns = (
        *("Study", "Effect", "Planted", "Estimate", "n", "p", "p (Holm)", "Power"),
        *("Found", "Interval holds the truth"),
    )
    note = (
        "What the simulated models have in them, and what the analysis, which does not know it, "
        "makes of their debates. Planted: the true value, by a formula of the models' settings; "
        "or, with its standard error in brackets, by a large simulation of the same debates "
        "(diagnosis.csv of the study). p (Holm): adjusted where the estimate is one of a "
        "family. Power: the share of simulated studies of this design that find the effect; in "
        "the identity study a formula, from how much the run's own questions vary. "
        "Found: p, adjusted where it can be, is below one minus the level of the intervals, which "
        "stand behind the estimates. An effect "
        "that is planted to be none is found in that share of runs, by chance. Real models have "
        "no known truth, and their runs no such table."
    )
    return make(
        "table_truth",
        "What was planted, and what was found",
        columns,
        [*map(_cells, rows)],
        note,
        simulated=True,
    )


def tally(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many planted effects were found, and of those that are none, in a sentence."""
    planted = [row for row in rows if row["planted"] != row["none"]]
    sure = [row["found"] for row in planted if (row["power"] or 0.0) >= _POWER]
    weak = [row["found"] for row in planted if (row["power"] or 0.0) < _POWER]
    nothing = [row["found"] for row in rows if row["planted"] == row["none"]]
    others = f"of {len(weak)} with less power, {sum(weak)}" if weak else ""
    none = f"of {len(nothing)} planted to be none, {sum(nothing)}" if nothing else ""
    if not sure:
        known = [f"{sum(weak)} of {len(weak)} with less power"] * bool(weak)
        known += [f"{sum(nothing)} of {len(nothing)} planted to be none"] * bool(nothing)
        return (
            "No effect with a known power of "
            f"{_POWER:g} or more is planted in the simulated models"
            + (f"; found: {', and '.join(known)}." if known else ".")
        )
    first = (
        f"Of {counted(len(sure), 'effect')} planted in the simulated models with a power of "
        f"{_POWER:g} or more, the analysis finds {sum(sure)}"
    )
    return "; ".join(part for part in (first, others, none) if part) + "."


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    planted = number(row["planted"], minus="−")
    if row["planted_se"]:
        planted += f" ({number(row['planted_se'])})"
    low, high = row["ci_low"], row["ci_high"]
    holds = MISSING
    if low is not None and high is not None:
        holds = "yes" if low <= row["planted"] <= high else "no"
    return (
        row["study"],
        row["effect"],
        planted,
        estimate(row["estimate"], low, high).replace("-", "−"),
        str(row["n"]),
        p_value(row["p_value"]),
        p_value(row["p_adjusted"]),
        number(row["power"], 2),
        "found" if row["found"] else "not found",
        holds,
    )


def _known(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)
