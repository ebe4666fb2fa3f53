"""What the index's parts read on all texts of a draw: debates, and their renderings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .net import Readings

Array = NDArray[np.float64]


def read_texts(
    metrics: pd.DataFrame,
    renderings: pd.DataFrame,
    parts: Sequence[str],
    language: str,
    reference: str,
) -> Readings:
    """The readings of one contrast, an entry for every draw, in the order of their names.

    Parameters
    ----------
    metrics : a row a debate, failed ones included.
    renderings : a row a rendering of one.
    parts : columns of both.
    language, reference : what is compared with what.
    """
    metrics = metrics[["draw_id", "motion_id", "language", "complete", *parts]]
    renderings = renderings[["draw_id", "language", "rendered_from", *parts]]
    draws = metrics.drop_duplicates("draw_id").set_index("draw_id").sort_index()
    complete = metrics[metrics["complete"].to_numpy(dtype=bool)]
    renders = renderings[["language", "rendered_from"]]
    of_reference = (renders["language"] == language) & (renders["rendered_from"] == reference)
    of_language = (renders["language"] == reference) & (renders["rendered_from"] == language)
    texts = [
        complete[complete["language"] == language],
        complete[complete["language"] == reference],
        renderings[of_reference.to_numpy(dtype=bool)],
        renderings[of_language.to_numpy(dtype=bool)],
    ]
    values = [
        text.set_index("draw_id")[list(parts)].reindex(draws.index).to_numpy(float, na_value=np.nan)
        for text in texts
    ]
    # A rendering of a debate that does not count is none either.
    treated, plain, forward, back = values
    forward = np.where(np.isfinite(plain), forward, np.nan)
    back = np.where(np.isfinite(treated), back, np.nan)
    return Readings(treated, plain, forward, back, draws["motion_id"].to_numpy())


def texts_in_reference(contrasts: Sequence[Readings]) -> Array:
    """All debates as they read in the reference, of the draws without a loss.

    It has the same values whichever debates of a draw change places: what the scale of a study that
    may stop is fitted on, see :mod:`.inference.paired_readings`.

    Parameters
    ----------
    contrasts : the readings of every language against the reference, of the same draws.

    Returns
    -------
    Shape (texts, parts): the reference's debates, then the renderings of each language's.
    """
    is_whole = np.all(
        [np.isfinite(text).all(axis=1) for each in contrasts for text in each.texts], axis=0
    )
    texts = [contrasts[0].reference, *(each.treated_rendered for each in contrasts)]
    return np.concatenate([text[is_whole] for text in texts])
