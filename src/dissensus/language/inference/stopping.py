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

from typing import Any

import pandas as pd

from dissensus.design.contrasts import defined
from dissensus.design.stopping import DIFFERENCES
from dissensus.design.weights import contrast_name
from dissensus.language.inference.net import net_draws
from dissensus.language.inference.pairs import compared_languages
from dissensus.language.inference.readings import read_texts
from dissensus.language.measures.homogeneity import measure_homogeneity
from dissensus.language.settings import MeasureSettings
from dissensus.study.makes import makes


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
    for language in compared_languages(of_block, reference):
        readings = read_texts(of_block, renderings, [outcome], language, reference)
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
            }
            for draw, motion, (difference,) in zip(
                draws, readings.motions, net_draws(readings), strict=True
            )
        ]
    return rows
