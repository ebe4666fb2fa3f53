"""What the study found of the prompt's language, and what the same run found against it."""

from __future__ import annotations

import pandas as pd

from dissensus.language.figures.frames import headlines, paper, primary
from dissensus.language.figures.paired_effects import unit
from dissensus.language.inference.estimators import NET, OFFSET, REFITTED
from dissensus.language.registration import UNIDENTIFIED
from dissensus.report.artefacts import Artefacts
from dissensus.report.findings import Findings
from dissensus.report.frames import Record, keyed, records
from dissensus.report.labels import (
    contrast_words,
    counted,
    language_name,
    limits,
    listed,
    p_clause,
    percent,
    scale_words,
    signed,
)
from dissensus.report.view import View


def state(artefacts: Artefacts, view: View) -> Findings:
    """The headline of every contrast, and what speaks against it."""
    effect, curve, tests, saturation = artefacts.frames(
        "language_effect", "specification_curve", "specification_tests", "saturation"
    )
    said: list[str] = []
    against: list[str] = []
    for contrast, answer in headlines(effect).items():
        if pd.isna(answer["estimate"]):
            said.append(
                f"{contrast_words(contrast)} is not estimated: that takes two draws that are "
                f"complete in both languages, and there is {counted(int(answer['n']), 'pair')}."
            )
            continue
        said.append(
            f"{contrast_words(contrast)}{_kind(answer)}: {signed(answer['estimate'])} "
            f"{limits(answer)} of the Homogeneity Index ({unit(primary(view), view.reference)}), "
            f"{_p(answer)}{counted(int(answer['n']), 'pair')} on "
            f"{counted(int(answer['n_clusters']), 'motion')}."
        )
        of_contrast = effect[effect["contrast"] == contrast]
        against += [
            *_instrument(answer, of_contrast, primary(view)),
            *_curve(contrast, answer, curve, tests),
            *_matched(answer, of_contrast),
            *_lost(of_contrast, paper(view)),
        ]
    as_read = any(answer["method"] != NET for answer in headlines(effect).values())
    return Findings(
        said,
        [*against, *_saturated(saturation)],
        _planted(view),
        UNIDENTIFIED if as_read else "",
    )


def _kind(answer: Record) -> str:
    return ", net of the instrument" if answer["method"] == NET else ", as read"


def _p(answer: Record) -> str:
    """No p-value stands beside a difference that may be the instrument's."""
    return f"{p_clause(answer['p_value'])}, " if answer["method"] == NET else ""


def _instrument(answer: Record, of_contrast: pd.DataFrame, outcome: str) -> list[str]:
    """What the index makes of one debate in two languages, where that was measured."""
    rows = keyed(of_contrast[of_contrast["outcome"] == outcome], "method")
    if answer["method"] != NET:
        return []
    offset, read = rows[OFFSET], rows[REFITTED]
    return [
        f"As the paper's index reads the debates, the difference is {signed(read['estimate'])} "
        f"{limits(read)}; of that, {signed(offset['estimate'])} {limits(offset)} is between one "
        "and the same debate in two languages."
    ]


def _curve(contrast: str, answer: Record, curve: pd.DataFrame, tests: pd.DataFrame) -> list[str]:
    """Where the median of the specification curve has the other sign, or where it lies."""
    effects = curve.loc[curve["contrast"] == contrast, "estimate_d"].dropna()
    if effects.empty:
        return []
    median = float(effects.median())
    joint = keyed(tests[tests["contrast"] == contrast], "test").get("median")
    p_of = f", joint {p_clause(joint['p_value'])}" if joint else ""
    turned = "the other sign" if median * answer["estimate"] < 0 else "the same sign"
    below = float((effects * answer["estimate"] < 0).mean())
    return [
        f"The median of its {counted(len(effects), 'specification')} has {turned}: "
        f"{signed(median, 2)} SD of a paired difference{p_of}; {percent(below, 0)} of them have "
        "the other sign."
    ]


def _matched(answer: Record, of_contrast: pd.DataFrame) -> list[str]:
    """The lexical part with texts of equal length, where that turns the sign."""
    method = NET if answer["method"] == NET else "cluster_robust"
    rows = of_contrast[
        (of_contrast["outcome"] == "s_lex_matched") & (of_contrast["method"] == method)
    ]
    return [
        "With both texts of a pair cut to equal lengths, lexical similarity differs by "
        f"{signed(row['estimate'])} {limits(row)}: the plain one grows with length."
        for row in records(rows)
        if row["estimate"] * answer["estimate"] < 0
    ]


def _lost(of_contrast: pd.DataFrame, outcome: str) -> list[str]:
    """What the figure on the paper's scale is without the lost sessions, and could be with them."""
    rows = keyed(of_contrast[of_contrast["outcome"] == outcome], "method")
    answer, bounds = rows.get("cluster_robust"), rows.get("manski_bounds")
    if not answer or not bounds or bounds["n"] == answer["n"]:
        return []
    return [
        f"Draws with a lost session are in no estimate. On the paper's scale "
        f"({scale_words(outcome)}) the effect without them is {signed(answer['estimate'])} "
        f"{limits(answer)}; whatever the lost sessions would have been, it is within "
        f"{limits(bounds)} (Manski's bounds)."
    ]


def _saturated(saturation: pd.DataFrame) -> list[str]:
    rows = saturation[saturation["warning"].astype(bool)]
    named = dict.fromkeys(
        f"{scale_words(row['outcome'])} in {language_name(row['language'])}"
        for row in records(rows)
    )
    return [f"Scales at a bound: {listed(named)}."] if named else []


def _planted(view: View) -> str:
    """What is planted, in the simulated models' own terms."""
    shares = {
        f"{share:g} in {language_name(language)}"
        for settings in view.planted.values()
        for language, share in settings.get("recycle", {}).items()
    }
    if not shares:
        return ""
    return (
        f"Planted in the simulated models: a sentence recycles an argument with probability "
        f"{listed(sorted(shares))}, before offsets of model, domain and motion. That is no effect "
        "on the index, which also holds what the languages do to its measures."
    )
