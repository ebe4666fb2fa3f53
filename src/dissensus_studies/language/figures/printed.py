"""The paper's printed numbers beside this run's, and what the printed numbers imply."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dissensus.report.frames import Keyed, keyed
from dissensus.report.labels import MISSING, interval, number, p_value, percent
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View

from ..design.reliability import ALL
from ..inference.estimators import NET, OFFSET
from .frames import by_language_means, languages_of, paper

#: The counts of the paper's Tables 3, 4 and 6.
TABLE_3 = (12, 14, 16, 9, 8, 8, 12, 10, 11)
TABLE_4 = (62, 38)
TABLE_6 = (182, 15, 3)


@dataclass(frozen=True)
class Implied:
    """What follows from the printed numbers; tests derive each of them again."""

    offset: str = "cannot be told from an offset of the instrument"
    se: str = "SE 0.0287, t 17.37, d_z 1.746 (t interval, 98 df)"
    mean_both: str = "0.750 (N-weighted mean of Table 2)"
    english: str = "0.501 (mean of both minus half the ATE)"
    chinese: str = "1.000: every Chinese session at the scale's ceiling"
    ceiling: str = "ATE = 1 − mean English; its interval is that of the English mean"
    sd: str = "SD of the difference 0.286; MDE at 80% power 0.081"
    omnibus: str = "ANOVA F(8, 90) = 1.434, p = 0.193; Welch F(8, 35.27) = 1.464, p = 0.206"
    picked: str = "Welch p = 0.009 with t intervals; smallest of 36 by BH 0.218"
    domains: str = "chi-square 5.30, df 8, p = 0.725"
    order: str = "exact binomial p = 0.021"
    casts: str = "sum of squared deviations 86, Q 2.58, df 9, p = 0.979"
    attempts: str = "0.910, 0.075, 0.015"
    compliance: str = "0 failures of 99: upper 95% bound 3.66% (Clopper-Pearson)"
    attrition: str = "1 of 100 is 1.0%, which is not under 1%"


IMPLIED = Implied()


def table_paper(artefacts: Artefacts, view: View) -> Table:
    """Printed, implied, and found here, for the first contrast on the scale nearest the paper's."""
    _, language, *_ = languages_of(artefacts.frame("metrics"), view.reference)
    contrast = f"{language}-{view.reference}"
    rows = [*_effect_rows(artefacts, contrast, language, view), *_domain_rows(artefacts, view)]
    rows += [*_design_rows(artefacts, language, view), *_text_rows(artefacts)]
    note = (
        'Printed: the numbers of "Language as a Treatment" (anonymous ACL submission), not ours. '
        "Implied: what follows from the printed numbers alone. This run: the same quantity from "
        f"this run's artefacts, contrast {contrast}, on the scale that stands for the paper's "
        f"({paper(view).removeprefix('hi_')}); the paper does not say which bounded scale it used."
    )
    columns = ("Quantity", "Paper, as printed", "Implied by the printed numbers", "This run")
    title = "The paper's printed numbers beside this run's"
    return make("table_paper", title, columns, rows, note, view.simulated)


def _effect_rows(run: Artefacts, contrast: str, language: str, view: View) -> list[Row]:
    effect, metrics = run.frames("language_effect", "metrics")
    of_contrast = effect[(effect["contrast"] == contrast) & (effect["outcome"] == paper(view))]
    by = keyed(of_contrast, "method")
    t, boot, flip = by["student_t"], by["bootstrap_draw_percentile"], by["sign_flip"]
    means = by_language_means(metrics, paper(view), [language, view.reference])
    n = int(t["n"])
    sd = float(t["se"]) * n**0.5
    dz = number(float(t["estimate"]) / sd) if sd > 0 else MISSING
    ratio = number(float(t["estimate"]) / float(t["se"]), 2) if sd > 0 else MISSING
    powered, there = run.facts("power"), {"basis": contrast, "n_draws": n}
    mde = number(powered.shared("mde", **there)) if powered.rows(**there) else MISSING
    return [
        ("Pairs (Table 1)", "99", "", str(n)),
        ("ATE (Table 1)", "0.499", IMPLIED.offset, number(t["estimate"])),
        *_instrument_rows(by),
        (
            "95% CI of the ATE (Table 1)",
            "[0.442, 0.556]",
            IMPLIED.se,
            f"{interval(boot['ci_low'], boot['ci_high'])} ({view.level}, by draw); "
            f"SE {number(t['se'], 4)}, t {ratio}, d_z {dz}",
        ),
        ("p, Fisher's (Table 1)", "<0.001", "", p_value(flip["p_value"])),
        ("Mean of both languages", "not printed", IMPLIED.mean_both, number(float(means.mean()))),
        *_mean_rows(float(means[view.reference]), float(means[language])),
        (
            "SD of the difference, MDE",
            "not printed",
            IMPLIED.sd,
            f"{number(sd)}; MDE on the primary scale {mde}",
        ),
    ]


def _instrument_rows(by: Keyed) -> list[Row]:
    """What the paper has not measured, from the rows of its contrast by method."""
    net = by.get(NET)
    limits = interval(net["ci_low"], net["ci_high"]) if net else ""
    offset = number(by[OFFSET]["estimate"]) if OFFSET in by else MISSING
    beside = ("not measured", "no parallel text")
    return [
        ("Instrument offset", *beside, offset),
        (
            "Effect net of the instrument",
            *beside,
            f"{number(net['estimate'])} {limits}" if net else MISSING,
        ),
    ]


def _mean_rows(reference: float, language: float) -> list[Row]:
    """The means that the paper's figures imply."""
    return [
        (
            "Mean English (here: of the reference)",
            "not printed",
            IMPLIED.english,
            number(reference),
        ),
        ("Mean Chinese (here: of the language)", "not printed", IMPLIED.chinese, number(language)),
        ("1 − mean of the reference", "not printed", IMPLIED.ceiling, number(1 - reference)),
    ]


def _domain_rows(run: Artefacts, view: View) -> list[Row]:
    tests, contrasts = run.frames("domain_tests", "domain_contrasts")
    of_outcome = tests[(tests["outcome"] == paper(view)) & (tests["language"] == "both")]
    by = keyed(of_outcome, "method")
    omnibus = ", ".join(
        f"{label} F {number(by[name]['statistic'])}, p = {p_value(by[name]['p_value'])}"
        for name, label in (("anova", "ANOVA"), ("welch", "Welch"))
    )
    pairs = contrasts[contrasts["outcome"] == paper(view)]
    p_values = pairs["p_value"].dropna()
    picked = by["largest_minus_smallest"]
    smallest = MISSING
    if len(p_values):
        smallest = (
            f"smallest Welch p {p_value(p_values.min())}, by BH {p_value(pairs['p_bh'].min())}"
        )
    return [
        ("Omnibus test of domains (5.1)", "limited evidence, no number", IMPLIED.omnibus, omnibus),
        (
            "Largest against smallest domain (5.1)",
            "p ≈ 0.004",
            IMPLIED.picked,
            f"{smallest}; allowing for the picking p = {p_value(picked['p_value'])}",
        ),
    ]


def _design_rows(run: Artefacts, language: str, view: View) -> list[Row]:
    checked = keyed(run.frame("diagnostics"), "check", "group", "statistic")

    def value_of(check: str, group: str, statistic: str, column: str = "value") -> float:
        return float(checked.get((check, group, statistic), {}).get(column, "nan"))

    def p_of(check: str, group: str, statistic: str) -> str:
        return f"p = {p_value(value_of(check, group, statistic, 'p_value'))}"

    order = ("language_order", view.reference)
    shares = (value_of("attempts", f"all: {k}", "share") for k in (1, 2, 3))
    complied = ("compliance", language, "share_compliant")
    casts = (
        f"sum of squared deviations {number(value_of('model_by_role', 'all', 'sum_squares'), 0)}"
    )
    if ("model_by_role", "all", "q") in checked:
        q = ("model_by_role", "all", "q")
        casts += f", Q {number(value_of(*q), 2)}, {p_of(*q)}"
    uniform = ("domain_assignment", "all", "chi_square")
    here = {
        ("Domain counts (Table 3)", ", ".join(map(str, TABLE_3)), IMPLIED.domains): (
            f"chi-square {number(value_of(*uniform), 2)}, {p_of(*uniform)}"
        ),
        ("Reference first (Table 4)", f"{TABLE_4[0]} of {sum(TABLE_4)}", IMPLIED.order): (
            f"{number(value_of(*order, 'draws_first'), 0)} of "
            f"{number(value_of(*order, 'draws_first', 'n'), 0)}, {p_of(*order, 'share_first')}"
        ),
        ("Model by role (Table 5)", "16 counts from 21 to 29", IMPLIED.casts): casts,
        ("Attempts (Table 6)", ", ".join(map(str, TABLE_6)), IMPLIED.attempts): ", ".join(
            map(number, shares)
        ),
        ("Compliance (5.3)", "99 of 99 in both languages", IMPLIED.compliance): (
            f"{percent(value_of(*complied))} in {language}, "
            f"up to {percent(1 - value_of(*complied, 'ci_low'), 2)} failures"
        ),
        ("Attrition (5.3)", '1 pair of 100, "< 1%"', IMPLIED.attrition): (
            f"{percent(value_of('attrition', 'all', 'share_of_draws_lost'))} of draws"
        ),
    }
    return [(*printed, value) for printed, value in here.items()]


def _of_all(reliability: pd.DataFrame) -> pd.DataFrame:
    return reliability[reliability["source"] == ALL]


def _text_rows(run: Artefacts) -> list[Row]:
    kappa = keyed(_of_all(run.frame("reliability")), "statistic")["cohen_kappa"]["value"]
    return [
        (
            "Codebook and reliability (3.2)",
            "promised for the appendix",
            "not printed there",
            f"codebook in resources/motions; Cohen's kappa {number(kappa)}",
        ),
        (
            "DeepSeek's version",
            "V3.2 in 3.2, 4.1 and E; V3.1 in Table 5",
            "inconsistent",
            "as in the configuration",
        ),
        (
            "System message",
            "private one in 4.2; none in D.1",
            "inconsistent",
            "a setting, none by default",
        ),
    ]
