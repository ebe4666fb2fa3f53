"""Tables 1 to 7, in the paper's shape; further languages add rows."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dissensus.design.stopping import ANYTIME
from dissensus.report.frames import Column, Record, keyed, limits, records, tabulate
from dissensus.report.labels import (
    MISSING,
    contrast_words,
    interval,
    listed,
    number,
    p_value,
    scale_words,
    span,
    whole,
)
from dissensus.report.tables import Row, Table, make, nothing
from dissensus.report.view import Artefacts, View

from ..inference.estimators import METHODS, NET, NET_SIGN_FLIP, OFFSET, REFITTED
from .frames import (
    debates_of,
    fitted_on,
    languages_of,
    may_stop,
    paper,
    primary,
)

ROLES = ("P1", "P2", "O1", "O2")

#: The methods of the paper's Table 7, by the study's names.
_AS_THE_PAPER = {
    "bootstrap_draw_percentile": "Paired diff.",
    "student_t": "Paired t-test",
    "sign_flip": "Sign-flip test",
}


def _scales(view: View) -> list[str]:
    """The primary outcome and the paper's, once where they are the same."""
    return list(dict.fromkeys((primary(view), paper(view))))


def table_1(artefacts: Artefacts, view: View) -> Table:
    """Main causal estimates: net of the instrument first, then the paper's index as it reads."""
    effect = artefacts.frame("language_effect")
    estimates, rows = keyed(effect, "contrast", "outcome", "method"), []
    contrasts = list(dict.fromkeys(effect["contrast"]))
    fitted = (
        "Its interval, and those by motion with refitted anchors, come from resamples of motions "
        "that fit anchors and offset anew."
    )
    if may_stop(view):
        fitted = (
            "On the primary scale its interval and p hold at all looks, as far as a motion's "
            "difference is symmetric about its mean; all others by motion come from resamples of "
            "motions."
        )
    for contrast in contrasts:
        for outcome in _scales(view):
            place = (contrast_words(contrast), scale_words(outcome))
            by = {
                name: row
                for (c, o, name), row in estimates.items()
                if (c, o) == (contrast, outcome)
            }
            rows += [(*place, *cells) for cells in _effect_rows(by)]
    note = (
        "Homogeneity Index over draws complete in both languages. The paired difference contains "
        "what the debaters did and what the index makes of the same debate in two languages, the "
        "instrument's offset. The net effect is the difference less the offset, measured on "
        f"parallel texts in both directions. {fitted} By draw: "
        "percentile bootstrap over draws with the anchors fixed, as in the paper. p (Fisher's): "
        f"sign-flip randomisation test of whole motions. The index is anchored on "
        f"{fitted_on(view)}; "
        f"the scale that stands for the paper's is {scale_words(paper(view))}."
    )
    if not any(name == NET for _, _, name in estimates):
        note += (
            " No parallel text was measured in this run, so that nobody can say how much of the "
            "paired difference is the instrument's offset."
        )
    heads = (
        *("Contrast", "Scale", "Quantity", "Estimate"),
        *(f"{view.level} CI, by motion", f"{view.level} CI, by draw"),
        *("p-value", "p (Fisher's)", "N pairs"),
    )
    title = "Table 1: Main causal estimates"
    return make("table_1", title, heads, rows, note, view.simulated)


def _effect_rows(by: Mapping[str, Record]) -> list[Row]:
    """Net effect and offset, where they were measured, and the paper's index as it reads."""
    t, boot, flip = by["student_t"], by["bootstrap_draw_percentile"], by["sign_flip"]
    refitted, n = by.get(REFITTED, by["cluster_robust"]), str(t["n"])
    as_read = (
        *("Paired difference, the paper's index", number(t["estimate"]), _limits(refitted)),
        *(_limits(boot), MISSING, p_value(flip["p_value"]), n),
    )
    if NET not in by:
        return [as_read]
    # Of a study that may stop, the one that holds at all looks.
    net, offset = by.get(ANYTIME, by[NET]), by[OFFSET]
    fisher = p_value(by[NET_SIGN_FLIP]["p_value"]) if NET_SIGN_FLIP in by else MISSING
    return [
        (
            *("Effect net of the instrument", number(net["estimate"]), _limits(net)),
            *(MISSING, p_value(net["p_value"]), fisher, n),
        ),
        (
            *("Instrument offset", number(offset["estimate"]), _limits(offset)),
            *(MISSING, MISSING, MISSING, MISSING),
        ),
        as_read,
    ]


def _limits(row: Record) -> str:
    return interval(row["ci_low"], row["ci_high"])


def table_2(artefacts: Artefacts, view: View) -> Table:
    """Domain means."""
    domains = artefacts.frame("domains")
    rows: list[Row] = []
    scales = _scales(view)
    both = domains[(domains["language"] == "both") & (domains["method"] == "student_t")]
    by_scale = {scale: keyed(both[both["outcome"] == scale], "domain_id") for scale in scales}
    ordered = sorted(by_scale[primary(view)].values(), key=lambda row: -row["estimate"])
    for row in ordered:
        cells = [str(row["domain_id"]), row["domain"], str(row["n"])]
        for scale in scales:
            mean = by_scale[scale][row["domain_id"]]
            cells += [number(mean["estimate"]), span(mean["ci_low"], mean["ci_high"])]
        rows.append(tuple(cells))
    heads = [head for s in scales for head in (f"Mean, {scale_words(s)}", f"{view.level} CI")]
    note = (
        "Mean over the languages of a draw, by the domain drawn, with Student's interval by draw, "
        "as if draws of one motion were independent: about these motions. domains.parquet has the "
        "interval by motion. "
        f"N = {whole(sum(row['n'] for row in ordered))} draws complete in every language, "
        "in the order of the first mean."
    )
    title = "Table 2: Domain-policy means by assigned domain"
    return make("table_2", title, ("ID", "Domain", "N", *heads), rows, note, view.simulated)


def _part(diagnostics: pd.DataFrame, check: str, statistic: str) -> pd.DataFrame:
    chosen = (diagnostics["check"] == check) & (diagnostics["statistic"] == statistic)
    return diagnostics[chosen]


def _tested(diagnostics: pd.DataFrame, check: str, statistic: str, name: str) -> str:
    """Such as "Chi-square 5.30, df 8, p = 0.725"; nothing where there was nothing to test."""
    part = _part(diagnostics, check, statistic)
    row = keyed(part, "group").get("all")
    if row is None or pd.isna(row["p_value"]):
        return ""
    df = "" if pd.isna(row["df"]) else f", df {row['df']:g}"
    return f" {name} {number(row['value'], 2)}{df}, p = {p_value(row['p_value'])}."


def table_3(artefacts: Artefacts, view: View) -> Table:
    """Domain counts."""
    diagnostics = artefacts.frame("diagnostics")
    counts = _part(diagnostics, "domain_assignment", "draws")
    total = int(counts["value"].sum())
    rows = [
        (row["group"], row["note"], f"{row['value']:.0f}", number(row["value"] / row["n"], 2))
        for row in records(counts)
    ]
    rows.append(("", "Total initiated", str(total), number(1.0, 2)))
    note = f"All N = {whole(total)} draws initiated, lost ones too." + _tested(
        diagnostics, "domain_assignment", "chi_square", "Test of equal counts: chi-square"
    )
    title = "Table 3: Domain assignment"
    return make("table_3", title, ("ID", "Domain", "N", "Share"), rows, note, view.simulated)


def table_4(artefacts: Artefacts, view: View) -> Table:
    """Language order."""
    diagnostics = artefacts.frame("diagnostics")
    first = _part(diagnostics, "language_order", "draws_first")
    shares = keyed(_part(diagnostics, "language_order", "share_first"), "group")
    rows = []
    for row in records(first):
        share = shares[row["group"]]
        expected = row["n"] / len(first)
        rows.append(
            (
                f"{row['group']}_first",
                f"{row['value']:.0f}",
                number(share["value"], 2),
                f"{expected:g}",
                span(share["ci_low"], share["ci_high"]),
                p_value(share["p_value"]),
            )
        )
    total = int(first["value"].sum())
    rows.append(("Total", str(total), number(1.0, 2), str(total), "", ""))
    note = (
        f"N = {whole(total)} draws. Interval of the share: Clopper-Pearson, {view.level}; p: exact "
        f"binomial test of 1/{len(first)}."
    )
    columns = ("Order", "N draws", "Share", "Expected", f"{view.level} CI", "p-value")
    return make("table_4", "Table 4: Language order", columns, rows, note, view.simulated)


def table_5(artefacts: Artefacts, view: View) -> Table:
    """Model by role."""
    diagnostics = artefacts.frame("diagnostics")
    title, counts = (
        "Table 5: Model-to-role assignment",
        _part(diagnostics, "model_by_role", "draws"),
    )
    if counts.empty:
        return nothing("table_5", title, "No draw has a role to assign.", view.simulated)
    cells = dict(zip(counts["group"], counts["value"], strict=True))
    models = list(dict.fromkeys(group.split(": ", 1)[1] for group in cells))
    rows = []
    for role in ROLES:
        of_role = [cells[f"{role}: {model}"] for model in models]
        rows.append((role, *(f"{n:.0f}" for n in of_role), f"{sum(of_role):.0f}"))
    facts = artefacts.facts("diagnostics")
    n = int(facts.shared("n", check="model_by_role", statistic="draws"))
    squares = facts.shared("value", check="model_by_role", statistic="sum_squares")
    note = (
        f"N = {whole(n)} draws; expected in each cell {whole(n / len(models))}; "
        f"sum of squared deviations {whole(squares)}."
    )
    note += _tested(diagnostics, "model_by_role", "q", "Anderson's Q for random permutations")
    note += _tested(diagnostics, "model_by_role", "sum_squares", "Monte Carlo test of that sum:")
    columns = ("Role", *models, "Total")
    return make("table_5", title, columns, rows, note, view.simulated)


def table_6(artefacts: Artefacts, view: View) -> Table:
    """Session attempts."""
    diagnostics, outcomes = artefacts.frames("diagnostics", "outcomes")
    outcomes = debates_of(outcomes)
    parts = diagnostics[diagnostics["check"] == "attempts"]
    cells = {(row["group"], row["statistic"]): row["value"] for row in records(parts)}
    languages = languages_of(outcomes, view.reference)
    times = sorted({int(group.split(": ")[1]) for group, _ in cells})
    rows = []
    for k in times:
        counts = tuple(f"{cells.get((f'{name}: {k}', 'sessions'), 0):.0f}" for name in languages)
        rows.append(
            (
                str(k),
                f"{cells[f'all: {k}', 'sessions']:.0f}",
                number(cells[f"all: {k}", "share"]),
                number(cells[f"all: {k}", "cumulative_share"]),
                *counts,
            )
        )
    n = len(outcomes)
    totals = (str(int((outcomes["language"] == name).sum())) for name in languages)
    rows.append(("Total", str(n), number(1.0), "–", *totals))
    lost = int((~outcomes["complete"].astype(bool)).sum())
    note = (
        f"N = {whole(n)} sessions initiated. A session whose attempt ends in a hard failure of the "
        f"provider is run again whole; {whole(lost)} failed for good after the last attempt."
    )
    columns = ("Attempts", "N sessions", "Share", "Cum.", *languages)
    return make("table_6", "Table 6: Session attempts", columns, rows, note, view.simulated)


def table_7(artefacts: Artefacts, view: View) -> Table:
    """Every method on the primary scale and on the paper's."""
    effect = artefacts.frame("language_effect")
    columns = (
        Column("Contrast", "contrast", contrast_words),
        Column("Scale", "outcome", scale_words),
        Column("Method", "method", _method),
        Column("N", "n"),
        Column("Est.", "estimate", number),
        limits(view, written=span),
        Column("p-value", "p_value", p_value),
    )
    note = (
        "N counts draws complete in both languages, and for the bounds all draws. Estimates are "
        "mean differences where the method does not say otherwise. The paper has the three methods "
        f"that are named as in its table. {_headline_of(effect)}"
    )
    if may_stop(view):
        note += f" Anchors are fitted once in all of them, on {fitted_on(view)}."
    rows = records(effect[effect["outcome"].isin(_scales(view))])
    title = "Table 7: Inference for the paired language effect"
    return tabulate("table_7", title, columns, rows, note, view)


def _headline_of(effect: pd.DataFrame) -> str:
    """The methods of the headlines, one a contrast, in a sentence."""
    methods = dict.fromkeys(effect.loc[effect["headline"].astype(bool), "method"])
    named = [METHODS[name].rstrip(".") for name in methods]
    return f"The headline: {listed(f'{name[0].lower()}{name[1:]}' for name in named)}."


def _method(name: str) -> str:
    """A method in words, after its name in the paper's table where it has one."""
    sentence = METHODS.get(name, name).rstrip(".")
    named = _AS_THE_PAPER.get(name)
    return f"{named} ({sentence[0].lower()}{sentence[1:]})" if named else sentence
