"""The net effect: by hand, against a bootstrap written out, its coverage, what it leaves out."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.stats.anchors import Clips, fit
from marking import thorough_but

from ..inference.net import (
    BACK,
    FORWARD,
    NET,
    OFFSET,
    PAIRED,
    Readings,
    Scaling,
    estimate_net,
    net_draws,
)
from ..inference.refitting import scaled

SCALES = ("z", "clipped_z", "normal_cdf", "ecdf", "min_max", "clipped_percentile")
HALVES = (0.5, 0.5)


def study(
    rng: np.random.Generator,
    draws: int = 60,
    motions: int = 30,
    effect: float = 0.0,
    offset: float = 0.4,
) -> Readings:
    """Two parts, and a ruler that reads the language higher, a little unevenly over debates.

    Both debates of a draw come from one process, the language's moved by the effect, in SDs.
    """
    codes = rng.integers(motions, size=draws)
    motion = 0.5 * rng.standard_normal((motions, 2))
    own = 0.3 * rng.standard_normal((2, motions, 2))[:, codes]
    rest = np.sqrt(1 - 0.25 - 0.09)
    debates = motion[codes] + own + rest * rng.standard_normal((2, draws, 2))
    held, other = debates[0], debates[1] + effect
    uneven = 0.2 * rng.standard_normal((2, draws, 2))
    labels = np.array([f"m{code}" for code in codes], dtype=object)
    return Readings(other + offset + uneven[1], held, held + offset + uneven[0], other, labels)


def of(readings: Readings, scale: str | None = "z", resamples: int = 999, seed: int = 1):
    return estimate_net(readings, Scaling(HALVES, scale), 0.95, resamples, seed)


def test_estimates_by_hand() -> None:
    r = study(np.random.default_rng(1), effect=0.7)
    spread = r.reference.std(axis=0, ddof=1)
    found = of(r)
    paired = ((r.treated - r.reference) / spread).mean()
    forward = ((r.reference_rendered - r.reference) / spread).mean()
    back = ((r.treated - r.treated_rendered) / spread).mean()
    assert found[PAIRED].estimate == pytest.approx(paired)
    assert found[FORWARD].estimate == pytest.approx(forward)
    assert found[BACK].estimate == pytest.approx(back)
    assert found[OFFSET].estimate == pytest.approx((forward + back) / 2)
    # Two ways to the same number: less the offset, or each difference with one ruler.
    assert found[NET].estimate == pytest.approx(paired - (forward + back) / 2)
    assert found[NET].estimate == pytest.approx((net_draws(r) / spread).mean())
    assert (found[NET].n, found[NET].n_clusters) == (60, len(set(r.motions)))


def test_the_smallest_p_is_one_over_the_resamples_and_one() -> None:
    r = study(np.random.default_rng(1), effect=6.0)
    assert of(r, resamples=999)[NET].p_value == pytest.approx(1 / 1000)


@pytest.mark.parametrize("scale", ["z", "normal_cdf", "ecdf"])
def test_its_standard_error_is_that_of_a_bootstrap_written_out(scale: str) -> None:
    r, rng = study(np.random.default_rng(2), draws=80, effect=1.5), np.random.default_rng(3)
    names, values = np.unique(r.motions.astype(str)), []
    members = {name: np.flatnonzero(r.motions == name) for name in names}
    for _ in range(1500):
        rows = np.concatenate([members[name] for name in rng.choice(names, len(names))])
        put = [fit(scale, r.reference[rows, part]) for part in (0, 1)]
        read = [
            np.mean([put[part](text[rows, part]) for part in (0, 1)], axis=0) for text in r.texts
        ]
        values.append((read[0] - read[2] + read[3] - read[1]).mean() / 2)
    assert of(r, scale)[NET].se == pytest.approx(np.std(values), rel=0.1)


@pytest.mark.parametrize("scale", SCALES)
def test_weighted_scales_are_the_scales_of_repeated_values(scale: str) -> None:
    rng = np.random.default_rng(5)
    reference, text, clips = rng.normal(size=30), rng.normal(size=30), Clips(1.5, (5, 95))
    reference[4], text[7] = np.nan, np.nan
    weights = rng.integers(0, 4, size=(6, 30)).astype(float)
    (found,) = scaled(scale, [text], reference, weights, clips)
    for row, weight in zip(found, weights, strict=True):
        expected = fit(scale, np.repeat(reference, weight.astype(int)), clips)(text)
        np.testing.assert_allclose(row, expected)


@pytest.mark.parametrize("effect", thorough_but([0.0, 1.0, 2.5], 2.5))
def test_intervals_cover_the_net_effect_and_held_anchors_do_not(effect: float) -> None:
    """Holding the anchor covers some 75% at 2.5 SD; 400 studies tell .93 from that."""
    rng, held, refitted = np.random.default_rng(int(10 * effect)), [], []
    for number in range(400):
        r = study(rng, effect=effect)
        found = of(r, resamples=399, seed=number)[NET]
        refitted.append(found.ci_low <= effect <= found.ci_high)
        by_draw = (net_draws(r) / r.reference.std(axis=0, ddof=1)).mean(axis=1)
        half = 2.0 * by_draw.std(ddof=1) / np.sqrt(len(by_draw))
        held.append(abs(by_draw.mean() - effect) <= half)
    assert 0.92 <= np.mean(refitted) <= 0.98
    assert effect < 2 or np.mean(held) < 0.88


def test_the_paired_difference_finds_the_ruler_and_the_net_effect_does_not() -> None:
    rng, paired, net = np.random.default_rng(8), [], []
    for number in range(300):
        found = of(study(rng, offset=0.6), resamples=399, seed=number)
        paired.append(found[PAIRED].p_value < 0.05)
        net.append(found[NET].p_value < 0.05)
    assert np.mean(paired) > 0.8
    assert np.mean(net) < 0.1


def test_renderings_of_some_draws_are_enough() -> None:
    r = study(np.random.default_rng(4), draws=200, motions=60)
    some = np.arange(200) % 4 == 0
    fewer = Readings(
        r.treated,
        r.reference,
        np.where(some[:, None], r.reference_rendered, np.nan),
        np.where(some[:, None], r.treated_rendered, np.nan),
        r.motions,
    )
    whole, part = of(r), of(fewer)
    assert part[NET].n == 200 and part[OFFSET].n == 50
    assert part[PAIRED].estimate == pytest.approx(whole[PAIRED].estimate)
    # The ruler is steadier than the debates, so that a quarter of them costs little.
    assert whole[NET].se < part[NET].se < 1.25 * whole[NET].se


def test_one_direction_stands_for_both_and_none_leaves_the_paired_difference() -> None:
    r = study(np.random.default_rng(4))
    nothing = np.full_like(r.treated, np.nan)
    forward = Readings(r.treated, r.reference, r.reference_rendered, nothing, r.motions)
    found = of(forward)
    assert found[OFFSET].estimate == found[FORWARD].estimate and BACK not in found
    assert set(of(Readings(r.treated, r.reference, nothing, nothing, r.motions))) == {PAIRED}


@pytest.mark.parametrize("scale", [None, *SCALES])
def test_what_is_too_small_has_an_estimate_and_no_interval(scale: str | None) -> None:
    r = study(np.random.default_rng(4), draws=6)
    alone = Readings(*r.texts, np.full(6, "m", dtype=object))
    found = of(alone, scale)[NET]
    assert np.isfinite(found.estimate) and np.isnan([found.ci_low, found.p_value]).all()
    lost = Readings(*(np.full_like(text, np.nan) for text in r.texts), r.motions)
    assert np.isnan(of(lost, scale)[PAIRED].estimate)
