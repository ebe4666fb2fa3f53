"""What all that an experiment estimates does in simulated worlds: its level, power and coverage.

:mod:`~dissensus.study.experiment.diagnosis` is of the headline alone, for some numbers of items.
Here every row of ``contrasts`` is estimated that the study declares, in as many simulated studies
as are asked for. Sessions are played once, in the same libraries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.design.contrasts import HEADLINE, Options
from dissensus.design.diagnosis import over_cores
from dissensus.design.manifest import stream
from dissensus.digests import seed_of
from dissensus.stats.balance import clopper_pearson
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import NAN
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import compare
from dissensus.study.experiment.diagnosis import Library
from dissensus.study.experiment.factors import SLOPE

if TYPE_CHECKING:
    from dissensus.study.experiment.design import ExperimentDesign

Row = Mapping[str, Any]
#: What names an estimate: its words, its outcome and the method.
Key = tuple[str, str, str]
#: Patterns of a test at most, and resamples: a p-value that is off by .02 changes no level much.
_FLIPS = 500

ALIKE, DIFFER, PLANTED = "alike", "differ", "planted"
#: World -> what is true there.
WORDS = {
    ALIKE: "Sharp null: every arm plays the reference, and levels change places at random.",
    DIFFER: "Null in the mean: in each cluster the arms, and the levels, have changed places as a "
    "whole, so that clusters differ in what these change, evenly about nothing.",
    PLANTED: "As the simulated models are: the truth is what the library of sessions comes to.",
}


@dataclass(frozen=True)
class Told:
    """What one test, or one interval, did in a world.

    Attributes
    ----------
    contrast, outcome, method : of the estimate.
    truth : of what is estimated.
    found : studies in which p was at most one minus the level of the intervals.
    tested : studies that had a p-value.
    covered : studies whose interval holds the truth.
    spanned : studies that had an interval.
    """

    contrast: str
    outcome: str
    method: str
    truth: float
    found: int
    tested: int
    covered: int
    spanned: int

    def rejection(self, confidence: float = 0.95) -> tuple[float, float, float]:
        """The share of tests that found something, with its Monte Carlo interval."""
        return _share(self.found, self.tested, confidence)

    def coverage(self, confidence: float = 0.95) -> tuple[float, float, float]:
        """The share of intervals that hold the truth, with its Monte Carlo interval."""
        return _share(self.covered, self.spanned, confidence)


@dataclass(frozen=True)
class World:
    """One simulated world.

    Attributes
    ----------
    name : one of :data:`WORDS`.
    told : of every estimate that is tested or has an interval.
    families : family and method -> studies in which anything of it was found after Holm's
        adjustment, and studies that had it; in worlds where nothing is true.
    sessions : that were played for it.
    """

    name: str
    told: Sequence[Told]
    families: Mapping[tuple[str, str], tuple[int, int]]
    sessions: int


def worlds(
    study: ExperimentDesign,
    items: Mapping[str, Row],
    models: Mapping[str, Row],
    simulations: int,
    seed: int,
    cores: int = 1,
    is_null: bool = False,
    size: int = 0,
) -> list[World]:
    """Simulated studies, estimated by all that the study declares.

    Parameters
    ----------
    study, items, models, seed, cores : as for
        :func:`~dissensus.study.experiment.diagnosis.diagnose`.
    simulations : studies in each world.
    is_null : whether nothing is true, sharply and in the mean; else all is as the models are.
    size : items of a study; as many as there are where it is 0.
    """
    design = Compared.of(type(study))
    options = Options(study.settings.inference.confidence, _FLIPS, seed)
    made = []
    for name in (ALIKE, DIFFER) if is_null else (PLANTED,):
        library = Library.play(study, items, models, seed, cores, name == ALIKE, is_whole=True)
        rows = compare(library.metrics, design, replace(options, flips=2))
        truths = {_key(row): 0.0 if is_null else row["estimate"] for row in rows}
        kept = {_key(row) for row in rows if not is_null or _is_difference(row)}
        simulate = partial(
            _simulated, library=library, design=design, options=options, name=name,
            items=size or len(items),
        )  # fmt: skip
        studies = over_cores(simulate, range(simulations), cores, 4)
        told = list(_told(studies, truths, kept, 1.0 - options.confidence))
        families = _families(studies, kept, 1.0 - options.confidence) if is_null else {}
        made.append(World(name, told, families, len(library.metrics)))
    return made


def _key(row: Row) -> Key:
    return str(row["contrast"]), str(row["outcome"]), str(row["method"])


def _is_difference(row: Row) -> bool:
    """Whether it is 0 where nothing is true: no mean of an arm, or at a level."""
    return bool(row["reference"] or row["base"] or SLOPE in row["level"])


def _simulated(
    number: int, library: Library, design: Compared, options: Options, name: str, items: int
) -> dict[Key, tuple[float, ...]]:
    """One study: estimate -> p-value, limits, adjusted p-value, whether it is of the headline."""
    rng = stream(options.seed, "world", name, number)
    drawn = library.draw(items, rng, is_turned=name == DIFFER)
    seeded = replace(options, seed=seed_of(options.seed, name, number))
    rows = compare(drawn, design, seeded)
    main = {(row["contrast"], row["outcome"]) for row in rows if row["headline"]}
    return {
        _key(row): (
            *(NAN if row[of] is None else row[of] for of in _NUMBERS),
            float((row["contrast"], row["outcome"]) in main),
        )
        for row in rows
    }


_NUMBERS = ("p_value", "ci_low", "ci_high", "p_adjusted")


def _told(
    studies: Sequence[Mapping[Key, tuple[float, ...]]],
    truths: Mapping[Key, float | None],
    kept: Iterable[Key],
    alpha: float,
) -> Iterator[Told]:
    for key in truths:
        if key not in kept:
            continue
        p, low, high, *_ = _column(studies, key).T
        truth = truths[key]
        true = NAN if truth is None else float(truth)
        spanned = np.isfinite(low) & np.isfinite(high)
        covered = int(((low <= true) & (true <= high))[spanned].sum())
        tested = np.isfinite(p)
        if tested.any() or spanned.any():
            found = int((p[tested] <= alpha).sum())
            yield Told(*key, true, found, int(tested.sum()), covered, int(spanned.sum()))


def _column(studies: Sequence[Mapping[Key, tuple[float, ...]]], key: Key) -> FloatArray:
    nothing = (NAN,) * (len(_NUMBERS) + 1)
    return np.array([study.get(key, nothing) for study in studies], dtype=np.float64)


def _families(
    studies: Sequence[Mapping[Key, tuple[float, ...]]], kept: Iterable[Key], alpha: float
) -> dict[tuple[str, str], tuple[int, int]]:
    """In how many studies any test of a family finds something after Holm's adjustment."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    among = set(kept)
    for study in studies:
        smallest: dict[tuple[str, str], float] = {}
        for key, (*_, adjusted, is_main) in study.items():
            if key in among and np.isfinite(adjusted):
                family = ("headline" if is_main else "others", key[2])
                smallest[family] = min(smallest.get(family, 1.0), adjusted)
        for family, p in smallest.items():
            found, of = counts.get(family, (0, 0))
            counts[family] = (found + (p <= alpha), of + 1)
    return dict(sorted(counts.items(), key=lambda each: (each[0][0], each[0][1] != HEADLINE)))


def _share(count: int, of: int, confidence: float) -> tuple[float, float, float]:
    if not of:
        return NAN, NAN, NAN
    return count / of, *clopper_pearson(count, of, confidence)
