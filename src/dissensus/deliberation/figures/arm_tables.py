"""What the arms were like: their outcomes, hints and calls."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dissensus.deliberation.figures.frames import (
    OUTCOMES,
    arm_words,
    arms_of,
    attrition,
    complete,
    contrast_words,
    numbers,
)
from dissensus.deliberation.inference.contrasts import HINTS
from dissensus.design.contrasts import HEADLINE
from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import Record, records
from dissensus.report.labels import MISSING, interval, number
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import View

#: What an arm's means are given of.
_MEANS = (
    "entropy_first",
    "entropy_last",
    "retention_last",
    "density_mean",
    "claim_engagement",
    "silent_share",
    "ignored_share",
    "dominance",
    "sycophancy_per_opportunity",
    "agreement_last",
    "correct_last",
    "quality_last",
    "consistency",
)

_FIRST = "Entropy, first"


def table_arms(artefacts: Artefacts, view: View) -> Table:
    """Means of the main outcomes in each arm."""
    metrics, manifest = artefacts.frames("metrics", "manifest")
    ended = complete(metrics)
    rows = []
    for arm in arms_of(view):
        own = ended[ended["arm"] == arm]
        assigned = int((manifest["arm"] == arm).sum())
        cells = [_mean(own[name], len(own)) for name in _MEANS]
        rows.append((arm_words(arm), f"{len(own)}/{assigned}", *cells))
    columns = ("Arm", "Held", *(OUTCOMES.get(name, ("", _FIRST))[1] for name in _MEANS))
    note = (
        "Means over the sessions held to their end (of those assigned). Where an outcome is "
        "undefined in some of them (no judge, no truth, nobody who disagreed) the number of "
        "sessions stands in brackets. Entropy in bits; the measures are the project's own."
    )
    facts = {"reference": arm_words(view.reference), "attrition": attrition(metrics, manifest)}
    return make("table_arms", "Outcomes by arm", columns, rows, note, view.simulated, facts)


def _mean(column: pd.Series[float], n: int) -> str:
    """A mean, with its size where that is not all."""
    values = numbers(column)
    if not len(values):
        return MISSING
    return number(float(values.mean()), 2) + (f" ({len(values)})" if len(values) < n else "")


def table_hints(artefacts: Artefacts, view: View) -> Table:
    """Acceptance of valid hints beside rejection of invalid ones."""
    metrics, contrasts = artefacts.frames("metrics", "contrasts")
    ended = complete(metrics)
    rows: list[Row] = []
    for arm in arms_of(view):
        own = ended[ended["arm"] == arm]
        if own[list(HINTS)].notna().any(axis=None):
            cells = [cell for name in HINTS for cell in _spread(own[name])]
            rows.append((arm_words(arm), *cells))
    differences = contrasts[
        (contrasts["method"] == HEADLINE)
        & contrasts["outcome"].isin(list(HINTS))
        & (contrasts["reference"] != view.reference)
    ]
    pairs = dict.fromkeys(zip(differences["arm"], differences["reference"], strict=True))
    for arm, reference in pairs:
        found = {
            row["outcome"]: row
            for row in records(differences[differences["arm"] == arm])
            if row["reference"] == reference
        }
        cells = [cell for name in HINTS for cell in _difference(found.get(name))]
        rows.append((contrast_words(arm, reference, view.reference), *cells))
    note = (
        "Valid: share of the agents that did not hold the hinted option before and end on it. "
        "Invalid: share of those that do not end on it. Means over sessions with the standard "
        f"deviation; differences within draws with {view.level} intervals by topic. An arm that "
        "rejects all hints alike gains in one column what it loses in the other."
        if rows
        else "No session of this run was given a hint."
    )
    columns = (
        *("Arm", "Valid accepted", "SD or CI, valid", "N valid"),
        *("Invalid rejected", "SD or CI, invalid", "N invalid"),
    )
    return make("table_hints", "What became of hints", columns, rows, note, view.simulated)


def _spread(column: pd.Series[float]) -> Row:
    values = numbers(column)
    if not len(values):
        return (MISSING, MISSING, "0")
    sd = number(float(values.std(ddof=1)), 2) if len(values) > 1 else MISSING
    return (number(float(values.mean()), 2), sd, str(len(values)))


def _difference(row: Record | None) -> Row:
    if row is None:
        return (MISSING, MISSING, "0")
    return (number(row["estimate"], 2), interval(row["ci_low"], row["ci_high"], 2), str(row["n"]))


def table_calls(artefacts: Artefacts, view: View) -> Table:
    """What each arm asked of models, and whether debaters were asked as often as designed."""
    metrics, outcomes, manifest = artefacts.frames("metrics", "outcomes", "manifest")
    frame = complete(metrics).merge(
        manifest[["session_id", "agents", "rounds"]], on="session_id", validate="1:1"
    )
    rows = []
    for arm in arms_of(view):
        own, ended = frame[frame["arm"] == arm], outcomes[outcomes["arm"] == arm]
        designed = int((own["agents"] * own["rounds"]).sum())
        debaters = int(own["debater_calls"].sum())
        judges = int(own["judge_calls"].sum())
        rows.append(
            (
                arm_words(arm),
                str(len(own)),
                str(designed),
                str(debaters),
                "yes" if debaters == designed else "NO",
                str(judges),
                str(int(own["retry_calls"].sum())),
                number(judges / debaters if debaters else np.nan, 2),
                str(int(ended["repairs"].sum())),
                str(int(ended["attempts"].sum())),
            )
        )
    note = (
        "Turns of the sessions held to their end: N agents in R rounds make N × R debater calls, "
        "whatever the arm. Retries are turns that a judge sent back; repairs, further calls for a "
        "reply without its structured part; attempts, how often sessions were begun, lost ones "
        "included."
    )
    columns = (
        *("Arm", "Sessions", "N × R", "Debater calls", "As designed", "Judge calls"),
        *("Retries", "Judge per debater call", "Repairs", "Attempts"),
    )
    return make("table_calls", "Calls by arm", columns, rows, note, view.simulated)
