"""The study's own tables: reliability, saturation, domain tests, parts, and conduct."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dissensus.language.figures.frames import View
from dissensus.language.figures.parts import METHOD, PANELS
from dissensus.report.frames import records
from dissensus.report.labels import (
    contrast_words,
    interval,
    language_name,
    number,
    p_value,
    percent,
    scale_words,
)
from dissensus.report.tables import Table, make

_COEFFICIENTS = {
    "percent_agreement": "Percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "scott_pi": "Scott's pi",
    "krippendorff_alpha": "Krippendorff's alpha (nominal)",
    "gwet_ac1": "Gwet's AC1",
}

_CHECKS = {
    "attrition": "Attrition",
    "compliance": "Format compliance",
    "compliance_equivalence": "Compliance, equivalence",
}


def table_reliability(reliability: pd.DataFrame, pool: pd.DataFrame, view: View) -> Table:
    """Agreement of the coders, overall and by code."""
    names = dict(zip(pool["domain_id"].astype(str), pool["domain"], strict=True))
    rows = []
    for row in records(reliability):
        statistic = str(row["statistic"])
        if statistic.startswith("agreement["):
            code = statistic[len("agreement[") : -1]
            said = f"Specific agreement on {code}, {names.get(code, 'which no motion kept')}"
        elif statistic in _COEFFICIENTS:
            said = _COEFFICIENTS[statistic]
        else:
            continue
        rows.append((said, number(row["value"]), interval(row["ci_low"], row["ci_high"])))
    n, q = int(reliability["n"].iloc[0]), int(reliability["q"].iloc[0])
    note = (
        f"Two coders, before adjudication, N = {n} motions. Intervals: bootstrap over motions. AC1 "
        f"depends on the number of codes in the codebook, which is {q}, unused ones included."
    )
    columns = ("Statistic", "Value", f"{view.level} CI")
    title = "Reliability of the domain coding"
    # Both coders coded real motions: the models have no part in this table.
    return make("table_reliability", title, columns, rows, note, False)


def table_saturation(saturation: pd.DataFrame, threshold: float, view: View) -> Table:
    """Shares of sessions at the bounds of every bounded scale."""
    parts = {"hi": "Index", "lex": "Lexical part", "sem": "Semantic part"}
    rows = [
        (
            scale_words(row["outcome"]),
            parts[str(row["outcome"]).split("_")[0]],
            language_name(row["language"]),
            percent(row["share_at_low"]),
            percent(row["share_at_high"]),
            str(row["n"]),
            "SATURATED" if row["warning"] else "",
        )
        for row in records(saturation)
    ]
    warned = int(saturation["warning"].sum())
    note = (
        "Share of complete sessions within 0.01 of the scale's bound. SATURATED: more than "
        f"{percent(threshold)} at a bound, {warned} of {len(rows)} rows. Where an arm is saturated "
        "the effect on that scale is cut short, and its interval is that of the other arm alone."
    )
    columns = ("Scale", "Outcome", "Language", "At lower", "At upper", "N", "Warning")
    return make(
        "table_saturation", "Saturation of the bounded scales", columns, rows, note, view.simulated
    )


def table_domain_tests(tests: pd.DataFrame, sentences: Mapping[str, str], view: View) -> Table:
    """Whether domains differ.

    Parameters
    ----------
    sentences : test -> what it is.
    """
    rows = []
    for row in records(tests):
        df: str = "" if pd.isna(row["df_between"]) else f"{row['df_between']:g}"
        df += "" if pd.isna(row["df_within"]) else f", {row['df_within']:.2f}"
        what = (
            "Mean over languages" if row["language"] == "both" else contrast_words(row["language"])
        )
        said = sentences.get(row["method"], row["method"]).rstrip(".")
        if isinstance(row["largest"], str):
            said += f": {row['largest']} minus {row['smallest']} = {number(row['difference'])}"
        rows.append(
            (
                scale_words(row["outcome"]),
                what,
                said,
                number(row["statistic"]),
                df,
                p_value(row["p_value"]),
                str(row["n"]),
            )
        )
    note = "N counts draws. Re-drawn tests repeat the manifest's own random assignment of domains."
    columns = ("Scale", "Outcome", "Test", "Statistic", "df", "p-value", "N")
    return make(
        "table_domain_tests", "Tests of domain differences", columns, rows, note, view.simulated
    )


def table_parts(effect: pd.DataFrame, view: View) -> Table:
    """The effect on each raw part of the index."""
    rows = []
    chosen = effect[(effect["method"] == METHOD) & effect["outcome"].isin(list(PANELS))]
    flips = {
        (row["contrast"], row["outcome"]): row["p_value"]
        for row in records(effect[effect["method"] == "sign_flip"])
    }
    for row in records(chosen):
        title, unit = PANELS[row["outcome"]]
        rows.append(
            (
                contrast_words(row["contrast"]),
                title,
                unit,
                number(row["estimate"]),
                interval(row["ci_low"], row["ci_high"]),
                p_value(row["p_value"]),
                p_value(flips.get((row["contrast"], row["outcome"]))),
                str(row["n"]),
            )
        )
    note = (
        "Mean paired difference of raw similarities, which no anchor touches; interval and p by "
        "motion (CR2), p (Fisher's) by sign flips of draws. Matched: both sessions of a draw "
        "cut at random to as many tokens a turn. Excess: over the session's own shuffled tokens."
    )
    columns = (
        "Contrast",
        "Part",
        "Unit",
        "Est.",
        f"{view.level} CI",
        "p-value",
        "p (Fisher's)",
        "N",
    )
    return make(
        "table_parts",
        "Language effect on the parts of the index",
        columns,
        rows,
        note,
        view.simulated,
    )


def table_conduct(diagnostics: pd.DataFrame, view: View) -> Table:
    """Attrition and compliance."""
    rows = [
        (
            _CHECKS[row["check"]],
            _group(str(row["group"])),
            str(row["statistic"]).replace("_", " "),
            number(row["value"]),
            interval(row["ci_low"], row["ci_high"]),
            p_value(row["p_value"]),
            str(row["n"]),
            str(row["note"]),
        )
        for row in records(diagnostics[diagnostics["check"].isin(list(_CHECKS))])
    ]
    note = (
        "N counts sessions, or draws where two languages are compared. That no difference is found "
        "(McNemar) does not show that there is none: the equivalence test asks that."
    )
    columns = ("Check", "Group", "Statistic", "Value", "CI", "p-value", "N", "Method")
    return make(
        "table_conduct", "Attrition and format compliance", columns, rows, note, view.simulated
    )


def _group(group: str) -> str:
    if group == "all":
        return "all"
    return contrast_words(group) if "-" in group else language_name(group)


def table_diagnosis(diagnosis: pd.DataFrame) -> Table:
    """What planted effects come out as: bias, coverage, size and power of each estimator.

    The studies behind it are simulated outcomes, no debates, so the note says that instead of the
    words that stand on tables of simulated models.
    """
    populations = {
        "motions_differ": "the effect differs between motions",
        "sharp_null": "no effect in any session",
    }
    rows = [
        (
            populations.get(str(row["population"]), str(row["population"])),
            number(row["effect"], 1),
            str(row["estimator"]),
            number(row["bias"]),
            number(row["rmse"]),
            number(row["coverage"]),
            number(row["power"]),
            number(row["type_s"]),
        )
        for row in records(diagnosis)
    ]
    n = int(diagnosis["simulations"].iloc[0])
    note = (
        f"{n:,} simulated studies a row, each with a manifest of its own from the pool and the "
        "estimators that the study uses. Effects, bias and RMSE in standard deviations of a paired "
        "difference. Power at an effect of 0 is the size of the test. Type S: share of significant "
        "estimates with the wrong sign."
    )
    heads = ("Population", "Effect", "Estimator", "Bias", "RMSE", "Coverage", "Power", "Type S")
    return make("table_diagnosis", "Design diagnosis by simulation", heads, rows, note, False)
