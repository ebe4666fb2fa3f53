"""A design diagnosed by simulation: whole studies drawn, and estimated by the study's own code.

In the manner of DeclareDesign (Blair, Cooper, Coppock & Humphreys 2019, American Political Science
Review 113:838-859): declare a model of the world, draw data from it many times, and see how far
the estimators are to be believed. A study declares its worlds, and a function that draws one study
in each of them and estimates it; the rest is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dissensus.design.contrasts import METHODS, Options, compare, defined
from dissensus.design.pairs import Pairs
from dissensus.stats.checks import FloatArray
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN, Estimate
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import count, share, text
from dissensus.tables.common import number as numbers

_UNIT = "of what is estimated"
_number = partial(numbers, unit=_UNIT)

DIAGNOSIS = Schema(
    name="design_diagnosis",
    row="simulated world, true value and estimator",
    columns={
        "world": text("Name of the simulated world."),
        "estimand": text("What is estimated, with its unit."),
        "true": Column("float", "True value in the simulated world.", _UNIT),
        "true_se": Column(
            "float", "Standard error of the true value, from simulating it; 0 where exact.", _UNIT
        ),
        "estimator": text("Name of the estimator or test that is diagnosed."),
        "simulations": count("How many simulated studies the estimator gave a result in."),
        "mean": _number("Mean estimate over the simulated studies."),
        "bias": _number("Mean estimate less the true value."),
        "bias_se": _number("Standard error of the bias, from simulating so many studies."),
        "sd": _number("Standard deviation of the estimates over the simulated studies."),
        "rmse": _number("Root mean square error of the estimates."),
        "coverage": share("Share of the intervals that hold the true value."),
        "coverage_se": share("Standard error of the coverage, from simulating so many studies."),
        "width": _number("Mean width of the intervals."),
        "rejection": share("Share of the tests that are significant: size or power."),
        "rejection_se": share("Standard error of that share, from simulating so many studies."),
        "smallest": _number(
            "Smallest effect that 80% of the intervals would tell from none, where it shifts every "
            "session alike."
        ),
        "items": Column("int?", "Items of the simulated studies, where a diagnosis varies them."),
        "usd": numbers(
            "Expected price of a study of so many items; missing where no price is known.",
            "US dollars",
        ),
        "type_s": share("Share of the significant estimates that have the wrong sign."),
        "saved": share("Mean share of the draws that a study which may stop did not run."),
        "saved_se": share("Standard error of that share, from simulating so many studies."),
    },
    key=("world", "true", "estimator"),
)

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Share of studies that are to find an effect.
POWER = 0.8

#: After a method's name: its p-values adjusted over the arms.
HOLM = "_holm"


@dataclass(frozen=True, slots=True)
class Sequential(Estimate):
    """An estimate of a study that may stop, with the share of its draws that it did not run."""

    saved: float = NAN


@dataclass(frozen=True)
class World:
    """A planted truth.

    Attributes
    ----------
    name : of what data are like there.
    true : value of what is estimated.
    estimators : whose rows the world has.
    true_se : standard error of ``true`` where it is simulated too.
    items : of a study, where worlds differ in that.
    """

    name: str
    true: float
    estimators: tuple[str, ...]
    true_se: float = 0.0
    items: int | None = None


#: From the number of a simulated study to its estimates: estimator -> estimate, for each world.
Simulation = Callable[[int], Sequence[Mapping[str, Estimate]]]


def run_worlds(
    worlds: Sequence[World],
    estimand: str,
    simulate: Simulation,
    simulations: int,
    confidence: float,
    cores: int = 1,
) -> list[dict[str, Any]]:
    """What estimators do in worlds whose truth is known.

    Parameters
    ----------
    worlds : in the order of the rows.
    estimand : what is estimated, with its unit.
    simulate : draws one study in every world and estimates it, from a random stream of its own. An
        estimate's fields are NaN where the estimator does not define them.
    simulations : studies drawn.
    confidence : level of the intervals, and one minus that of the tests.
    cores : processes that share the work; no result depends on it. With more than one,
        ``simulate`` must be picklable.

    Returns
    -------
    Rows of :data:`DIAGNOSIS`. Studies in which an estimator defines nothing are not counted in
    ``simulations``. ``rejection`` is the share of p-values below one minus ``confidence``: the
    test's size where the true value is 0, else its power. ``type_s`` is the share of significant
    estimates of the wrong sign (Gelman & Carlin 2014). Standard errors are those of simulation.
    """
    studies = over_cores(simulate, range(simulations), cores, 4)
    nothing = Estimate(NAN)
    rows = []
    for place, world in enumerate(worlds):
        for name in world.estimators:
            estimates = (study[place].get(name, nothing) for study in studies)
            fields = [
                (
                    *(estimate.estimate, estimate.ci_low, estimate.ci_high, estimate.p_value),
                    getattr(estimate, "saved", NAN),
                )
                for estimate in estimates
            ]
            values = np.array(fields, dtype=np.float64).reshape(-1, 5)
            performance = _performance(values, world.true, 1.0 - confidence)
            named = {"world": world.name, "estimand": estimand, "items": world.items, "usd": None}
            named["estimator"] = name
            truth = {"true": world.true, "true_se": world.true_se}
            rows.append(named | truth | performance)
    return rows


def over_cores(
    function: Callable[[Item], Result], items: Sequence[Item], cores: int, chunk: int = 1
) -> list[Result]:
    """What a function makes of each item, in order.

    Parameters
    ----------
    function, items : picklable where there is more than one core.
    cores : processes that share the work; no result depends on it.
    chunk : items that a process takes at once.
    """
    # A script that Snakemake runs cannot be imported by a process that starts from nothing.
    if cores < 2 or "fork" not in get_all_start_methods():
        return [function(item) for item in items]
    with ProcessPoolExecutor(cores, get_context("fork")) as pool:
        return list(pool.map(function, items, chunksize=chunk))


def _performance(simulated: FloatArray, true: float, alpha: float) -> dict[str, Any]:
    """How one estimator did in one world; ``simulated`` is (simulations, 5)."""
    estimates, low, high, p_values, saved = simulated[~np.isnan(simulated).all(axis=1)].T
    finite = estimates[np.isfinite(estimates)]
    n, errors = len(finite), finite - true
    sd = float(finite.std(ddof=1)) if n > 1 else NAN
    spanned = ~np.isnan(low)
    tested = ~np.isnan(p_values)
    significant = tested & (p_values < alpha)
    coverage, coverage_se = _share(((low <= true) & (true <= high))[spanned])
    rejection, rejection_se = _share(significant[tested])
    signed = significant & np.isfinite(estimates)
    saved = saved[~np.isnan(saved)]
    wrong, _ = _share(np.sign(estimates[signed]) != np.sign(true))
    performance = {
        "mean": float(finite.mean()) if n else NAN,
        "bias": float(finite.mean()) - true if n else NAN,
        "bias_se": sd / n**0.5 if n else NAN,
        "sd": sd,
        "rmse": float(np.sqrt((errors**2).mean())) if n else NAN,
        "coverage": coverage,
        "coverage_se": coverage_se,
        "width": float((high - low)[spanned].mean()) if spanned.any() else NAN,
        "smallest": _smallest(low[spanned] - true, high[spanned] - true),
        "rejection": rejection,
        "rejection_se": rejection_se,
        "type_s": wrong if true else NAN,
        "saved": float(saved.mean()) if len(saved) else NAN,
        "saved_se": float(saved.std() / len(saved) ** 0.5) if len(saved) else NAN,
    }
    return {"simulations": len(p_values)} | {
        name: defined(value) for name, value in performance.items()
    }


def _smallest(low: FloatArray, high: FloatArray) -> float:
    """The smallest shift after which :data:`POWER` of the intervals lie on its side of 0.

    Parameters
    ----------
    low, high : limits less the true value, one a study.

    Returns
    -------
    The larger of a shift upwards and one downwards; NaN where no interval is known.
    """
    if not len(low):
        return NAN
    # Between two intervals without an end lies none.
    with np.errstate(invalid="ignore"):
        return float(max(np.quantile(-low, POWER), np.quantile(high, POWER)))


def _share(flags: NDArray[np.bool_]) -> tuple[float, float]:
    """A share, and its standard error."""
    if not len(flags):
        return NAN, NAN
    share = float(flags.mean())
    return share, float(np.sqrt(share * (1.0 - share) / len(flags)))


def contrast_estimates(pairs: Pairs, options: Options) -> dict[str, Estimate]:
    """One contrast by every method; nothing where a method has no test."""
    estimates = compare(pairs, options).items()
    return {
        name: estimate if estimate.p_value == estimate.p_value else Estimate(NAN)
        for name, estimate in estimates
    }


def with_family(
    first: dict[str, Estimate], others: Sequence[dict[str, Estimate]], has_effect: bool
) -> dict[str, Estimate]:
    """A contrast alone and, with the ending :data:`HOLM`, adjusted with the others of its study.

    Parameters
    ----------
    first, others : method -> estimate.
    has_effect : whether the first has one, and its p-value counts; else the smallest of all does.
    """
    families = {}
    for name in METHODS:
        adjusted = adjust([contrast[name].p_value for contrast in (first, *others)], "holm")
        # Not `nanmin`, which warns where a method has no p-value at all.
        smallest = adjusted[0] if has_effect else np.fmin.reduce(adjusted)
        families[name + HOLM] = Estimate(NAN, p_value=float(smallest))
    return first | families
