"""The paper's printed numbers beside this run's, and what the printed numbers imply."""

from __future__ import annotations

import pandas as pd

from dissensus.data_files import beside, read_data
from dissensus.report.claims.printed import Printed, Slots, show_printed
from dissensus.report.frames import Keyed, keyed
from dissensus.report.labels import MISSING, interval, number, p_value, percent
from dissensus.report.tables import Table, nothing
from dissensus.report.view import Artefacts, View

from ..design.reliability import ALL
from ..inference.estimators import NET, OFFSET
from .frames import by_language_means, languages_of, paper

PAPER = read_data(Printed, beside(__file__, "../printed.yaml"))


def table_paper(artefacts: Artefacts, view: View) -> Table:
    """Printed, implied, and found here, for the first contrast on the scale nearest the paper's."""
    language = next(iter(languages_of(artefacts.frame("metrics"), view.reference)[1:]), "")
    if not language:
        why = "No session is in a language besides the reference, so that nothing is to compare."
        return nothing("table_paper", PAPER.title, why, view.simulated)
    contrast = f"{language}-{view.reference}"
    found = {
        **_effect(artefacts, contrast, language, view),
        **_domains(artefacts, view),
        **_design(artefacts, language, view),
        "codebook": _codebook(artefacts.frame("reliability")),
    }
    of_note = {"contrast": contrast, "scale": paper(view).removeprefix("hi_")}
    return show_printed("table_paper", PAPER, found, of_note, is_simulated=view.simulated)


def _here(value: str) -> Slots:
    return {"here": value}


def _effect(run: Artefacts, contrast: str, language: str, view: View) -> dict[str, Slots]:
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
    return {
        "pairs": _here(str(n)),
        "ate": _here(number(t["estimate"])),
        **_instrument(by),
        "interval": {
            "limits": interval(boot["ci_low"], boot["ci_high"]),
            "level": view.level,
            "se": number(t["se"], 4),
            "t": ratio,
            "dz": dz,
        },
        "p_value": _here(p_value(flip["p_value"])),
        "mean_both": _here(number(float(means.mean()))),
        "mean_reference": _here(number(float(means[view.reference]))),
        "mean_language": _here(number(float(means[language]))),
        "ceiling": _here(number(1 - float(means[view.reference]))),
        "sd": {"sd": number(sd), "mde": mde},
    }


def _instrument(by: Keyed) -> dict[str, Slots]:
    """What the paper has not measured, from the rows of its contrast by method."""
    net = by.get(NET)
    limits = interval(net["ci_low"], net["ci_high"]) if net else ""
    return {
        "offset": _here(number(by[OFFSET]["estimate"]) if OFFSET in by else MISSING),
        "net": _here(f"{number(net['estimate'])} {limits}" if net else MISSING),
    }


def _domains(run: Artefacts, view: View) -> dict[str, Slots]:
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
    return {
        "omnibus": _here(omnibus),
        "picked": {"smallest": smallest, "p": p_value(picked["p_value"])},
    }


def _design(run: Artefacts, language: str, view: View) -> dict[str, Slots]:
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
    return {
        "domain_counts": {
            "statistic": number(value_of(*uniform), 2),
            "p": p_of(*uniform),
        },
        "order": {
            "first": number(value_of(*order, "draws_first"), 0),
            "draws": number(value_of(*order, "draws_first", "n"), 0),
            "p": p_of(*order, "share_first"),
        },
        "casts": _here(casts),
        "attempts": _here(", ".join(map(number, shares))),
        "compliance": {
            "share": percent(value_of(*complied)),
            "language": language,
            "failures": percent(1 - value_of(*complied, "ci_low"), 2),
        },
        "attrition": _here(percent(value_of("attrition", "all", "share_of_draws_lost"))),
    }


def _codebook(reliability: pd.DataFrame) -> Slots:
    of_all = reliability[reliability["source"] == ALL]
    return {"kappa": number(keyed(of_all, "statistic")["cohen_kappa"]["value"])}
