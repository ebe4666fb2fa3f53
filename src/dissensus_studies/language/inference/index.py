"""How an outcome is put together of measured parts, for estimators that fit its scale."""

from __future__ import annotations

from ..measures.homogeneity import PARTS, clips_of
from ..settings import MeasureSettings
from .net import Scaling


def parts_of(
    outcome: str, measures: MeasureSettings, is_looked_at: bool
) -> tuple[list[str], Scaling]:
    """Which columns an outcome is made of, and how.

    Parameters
    ----------
    outcome : a column of the metrics, such as hi_z or s_lex.
    measures : weights and clips.
    is_looked_at : whether the study may stop: its scale has been fitted, and the outcome is taken
        as it stands.
    """
    kind, _, scale = outcome.partition("_")
    shares = measures.weights
    weights = {
        "hi": (shares.lexical, shares.semantic),
        "lex": (1.0, 0.0),
        "sem": (0.0, 1.0),
    }
    if kind in weights and not is_looked_at:
        return list(PARTS.values()), Scaling(weights[kind], scale, clips_of(measures))
    return [outcome], Scaling((1.0,), None)
