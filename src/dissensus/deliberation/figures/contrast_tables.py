"""The tables of contrasts: the primary outcome in full, all others at a glance, and silence."""

from __future__ import annotations

import pandas as pd

from dissensus.deliberation.figures.frames import (
    OUTCOMES,
    arm_words,
    arms_of,
    complete,
    contrast_words,
    numbers,
)
from dissensus.deliberation.inference.contrasts import POOLED, PRIMARY, SECONDARY, SILENCE
from dissensus.design.contrasts import HEADLINE, RANDOMISATION
from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import Record, records
from dissensus.report.labels import MISSING, interval, number, p_value
from dissensus.report.tables import Table, make
from dissensus.report.view import View

#: After an estimate that is significant after adjustment.
_MARK = "*"

#: (outcome, arm, reference) -> row.
Keyed = dict[tuple[str, str, str], Record]


def table_contrasts(artefacts: Artefacts, view: View) -> Table:
    """The primary outcome by both methods."""
    contrasts = artefacts.frame("contrasts")
    headline, flips = (_keyed(contrasts, method) for method in (HEADLINE, RANDOMISATION))
    rows = []
    for arm, reference in _pairs(headline, view):
        row = headline.get((PRIMARY, arm, reference))
        if row is None or not row["n"]:
            continue
        flipped = flips[PRIMARY, arm, reference]
        rows.append(
            (
                contrast_words(arm, reference, view.reference),
                number(row["estimate"]),
                number(row["se"]),
                interval(row["ci_low"], row["ci_high"]),
                p_value(row["p_value"]),
                p_value(row["p_adjusted"]),
                p_value(flipped["p_value"]),
                p_value(flipped["p_adjusted"]),
                str(row["n"]),
                str(row["n_clusters"]),
            )
        )
    note = (
        f"{OUTCOMES[PRIMARY][0]}, the primary outcome: paired differences to "
        f"{arm_words(view.reference)} by draw, unless another arm is named. CR2 standard error by "
        "topic, t with Satterthwaite degrees of freedom. The sign-flip test takes the two sessions "
        "of a draw for exchangeable where the arm changes nothing: the order of arms is random, "
        "arms themselves are not dealt to draws. Holm: over the arms, by method; where another arm "
        "is named, with all other outcomes."
    )
    columns = (
        *("Arm", "Difference", "SE", f"{view.level} CI", "p", "p (Holm)"),
        *("p (sign flip)", "p (sign flip, Holm)", "Draws", "Topics"),
    )
    title = f"{OUTCOMES[PRIMARY][1]}: arms against {arm_words(view.reference)}"
    return make("table_contrasts", title, columns, rows, note, view.simulated)


def table_outcomes(artefacts: Artefacts, view: View) -> Table:
    """Every other outcome at a glance: a row for each, a column for each contrast."""
    contrasts = artefacts.frame("contrasts")
    headline = _keyed(contrasts, HEADLINE)
    pairs = _pairs(headline, view)
    alpha = 1.0 - view.confidence
    rows = []
    for outcome in SECONDARY:
        cells = [_marked(headline.get((outcome, *pair)), alpha) for pair in pairs]
        if set(cells) - {MISSING}:
            rows.append((OUTCOMES[outcome][1], *cells))
    note = (
        f"Mean paired differences to {arm_words(view.reference)} by draw, unless another arm is "
        f"named. {_MARK} p < {alpha:.2g} after Holm over all outcomes and arms but the primary's "
        "(t with CR2 standard errors by topic). Standard errors, intervals, sizes and sign-flip "
        "tests are in contrasts.parquet. A dash: no draw defines the outcome in both arms."
    )
    columns = ("Outcome", *(contrast_words(*pair, view.reference) for pair in pairs))
    title = f"All other outcomes: arms against {arm_words(view.reference)}"
    return make("table_outcomes", title, columns, rows, note, view.simulated)


def table_silence(artefacts: Artefacts, view: View) -> Table:
    """Whether silence goes with acceptance, in each arm and in all together."""
    contrasts, metrics = artefacts.frames("contrasts", "metrics")
    ended = complete(metrics)
    found = _keyed(contrasts, HEADLINE)
    rows = []
    for arm in (*arms_of(view), POOLED):
        row = found.get((SILENCE, arm, ""))
        if row is None or not row["n"]:
            continue
        shares = numbers(ended.loc[(ended["arm"] == arm) | (arm == POOLED), "silent_share"])
        rows.append(
            (
                f"{POOLED} arms" if arm == POOLED else arm_words(arm),
                number(float(shares.mean()), 2),
                number(row["estimate"]),
                number(row["se"]),
                interval(row["ci_low"], row["ci_high"]),
                p_value(row["p_value"]),
                p_value(row["p_adjusted"]),
                str(row["n"]),
                str(row["n_clusters"]),
            )
        )
    note = (
        "An exposure is an agent and another's claim for an option that is not its own. Silent: "
        "share of exposures that the agent never engages. Effect: P(takes the claim's option later "
        "| silent) − P(... | engaged) within a session, mean over the sessions that have both, by "
        "draw; an association, since agents choose what to answer. Holm over the arms."
    )
    columns = (
        *("Arm", "Silent", "Effect", "SE", f"{view.level} CI", "p", "p (Holm)", "Sessions"),
        "Draws",
    )
    return make("table_silence", "Silence as acceptance", columns, rows, note, view.simulated)


def _keyed(contrasts: pd.DataFrame, method: str) -> Keyed:
    return {
        (row["outcome"], row["arm"], row["reference"]): row
        for row in records(contrasts[contrasts["method"] == method])
    }


def _pairs(headline: Keyed, view: View) -> list[tuple[str, str]]:
    """Arm and reference of every contrast, in the order of the arms."""
    named = {(arm, reference) for _, arm, reference in headline}
    return [
        (arm, reference)
        for reference in arms_of(view)
        for arm in arms_of(view)
        if (arm, reference) in named
    ]


def _marked(row: Record | None, alpha: float) -> str:
    """An estimate, with a mark where it is significant."""
    if row is None or not row["n"]:
        return MISSING
    return number(row["estimate"], 2) + (_MARK if row["p_adjusted"] < alpha else "")
