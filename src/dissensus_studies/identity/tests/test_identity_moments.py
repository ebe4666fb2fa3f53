"""The closed form, by hand and in the long run, and the plug-in that it stands beside."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction

import numpy as np
import pytest

from ..inference.likelihood import Parameters
from ..inference.moments import moment_estimate
from ..inference.panel import Panel
from ..inference.plugin import plug_in
from .identity_panels import FULL, RING, STAR, drawn, panel_from, take

PLANTED = Parameters(0.5, 2.0, 4.0, 1.0)


def test_by_hand() -> None:
    peers = ((1,), (2,), (0,))
    panel = panel_from(
        [
            [[0, 0, 1], [0, 1, 0]],  # 1 pair of 3 agrees, 2 of 3 right
            [[0, 0, 0], [0, 0, 0]],  # all agree
            [[2, 1, 0], [1, 1, 0]],  # none agrees
        ],
        peers,
    )
    s2, s3 = Fraction(4, 9), Fraction(1, 3)
    own, peer = Fraction(1 + 3 + 2, 9), Fraction(3 + 3 + 1, 9)
    pi_self, pi_peer = (own - s2) / (1 - s2), (peer - s2) / (1 - s2)
    belief = 1 - pi_self - pi_peer
    q = Fraction(2 + 3 + 1, 9)
    alike = q**2 + (1 - q) ** 2 / 3
    concentration = (1 - s2) / (s2 - alike) if s2 > alike else None
    found = moment_estimate(panel, resamples=0).estimates
    assert found["pi_self"].estimate == pytest.approx(float(pi_self))
    assert found["pi_peer"].estimate == pytest.approx(float(pi_peer))
    assert found["pi_belief"].estimate == pytest.approx(float(belief))
    assert found["ibc"].estimate == pytest.approx(float((peer - own) / (1 - s2)))
    chance = belief * (s2 - s3) / (1 - s2)
    assert found["conformity"].estimate == pytest.approx(float(pi_peer + chance))
    assert found["obstinacy"].estimate == pytest.approx(float(pi_self + chance))
    assert concentration is None
    assert np.isnan(found["a_correct"].estimate)


@pytest.mark.parametrize(
    ("planted", "peers"),
    [(PLANTED, RING), (Parameters(2.0, 0.5, 1.2, 0.6), RING), (Parameters(0.5, 0.6, 4, 1), FULL)],
)
def test_finds_every_parameter_of_many_questions(
    planted: Parameters, peers: tuple[tuple[int, ...], ...]
) -> None:
    found = moment_estimate(drawn(planted, 3, 20_000, peers=peers), resamples=60).estimates
    heard = len(peers[0]) * planted.w_peer
    total = 1 + planted.w_self + heard
    truth = {
        "w_self": planted.w_self,
        "w_peer": planted.w_peer,
        "a_correct": planted.a_correct,
        "a_other": planted.a_other,
        "ibc": (heard - planted.w_self) / total,
        "total_weight": total - 1,
    }
    for name, value in truth.items():
        assert abs(found[name].estimate - value) < 4 * found[name].se, name


def test_no_distribution_of_beliefs_is_assumed() -> None:
    # Half of the questions are known to all and half to none: no Dirichlet.
    sure = drawn(Parameters(0.5, 2.0, 400.0, 0.1), 3, 8_000)
    open_ = drawn(Parameters(0.5, 2.0, 30.0, 30.0), 4, 8_000)
    both = Panel(
        np.concatenate([sure.answers, open_.answers]),
        np.concatenate([sure.correct, open_.correct]),
        np.full(16_000, 4),
        RING,
    )
    ibc = moment_estimate(both, resamples=60).estimates["ibc"]
    assert abs(ibc.estimate - 3 / 7) < 4 * ibc.se


def test_intervals_come_from_resampled_questions() -> None:
    panel = drawn(PLANTED, 5, 200)
    found = moment_estimate(panel, 0.9, 400, seed=1).estimates["ibc"]
    again = moment_estimate(panel, 0.9, 400, seed=1).estimates["ibc"]
    # By its fields: what is not a number is equal to nothing.
    assert asdict(found) == asdict(again)
    assert found.ci_low < found.estimate < found.ci_high
    rng, draws = np.random.default_rng(9), []
    for _ in range(200):
        chosen = take(panel, rng.integers(200, size=200))
        draws.append(moment_estimate(chosen, resamples=0).estimates["ibc"].estimate)
    assert found.se == pytest.approx(np.std(draws), rel=0.25)


def test_unequal_numbers_of_peers_and_options_are_left_out() -> None:
    star = moment_estimate(drawn(PLANTED, 1, 50, peers=STAR), resamples=20).estimates
    assert np.isnan(star["ibc"].estimate)
    assert star["a_correct"].estimate > 0
    panel = drawn(PLANTED, 1, 50)
    mixed = Panel(panel.answers, panel.correct, np.where(np.arange(50) % 2, 4, 5), RING)
    found = moment_estimate(mixed, resamples=20).estimates
    assert np.isnan(found["a_correct"].estimate)
    assert np.isfinite(found["ibc"].estimate)


def test_plug_in_stays_biased_however_many_questions() -> None:
    panel = drawn(Parameters(0.5, 0.6, 4.0, 1.0), 1, 5_000, peers=FULL)
    own, heard = plug_in(panel)
    belief = 1 - own - heard
    assert own / belief > 0.55
    assert heard / belief / 4 > 0.7
    ibc = moment_estimate(panel, resamples=60).estimates["ibc"]
    assert abs(ibc.estimate - 19 / 39) < 4 * ibc.se
    assert heard - own - 19 / 39 > 0.015
    with pytest.raises(ValueError, match="as many peers"):
        plug_in(drawn(PLANTED, 1, 10, peers=STAR))
