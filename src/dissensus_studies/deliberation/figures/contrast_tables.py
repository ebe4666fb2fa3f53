"""The tables of contrasts: the primary outcome in full, all others at a glance, and silence."""

from __future__ import annotations

from functools import partial

import pandas as pd

from dissensus.design.contrasts import HEADLINE
from dissensus.report.arms import at_all_looks, with_flips
from dissensus.report.frames import Column, Keyed, Record, complete, keyed, limits, mean, tabulate
from dissensus.report.labels import MISSING, marked, number, p_value
from dissensus.report.tables import Table, make
from dissensus.report.view import Artefacts, View

from ..inference.contrasts import POOLED, SECONDARY, SILENCE
from ..outcomes import OUTCOMES, PRIMARY
from .frames import contrast_words, short_name

#: After an estimate that is significant after adjustment.
_MARK = "*"

#: What names a row of one method.
_KEY = ("outcome", "arm", "reference")


def _estimated(header: str, view: View) -> tuple[Column, ...]:
    """The estimate of a row under this header, its standard error, interval and p-values."""
    return (
        Column(header, "estimate", number),
        Column("SE", "se", number),
        limits(view),
        Column("p", "p_value", p_value),
        Column("p (Holm)", "p_adjusted", p_value),
    )


def table_contrasts(artefacts: Artefacts, view: View) -> Table:
    """The primary outcome by both methods."""
    contrasts = artefacts.frame("contrasts")
    primary = with_flips(contrasts[contrasts["outcome"] == PRIMARY], "arm", "reference")
    of_pair = {(row["arm"], row["reference"]): row for row in primary}
    pairs = _pairs(_keyed(contrasts, HEADLINE), view)
    rows = [of_pair[pair] for pair in pairs if pair in of_pair and of_pair[pair]["n"]]
    columns = (
        Column("Arm", ("arm", "reference"), partial(contrast_words, view=view)),
        *_estimated("Difference", view),
        Column("p (sign flip)", "flipped", p_value),
        Column("p (sign flip, Holm)", "flipped_adjusted", p_value),
        Column("Draws", "n"),
        Column("Topics", "n_clusters"),
    )
    note = (
        f"{OUTCOMES[PRIMARY].title}, the primary outcome: paired differences to "
        f"{view.arm(view.reference)} by draw, unless another arm is named. CR2 standard error by "
        "topic, t with Satterthwaite degrees of freedom. The sign-flip test flips all "
        "draws of a topic together: the arm changes nothing in any topic, or as often one way as "
        "the other. Holm: over the arms, by method; where another arm "
        f"is named, with all other outcomes.{at_all_looks(contrasts)}"
    )
    title = f"{OUTCOMES[PRIMARY].column}: arms against {view.arm(view.reference)}"
    return tabulate("table_contrasts", title, columns, rows, note, view)


def table_outcomes(artefacts: Artefacts, view: View) -> Table:
    """Every other outcome at a glance: a row for each, a column for each contrast."""
    contrasts = artefacts.frame("contrasts")
    headline = _keyed(contrasts, HEADLINE)
    pairs = _pairs(headline, view)
    rows = []
    for outcome in SECONDARY:
        cells = [_marked(headline[outcome, *pair], view.alpha) for pair in pairs]
        if set(cells) - {MISSING}:
            rows.append((short_name(outcome), *cells))
    note = (
        f"Mean paired differences to {view.arm(view.reference)} by draw, unless another arm is "
        f"named. {_MARK} p < {view.alpha:.2g} after Holm over all outcomes and arms but the "
        "primary's (t with CR2 standard errors by topic). Standard errors, intervals, sizes and "
        "sign-flip tests are in contrasts.parquet. A dash: no draw defines the outcome in both "
        "arms."
    )
    columns = ("Outcome", *(contrast_words(*pair, view) for pair in pairs))
    title = f"All other outcomes: arms against {view.arm(view.reference)}"
    return make("table_outcomes", title, columns, rows, note, view.simulated)


def table_silence(artefacts: Artefacts, view: View) -> Table:
    """Whether silence goes with acceptance, in each arm and in all together."""
    contrasts, metrics = artefacts.frames("contrasts", "metrics")
    ended = complete(metrics)
    silent = {arm: mean(ended.loc[ended["arm"] == arm, "silent_share"]) for arm in view.arms}
    silent[POOLED] = mean(ended["silent_share"])
    effects = _keyed(contrasts, HEADLINE)
    rows = [
        effects[SILENCE, arm, ""] | {"silent": share}
        for arm, share in silent.items()
        if (SILENCE, arm, "") in effects and effects[SILENCE, arm, ""]["n"]
    ]
    columns = (
        Column("Arm", "arm", lambda arm: f"{POOLED} arms" if arm == POOLED else view.arm(arm)),
        Column("Silent", "silent", partial(number, digits=2)),
        *_estimated("Effect", view),
        Column("Sessions", "n"),
        Column("Draws", "n_clusters"),
    )
    note = (
        "An exposure is an agent and another's claim for an option that is not its own. Silent: "
        "share of exposures that the agent never engages. Effect: P(takes the claim's option later "
        "| silent) − P(... | engaged) within a session, mean over the sessions that have both, by "
        "draw; an association, since agents choose what to answer. Holm over the arms."
    )
    return tabulate("table_silence", "Silence as acceptance", columns, rows, note, view)


def _keyed(contrasts: pd.DataFrame, method: str) -> Keyed:
    return keyed(contrasts[contrasts["method"] == method], *_KEY)


def _pairs(headline: Keyed, view: View) -> list[tuple[str, str]]:
    """Arm and reference of every contrast, in the order of the arms."""
    named = {(arm, reference) for _, arm, reference in headline}
    return [
        (arm, reference)
        for reference in view.arms
        for arm in view.arms
        if (arm, reference) in named
    ]


def _marked(row: Record, alpha: float) -> str:
    """An estimate, with a mark where it is significant."""
    if not row["n"]:
        return MISSING
    return marked(number(row["estimate"], 2), _MARK if row["p_adjusted"] < alpha else "")
