"""Rows of the artefact equal_tokens, in which debate is worth its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from dissensus.design.equal_tokens import equal_tokens_schema
from dissensus.tables.common import text
from made_frames import frame_of

#: Strategy -> accuracy, tokens and calls after its first step.
STRATEGIES = {
    "debate, vanilla": (0.70, 700.0, 5.0),
    "debate, anonymised": (0.66, 700.0, 5.0),
    "one agent": (0.50, 140.0, 1.0),
    "majority vote": (0.60, 700.0, 5.0),
    "self-consistency": (0.60, 700.0, 5.0),
    "self-refine": (0.50, 140.0, 1.0),
    "self-refine, then vote": (0.60, 700.0, 5.0),
}


def equal_tokens(group: str, names: Sequence[str], n: int) -> pd.DataFrame:
    """Every strategy of every group; the debate ends at 0.74, above all others."""
    rows = []
    for one, (name, (accuracy, tokens, calls)) in product(names, STRATEGIES.items()):
        steps = 1 if name in ("one agent", "majority vote") else 3
        for step in range(steps):
            value = accuracy + 0.02 * step
            at_end = step == steps - 1
            compared = at_end and name != "debate, vanilla"
            gain = 0.74 - value if compared else np.nan
            rows.append(
                {
                    group: one,
                    "strategy": name,
                    "step": step,
                    "calls": calls * (step + 1),
                    "tokens": tokens * (step + 1),
                    "usd": np.nan if one == names[0] else tokens * (step + 1) * 1e-6,
                    "accuracy": value,
                    "accuracy_low": value - 0.08,
                    "accuracy_high": value + 0.08,
                    "is_debate": name == "debate, vanilla",
                    "compared": compared,
                    "estimate": gain,
                    "se": 0.02,
                    "ci_low": gain - 0.03,
                    "ci_high": gain + 0.03,
                    "p_value": 0.002 if compared else np.nan,
                    "p_adjusted": 0.01 if compared else np.nan,
                    "n": n,
                    "n_clusters": n,
                }
            )
    return frame_of(equal_tokens_schema({group: text("What is grouped by.")}), rows)
