"""Paired differences of a language study that may stop: draw by draw, on a scale that stays.

The difference of a draw is the mean of two readings with one ruler each, m(l, D(l)) - m(l, D(r))
and m(r, D(l)) - m(r, D(r)), as in :mod:`dissensus.language.inference.net`: the draw's part of the
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
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design.contrasts import defined
from dissensus.design.stopping import DIFFERENCES
from dissensus.design.weights import contrast_name
from dissensus.language.inference.net import Readings, Scaling, net_draws
from dissensus.language.inference.pairs import compared_languages
from dissensus.language.inference.readings import read_texts
from dissensus.language.measures.homogeneity import PARTS, clips_of, measure_homogeneity
from dissensus.language.settings import MeasureSettings
from dissensus.stats.anchors import fit, weighted
from dissensus.study.makes import makes

Array = NDArray[np.float64]


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
    metrics, renderings = measure_homogeneity(manifest, outcomes, components, measures, reference)
    if not (metrics["block"] == number).any():
        return []
    scaling = Scaling(
        (measures.weights.lexical, measures.weights.semantic), measures.primary, clips_of(measures)
    )
    readings = {
        language: read_texts(metrics, renderings, list(PARTS.values()), language, reference)
        for language in compared_languages(metrics, reference)
    }
    draws = metrics.drop_duplicates("draw_id").set_index("draw_id").sort_index()["block"]
    is_first = (draws == draws.min()).to_numpy(bool)
    anchors = texts_in_reference([each.of(is_first) for each in readings.values()])
    return [
        {
            "contrast": contrast_name(language, reference),
            "outcome": f"hi_{measures.primary}",
            "arm": language,
            "reference": reference,
            "draw_id": str(draw),
            "block": number,
            "cluster": str(motion),
            "difference": defined(float(difference)),
        }
        for language, each in readings.items()
        for draw, block, motion, difference in zip(
            draws.index, draws, each.motions, net_on_scale(each, anchors, scaling), strict=True
        )
        if block == number
    ]


def texts_in_reference(contrasts: Sequence[Readings]) -> Array:
    """All debates as they read in the reference, of draws without a loss: what a scale is of.

    Parameters
    ----------
    contrasts : the readings of every language against the reference, of the same draws.

    Returns
    -------
    Shape (texts, parts): the reference's debates, then the renderings of each language's. What it
    has does not depend on which debates of a draw change places.
    """
    is_whole = np.all(
        [np.isfinite(text).all(axis=1) for each in contrasts for text in each.texts], axis=0
    )
    texts = [contrasts[0].reference, *(each.treated_rendered for each in contrasts)]
    return np.concatenate([text[is_whole] for text in texts])


def net_on_scale(readings: Readings, anchors: Array, scaling: Scaling) -> Array:
    """The net difference of each draw, on a scale that is fitted on given values.

    Parameters
    ----------
    readings : of n draws and k parts, as they were measured.
    anchors : what each part's scale is fitted on, shape (any, k).
    scaling : weights of the parts, and the scale.

    Returns
    -------
    Shape (n,), NaN where a text of the draw is missing.
    """
    assert scaling.scale is not None
    scales = [fit(scaling.scale, of_part, scaling.clips) for of_part in anchors.T]
    treated, plain, forward, back = (
        weighted([put(text[:, part]) for part, put in enumerate(scales)], scaling.weights)[:, None]
        for text in readings.texts
    )
    return net_draws(Readings(treated, plain, forward, back, readings.motions))[:, 0]
