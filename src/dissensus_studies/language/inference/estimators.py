"""Every way the study estimates a paired effect, by name, on plain arrays.

The estimates of a run and the design diagnosis go through the same functions, so that what is
diagnosed is what is reported.

The headline is net of the instrument (:mod:`.inference.net`). The methods here
take the differences as they are, and their anchors for fixed.

Which unit is sampled is a choice of population. Draws take motions at random from the pool, with
replacement, so that by draw they are independent and an interval by draw speaks of the mean effect
over this pool of motions. Seen as a sample of the motions that could have been in the pool, draws
that repeat a motion are not independent, and only an interval by motion holds. The headline's is
of the latter, wider kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from dissensus.design.contrasts import HEADLINE, RANDOMISATION, sign_flip
from dissensus.design.stopping import ANYTIME
from dissensus.stats.bootstrap import (
    cluster_bootstrap,
    cluster_robust_mean,
    two_way_cluster_bootstrap,
)
from dissensus.stats.checks import FloatArray
from dissensus.stats.location import (
    cohen_dz,
    hodges_lehmann,
    paired_t,
    probability_of_superiority,
    sign_test,
    wilcoxon_signed_rank,
)
from dissensus.stats.results import NAN, Estimate

from ..stats.stratified import order_stratified
from . import net
from .pairs import Sample

#: What is estimated with anchors, and the instrument's offset, estimated anew in each resample of
#: motions: :mod:`.inference.net`.
NET, OFFSET, REFITTED = "net", "instrument_offset", "anchors_refitted"
#: The sign-flip test of the differences with one ruler.
NET_SIGN_FLIP = "net_sign_flip"
#: What is net of the instrument, and may be the headline: the second of a study that may stop.
NET_EFFECTS = (NET, ANYTIME)

#: Name of what :func:`.inference.net.estimate_net` finds -> method.
REFITTING = {net.NET: NET, net.OFFSET: OFFSET, net.PAIRED: REFITTED}

#: What methods say that speak of draws of these motions, and not of motions like them.
BY_DRAW = "by draw, as if draws of a motion were independent"

#: What each method is, in a sentence for tables.
METHODS = {
    NET: "Mean difference less the instrument's offset, studentised bootstrap over motions.",
    ANYTIME: "Mean of differences with one ruler, interval and p that hold at all looks, as far as "
    "a motion's difference is symmetric about its mean.",
    OFFSET: "Difference between languages on parallel texts, studentised bootstrap over motions.",
    NET_SIGN_FLIP: "Sign-flip randomisation test of differences with one ruler, by motion.",
    REFITTED: "Mean difference, studentised bootstrap over motions with anchors fitted anew.",
    HEADLINE: "Mean difference, CR2 standard error clustered on motion, Satterthwaite t.",
    "student_t": f"Mean difference, Student's t {BY_DRAW}.",
    RANDOMISATION: "Sign-flip randomisation test of the mean difference, by motion.",
    "sign_flip_studentised": "Sign-flip test by motion of the mean over its clustered SE.",
    "wilcoxon": "Wilcoxon signed-rank test (Pratt) of motions' means; rank-biserial correlation.",
    "sign_test": "Exact sign test of motions' means; estimate is the share above 0.",
    "hodges_lehmann": "Hodges-Lehmann median of motions' means, interval by test inversion.",
    "bootstrap_draw_percentile": f"Mean difference, percentile bootstrap {BY_DRAW}.",
    "bootstrap_draw_bca": f"Mean difference, BCa bootstrap {BY_DRAW}.",
    "bootstrap_motion_percentile": "Mean difference, percentile bootstrap over motions.",
    "bootstrap_motion_bca": "Mean difference, BCa bootstrap over motions.",
    "bootstrap_motion_studentised": "Mean difference, bootstrap-t over motions.",
    "bootstrap_two_way": "Mean difference, two-way bootstrap variance over draws and motions, t.",
    "order_stratified": "Mean of the two language orders weighted by their sizes, CR2 by motion.",
    "order_unweighted": "Mean of the two language orders weighted equally, CR2 by motion.",
    "period_effect": "What being run first rather than second adds, CR2 by motion.",
    "probability_of_superiority": "P(difference > 0) + P(= 0)/2, CR2 by motion; p against 1/2.",
    "cohen_dz": f"Mean difference over SD of the differences, noncentral t {BY_DRAW}.",
    "lee_bounds": "Trimming bounds for draws observed in either language (limits are the bounds).",
    "lee_interval": "Lee's bounds with the interval of Imbens and Manski, bootstrap over motions.",
    "manski_bounds": "Worst-case bounds over all draws assigned (limits are the bounds).",
}

#: What outcomes beside the primary one and the paper's get.
CORE = ("student_t", "sign_flip", "cluster_robust", "hodges_lehmann", "probability_of_superiority")

#: Methods that need the lost sessions too, and are not estimators of a sample.
BOUNDS = ("lee_bounds", "lee_interval", "manski_bounds")


@dataclass(frozen=True)
class Options:
    """What the estimators get besides the data."""

    confidence: float
    resamples: int
    flips: int
    seed: int


Estimator = Callable[[Sample, Options], Estimate]


def undefined(n: int) -> Estimate:
    """What stands in a row whose estimate the data do not define."""
    return Estimate(NAN, n=n)


def estimate(method: str, sample: Sample, options: Options) -> Estimate:
    """One method on one sample.

    Parameters
    ----------
    method : a name of :data:`METHODS` other than the bounds.
    sample : the pairs.
    options : level, repetitions and seed.

    Returns
    -------
    The estimate; all NaN where the sample is too small for the method. Differences are finite and
    as many as their labels, so that size is all a ``ValueError`` of the estimators can be about.
    """
    try:
        return _ESTIMATORS[method](sample, options)
    except ValueError:
        return undefined(len(sample.differences))


def _sign_flip(sample: Sample, options: Options, studentised: bool) -> Estimate:
    return sign_flip(
        sample.differences, sample.motions, options.flips, options.seed, studentised=studentised
    )


def _motion_means(sample: Sample) -> FloatArray:
    """The mean difference of each motion: ranks and signs of draws would count a motion often."""
    codes = np.unique(sample.motions.astype(str), return_inverse=True)[1]
    sums = np.bincount(codes, weights=sample.differences)
    return np.asarray(sums / np.bincount(codes), dtype=np.float64)


def _bootstrap(
    sample: Sample,
    options: Options,
    by_motion: bool,
    method: Literal["percentile", "bca", "studentised"],
) -> Estimate:
    return cluster_bootstrap(
        sample.differences,
        sample.motions if by_motion else None,
        resamples=options.resamples,
        confidence=options.confidence,
        method=method,
        seed=options.seed,
    )


def _two_way(sample: Sample, options: Options) -> Estimate:
    """Draws are nested in motions, so that this must come out as the bootstrap over motions."""
    return two_way_cluster_bootstrap(
        sample.differences,
        np.arange(len(sample.differences)),
        sample.motions,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )


def _order(
    sample: Sample, options: Options, part: Literal["stratified", "unweighted", "period_effect"]
) -> Estimate:
    stratified = order_stratified(
        sample.differences, sample.first, sample.motions, options.confidence
    )
    return {
        "stratified": stratified.stratified,
        "unweighted": stratified.unweighted,
        "period_effect": stratified.period_effect,
    }[part]


_ESTIMATORS: dict[str, Estimator] = {
    "cluster_robust": lambda s, o: cluster_robust_mean(s.differences, s.motions, o.confidence),
    "student_t": lambda s, o: paired_t(s.differences, o.confidence),
    "sign_flip": partial(_sign_flip, studentised=False),
    "sign_flip_studentised": partial(_sign_flip, studentised=True),
    "wilcoxon": lambda s, o: wilcoxon_signed_rank(_motion_means(s)),
    "sign_test": lambda s, o: sign_test(_motion_means(s), o.confidence),
    "hodges_lehmann": lambda s, o: hodges_lehmann(_motion_means(s), o.confidence),
    "bootstrap_draw_percentile": partial(_bootstrap, by_motion=False, method="percentile"),
    "bootstrap_draw_bca": partial(_bootstrap, by_motion=False, method="bca"),
    "bootstrap_motion_percentile": partial(_bootstrap, by_motion=True, method="percentile"),
    "bootstrap_motion_bca": partial(_bootstrap, by_motion=True, method="bca"),
    "bootstrap_motion_studentised": partial(_bootstrap, by_motion=True, method="studentised"),
    "bootstrap_two_way": _two_way,
    "order_stratified": partial(_order, part="stratified"),
    "order_unweighted": partial(_order, part="unweighted"),
    "period_effect": partial(_order, part="period_effect"),
    "probability_of_superiority": lambda s, o: probability_of_superiority(
        s.differences, s.motions, o.confidence
    ),
    "cohen_dz": lambda s, o: cohen_dz(s.differences, o.confidence),
}
