"""A look at a study that may stop, as a stage of the workflow."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dissensus.design.looks import looks_of
from dissensus.design.stopping import LOOKS, Rule
from dissensus.study.makes import makes


@makes(look=LOOKS)
def look(
    differences: pd.DataFrame, stop: dict[str, Any], confidence: float
) -> list[dict[str, Any]]:
    """What the differences of the blocks so far say.

    Parameters
    ----------
    differences : of these blocks; none of blocks after the one that the study stopped at.
    stop : the setting.
    confidence : level of the intervals.
    """
    return looks_of(differences, Rule.of(stop, confidence))
