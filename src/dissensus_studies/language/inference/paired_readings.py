"""Paired differences of a language study that may stop: draw by draw, on a scale that stays.

The difference of a draw is the mean of two readings with one ruler each, m(l, D(l)) - m(l, D(r))
and m(r, D(l)) - m(r, D(r)), as in :mod:`.inference.net`: the draw's part of the
net effect.

Why a look may use it. Where the language changes nothing, the two debates of a draw can change
places. The difference then changes its sign and keeps its size, on any scale that stays the same.
The scale is fitted once, on the first block, and on all debates as they read in the reference: its
own and the renderings of the others. This set has the same values whichever debates change places,
and no later block has a part in it. So, given all sizes, the signs of the sums over motions are
fair coins from the first block on, which is what :mod:`dissensus.design.anytime` asks for. A scale
fitted on the reference's own debates would not do: its spread is of one of the two that change
places.

With a translator a rendering is no exact parallel. What translating does to a text is in both
halves with opposite signs, and cancels as far as it is alike in both directions, as in the net
effect of a study that does not stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design.again import again_of
from dissensus.design.contrasts import defined
from dissensus.design.diagnosis import Sequential
from dissensus.design.pairs import without_rounding
from dissensus.design.simulated_stop import SimulatedStop
from dissensus.design.stopping import DIFFERENCES
from dissensus.design.weights import contrast_name
from dissensus.stats.results import NAN
from dissensus.study.makes import makes

from ..measures.homogeneity import measure_homogeneity
from ..settings import MeasureSettings
from .net import Readings, net_draws
from .pairs import compared_languages
from .readings import read_texts, texts_in_reference


@makes(differences=DIFFERENCES)
def compare_block(
    manifest: pd.DataFrame,
    outcomes: pd.DataFrame,
    components: pd.DataFrame,
    measures: MeasureSettings,
    reference: str,
    number: int,
) -> list[dict[str, Any]]:
    """The net differences of the draws of a block, on the scale of the first block.

    Parameters
    ----------
    manifest : a row a session of the study.
    outcomes, components : of the sessions and renderings of the first block and of this one; none
        of this one where the study stopped before it.
    measures : weights and the primary scale.
    reference : the language that the others are compared with.
    number : of the block.

    Returns
    -------
    Rows of :data:`~dissensus.design.stopping.DIFFERENCES`. A draw has no difference where one of
    its four texts was lost; none has where the first block has no two values to fit a scale on.
    """
    metrics, renderings = measure_homogeneity(
        manifest, outcomes, components, measures, reference, is_looked_at=True
    )
    of_block = metrics[metrics["block"] == number]
    draws, outcome = sorted(of_block["draw_id"].unique()), f"hi_{measures.primary}"
    rows: list[dict[str, Any]] = []
    languages = compared_languages(of_block, reference)
    # The reference once more is a noise floor, of which nothing is to be known.
    for language in [name for name in languages if name != again_of([reference])] or languages:
        readings = read_texts(of_block, renderings, [outcome], language, reference)
        differences = without_rounding(net_draws(readings)[:, 0], *readings.texts)
        rows += [
            {
                "contrast": contrast_name(language, reference),
                "outcome": outcome,
                "arm": language,
                "reference": reference,
                "draw_id": draw,
                "block": number,
                "cluster": str(motion),
                "difference": defined(float(difference)),
                "bound": None,
            }
            for draw, motion, difference in zip(draws, readings.motions, differences, strict=True)
        ]
    return rows


def estimate_at_stop(
    readings: Readings,
    shares: Sequence[float],
    stop: SimulatedStop,
    truth: tuple[float, NDArray[np.float64]],
    rng: np.random.Generator,
) -> Sequential:
    """What a simulated study finds where it stops, or ends.

    Parameters
    ----------
    readings : of the parts, of all its draws.
    shares : weights of the parts.
    stop : when it stops.
    truth : the net effect in SDs of debates in the reference, and of each part as it is measured.
    rng : of the order of the motions.

    Returns
    -------
    In SDs of debates in the reference: the study's own scale has SDs of the debates of its first
    block, and what the true effect is there is known.
    """
    motions = readings.motions.astype(str)
    order = {name: place for place, name in enumerate(rng.permutation(np.unique(motions)))}
    draws = np.argsort([order[name] for name in motions], kind="stable")
    blocks = stop.blocks(draws.tolist(), motions[draws].tolist())
    is_first = np.array([blocks.get(draw) == 1 for draw in range(len(motions))])
    anchors = texts_in_reference([readings.of(is_first)])
    with np.errstate(all="ignore"):
        spread = anchors.std(axis=0, ddof=1) if len(anchors) > 1 else np.full(len(shares), np.nan)
        differences = (net_draws(readings) / np.where(spread > 0, spread, np.nan)) @ shares
        unit = truth[0] / float((truth[1] / spread) @ shares) if truth[0] else 1.0
    names = {"contrast": "net", "outcome": "hi_z", "arm": "language", "reference": "reference"}
    rows = [
        {
            **names,
            "draw_id": str(draw),
            "block": block,
            "cluster": motions[draw],
            "difference": defined(float(differences[draw])),
            "bound": None,
        }
        for draw, block in blocks.items()
    ]
    at_stop = stop.estimates(rows).get("net", Sequential(NAN))
    low, high = at_stop.ci_low * unit, at_stop.ci_high * unit
    return replace(at_stop, estimate=at_stop.estimate * unit, ci_low=low, ci_high=high)
