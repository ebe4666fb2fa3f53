"""What the study is judged by, a row a team: what a registered direction is compared with."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, flag, text

from ..outcomes import PRIMARY
from ..terms import DIFFERENCE, POOLED
from .estimates import HEADLINE

_NUMBERS = ("estimate", "se", "ci_low", "ci_high", "family_low", "family_high", "n", "n_questions")

COEFFICIENTS = Schema(
    name="coefficients",
    row="team, with the coefficient of the first round over all banks",
    columns={
        "contrast": text("Team; its answers with labels are compared with those without."),
        **common("outcome"),
        **common("estimate?", "se?", "ci_low?", "ci_high?", "family_low?", "family_high?", "n"),
        "n_questions": Column("int", "How many questions the numbers of the row rest on.", "count"),
        "headline": flag("Whether the study is judged by it; every row is."),
    },
    key=("contrast", "outcome"),
)


@makes(coefficients=COEFFICIENTS)
def headline_identity(estimates: pa.Table) -> list[dict[str, Any]]:
    """The primary outcome of each team, as it stands in the estimates.

    Parameters
    ----------
    estimates : all of them, see :func:`~.estimates.estimate_identity`.
    """
    measure, number, policy, peers = HEADLINE
    key = {"bank": POOLED, "condition": DIFFERENCE, "round": number}
    key |= {"measure": measure, "policy": policy, "peers": peers}
    return [
        {
            "contrast": row["team"],
            "outcome": PRIMARY,
            **{name: row[name] for name in _NUMBERS},
            "headline": True,
        }
        for row in estimates.to_pylist()
        if all(row[name] == value for name, value in key.items())
    ]
