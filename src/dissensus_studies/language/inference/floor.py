"""Each language's net effect, tested with what the reference, run again, differs from itself by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.again import again_of
from dissensus.design.noise import adjust_floor, larger_than

from .estimators import NET
from .net import net_draws
from .readings import read_texts


def write_floor(
    rows: Sequence[dict[str, Any]],
    metrics: pd.DataFrame,
    renderings: pd.DataFrame,
    reference: str,
    confidence: float,
) -> None:
    """Write ``floor_p`` and ``floor_n`` into the headlines of the languages.

    Both differences are read draw by draw on one scale. Where a language changes nothing, the mean
    of one less the other is 0: the offset is left out of the net effect, and the reference, where
    no text of it is rendered, has one ruler. See :mod:`dissensus.design.noise`.

    Parameters
    ----------
    rows : of the language effect; its headlines net of the instrument are tested.
    metrics, renderings : as for the effect.
    reference : the language that the others are compared with.
    confidence : level of the interval that is behind the test.
    """
    again = again_of([reference])
    headlines = {row["arm"]: row for row in rows if row["headline"]}
    floor = headlines.pop(again, None)
    if floor is None:
        return
    texts = (metrics, renderings, [floor["outcome"]])
    twice = read_texts(*texts, again, reference)
    is_net = floor["method"] == NET
    noise = net_draws(twice)[:, 0] if is_net else (twice.treated - twice.reference)[:, 0]
    tested = [row for row in headlines.values() if row["method"] == NET]
    for row in tested:
        net = net_draws(read_texts(*texts, row["arm"], reference))[:, 0]
        both = np.isfinite(net) & np.isfinite(noise)
        row |= larger_than(net[both], noise[both], twice.motions[both].astype(str), confidence)
    adjust_floor(tested)
