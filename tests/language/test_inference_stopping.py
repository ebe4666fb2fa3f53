"""Paired differences of a study that may stop: their scale, their signs, and what is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.design.stopping import DIFFERENCES
from dissensus.language.inference.net import NET, Readings, Scaling, estimate_net
from dissensus.language.inference.stopping import (
    compare_block,
    net_on_scale,
    texts_in_reference,
)
from dissensus.tables.artefact import read, write
from language.inference_frames import MEASURES, make_study

SCALES = ("z", "clipped_z", "normal_cdf", "ecdf", "min_max", "clipped_percentile")
WEIGHTS = (0.3, 0.7)


def readings(seed: int, draws: int = 12, effect: float = 0.0, offset: float = 0.4) -> Readings:
    """Debates of which the renderings are exact: a ruler that reads one language higher."""
    rng = np.random.default_rng(seed)
    held, other = rng.normal(size=(2, draws, 2))
    other = other + effect
    labels = np.array([f"m{number // 2}" for number in range(draws)], dtype=object)
    return Readings(other + offset, held, held + offset, other, labels)


def swapped(of: Readings, draws: np.ndarray) -> Readings:
    """The same with the two debates of some draws in each other's place."""
    at = draws[:, None]
    return Readings(
        np.where(at, of.reference_rendered, of.treated),
        np.where(at, of.treated_rendered, of.reference),
        np.where(at, of.treated, of.reference_rendered),
        np.where(at, of.reference, of.treated_rendered),
        of.motions,
    )


@pytest.mark.parametrize("scale", SCALES)
def test_with_the_anchors_of_the_net_effect_their_mean_is_its_estimate(scale: str) -> None:
    read, scaling = readings(1, draws=40, effect=0.7), Scaling(WEIGHTS, scale)
    net = estimate_net(read, scaling, 0.95, 199, 1)[NET].estimate
    assert net_on_scale(read, read.reference, scaling).mean() == pytest.approx(net)


def test_by_hand() -> None:
    """Anchors 0, 2 and 4, 6 have spreads of 1.414..., and the draw is twice 1 and 3 apart."""
    anchors = np.array([[0.0, 4.0], [2.0, 6.0]])
    zh, en, forward, back = (
        np.array([p]) for p in ([3.0, 9.0], [1.0, 5.0], [2.0, 6.0], [2.0, 8.0])
    )
    read = Readings(zh, en, forward, back, np.array(["m"], dtype=object))
    (difference,) = net_on_scale(read, anchors, Scaling(WEIGHTS, "z"))
    assert difference == pytest.approx((0.3 * 1 + 0.7 * 3) / np.sqrt(2))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SCALES), st.booleans(), st.data())
def test_debates_that_change_places_change_the_sign_and_nothing_else(
    seed: int, scale: str, is_third: bool, data: st.DataObject
) -> None:
    """The scale stays, and each size with it: also that of a third language."""
    first, scaling = readings(seed, effect=1.0), Scaling(WEIGHTS, scale)
    flips = np.array(data.draw(st.lists(st.booleans(), min_size=12, max_size=12)))
    second = swapped(first, flips)
    third = replace(readings(seed + 1), reference=first.reference)
    others = [third] * is_third
    moved = [replace(third, reference=second.reference)] * is_third
    anchors, again = texts_in_reference([first, *others]), texts_in_reference([second, *moved])
    np.testing.assert_array_equal(np.sort(anchors, axis=0), np.sort(again, axis=0))
    signs = np.where(flips, -1.0, 1.0)
    np.testing.assert_allclose(
        net_on_scale(second, again, scaling),
        signs * net_on_scale(first, anchors, scaling),
        rtol=1e-9,
        atol=1e-12,
    )


def blocks(study: Any, *numbers: int) -> list[list[dict[str, Any]]]:
    """What each block's stage makes of its own sessions and of those of the first."""
    block_of = study.manifest.set_index("draw_id")["block"].to_dict()
    made = []
    for number in numbers:
        wanted = {draw for draw, block in block_of.items() if block in (1, number)}
        outcomes, components = (
            frame[frame["draw_id"].isin(wanted)] for frame in (study.outcomes, study.components)
        )
        made.append(compare_block(study.manifest, outcomes, components, MEASURES, "en", number))
    return made


def test_a_block_is_on_the_scale_of_the_first_whatever_comes_later() -> None:
    long = make_study(75, effect=0.1, offset=0.3, domains=8)
    first, third = blocks(long, 1, 3)
    assert {row["block"] for row in third} == {3} and len(third) == 25
    metrics = long.metrics
    first_draws = metrics[metrics["block"] == 1]["draw_id"]
    texts = pd.concat(
        [metrics[metrics["language"] == "en"], long.renderings[long.renderings["language"] == "en"]]
    )
    anchors = texts[texts["draw_id"].isin(first_draws)]
    of = pd.concat([metrics, long.renderings.assign(complete=True)]).set_index("session_id")
    for row in (*first, *third):
        draw, difference = row["draw_id"], 0.0
        for part, weight in (("s_lex", 0.5), ("s_sem", 0.5)):
            zh, rendered, back, en = (
                of.loc[f"{draw}-{name}", part] for name in ("zh", "en-as-zh", "zh-as-en", "en")
            )
            difference += weight * (zh - rendered + back - en) / 2 / anchors[part].std()
        assert row["difference"] == pytest.approx(difference)
    assert {row["outcome"] for row in first} == {"hi_z"}


def test_a_lost_session_gives_a_missing_difference_and_no_anchor(tmp_path: Any) -> None:
    """A lost rendering too: by the other contrast's loss alone a third language keeps its own."""
    study = make_study(10, languages=("en", "zh", "fr"), offset=0.3, lost=["d002-zh", "d004-en"])
    study = replace(
        study,
        components=study.components[
            ~study.components["session_id"].isin(
                # Without their debates no rendering is there.
                ["d002-zh-as-en", "d004-en-as-zh", "d004-en-as-fr", "d005-fr-as-en"]
            )
        ],
    )
    (rows,) = blocks(study, 1)
    path = tmp_path / "differences.parquet"
    write(path, DIFFERENCES, rows, {})
    frame = (
        read(path, DIFFERENCES)
        .to_pandas()
        .pivot(index="draw_id", columns="contrast", values="difference")
    )
    lost = {name: set(frame.index[frame[name].isna()]) for name in frame}
    assert lost == {"zh-en": {"d002", "d004"}, "fr-en": {"d004", "d005"}}


def test_a_first_block_without_two_texts_gives_no_differences_and_a_block_not_run_no_rows() -> None:
    study = make_study(50, offset=0.3, lost=[f"d{number:03d}-zh" for number in range(1, 26)])
    first, second = blocks(study, 1, 2)
    assert len(first) == len(second) == 25
    assert {row["difference"] for row in (*first, *second)} == {None}
    run = study.manifest["block"] == 1
    draws = set(study.manifest[run]["draw_id"])
    outcomes, components = (
        frame[frame["draw_id"].isin(draws)] for frame in (study.outcomes, study.components)
    )
    assert compare_block(study.manifest, outcomes, components, MEASURES, "en", 2) == []
