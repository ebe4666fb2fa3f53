"""From the sessions of a block to the differences that the study may stop by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dissensus.design.looks import paired_differences
from dissensus.design.pairs import Columns
from dissensus.design.stopping import DIFFERENCES
from dissensus.design.weights import Contrast
from dissensus.study.makes import TurnsBySession, makes

from ..measures.from_turns import metrics_of
from ..outcomes import PRIMARY

Rows = list[dict[str, Any]]


@makes(differences=DIFFERENCES)
def compare_block(
    turns: TurnsBySession,
    outcomes: Rows,
    manifest: Rows,
    topics: Rows,
    arms: dict[str, Any],
    control: dict[str, Any],
    measures: dict[str, Any],
    reference: str,
    treatments: Sequence[str],
    number: int,
) -> Rows:
    """What each arm and the reference differ by in the primary outcome, draw by draw.

    Parameters
    ----------
    turns, outcomes : of the block's sessions; none of a block that the study stopped before.
    manifest, topics : of the study.
    arms, control, measures : settings of the study.
    reference, treatments : the arms that are compared: that, and each of these against it.
    number : of the block.
    """
    run = {row["session_id"] for row in outcomes}
    sessions = [row for row in manifest if row["session_id"] in run]
    study = {"arms": arms, "control": control, "measures": measures}
    metrics = pd.DataFrame(metrics_of(sessions, turns, topics, study))
    blocks = dict.fromkeys((row["draw_id"] for row in sessions), number)
    compared = [Contrast.of(arm, reference) for arm in treatments]
    return paired_differences(metrics, compared, PRIMARY, Columns(), blocks)
