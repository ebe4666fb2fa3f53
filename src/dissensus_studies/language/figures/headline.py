"""What the study found of the prompt's language, and what the same run found against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dissensus.design.again import again_of
from dissensus.report.claims.ranked import leaves_out_zero
from dissensus.report.facts import Row, unmarked
from dissensus.report.findings import Bar, Card, Findings, but
from dissensus.report.floor import Floor, beyond_of
from dissensus.report.frames import records
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
from dissensus.report.view import Artefacts, View

from ..inference.estimators import NET, NET_EFFECTS, OFFSET, REFITTED
from ..outcomes import INDEX
from ..registration import UNIDENTIFIED
from .frames import effect_facts, paper, primary
from .paired_effects import unit


def state(artefacts: Artefacts, view: View) -> Findings:
    """The headline of every contrast, and what speaks against it."""
    sentences: list[str] = []
    against: list[str] = []
    for contrast, answer in effect_facts(artefacts, headline=True).items():
        if pd.isna(answer["estimate"]):
            sentences.append(
                f"{contrast_words(contrast)} is not estimated: that takes two draws that are "
                f"complete in both languages, and there is {counted(answer['n'], 'pair')}."
            )
            continue
        sentences.append(
            f"{contrast_words(contrast)}{_kind(answer)}: {signed(answer['estimate'])} "
            f"{limits(answer)} of the {INDEX.named} ({unit(view)}), "
            f"{_p(answer)}{counted(answer['n'], 'pair')} on "
            f"{counted(answer['n_clusters'], 'motion')}."
        )
        against += [
            *_instrument(answer, artefacts, primary(view)),
            *_curve(answer, artefacts),
            *_matched(answer, artefacts),
            *_lost(answer, artefacts, paper(view)),
        ]
    answers = effect_facts(artefacts, headline=True).values()
    return Findings(
        sentences,
        [*against, *_saturated(artefacts.frame("saturation"))],
        _planted(view),
        UNIDENTIFIED if any(answer["method"] not in NET_EFFECTS for answer in answers) else "",
        _card(artefacts, view, against),
    )


def _card(artefacts: Artefacts, view: View, against: Sequence[str]) -> Card | None:
    """The study on the front page, by its first contrast that is estimated."""
    answers = effect_facts(artefacts, headline=True)
    compared = {name: row for name, row in answers.items() if row["estimate"] == row["estimate"]}
    if not compared:
        return None
    contrast, answer = next(iter(compared.items()))
    first, second = map(language_name, contrast.split("-"))
    is_net = answer["method"] in NET_EFFECTS
    size = Bar("", answer).printed
    if not is_net:
        finding = (
            f"Whether debates in {first} are more alike than in {second} cannot be told: no text "
            f"was measured in both languages."
        )
    elif not leaves_out_zero(answer):
        finding = (
            f"Debates in {first} were not found to have another {INDEX.named} than those in "
            f"{second}: {size} ({unit(view)}), {counted(answer['n'], 'pair')}."
        )
    else:
        finding = (
            f"In {first}, {INDEX.changed(answer['estimate'])} than in the same debates in "
            f"{second}: {size} ({unit(view)}), {counted(answer['n'], 'pair')}."
        )
    bars = [
        Bar(f"{contrast_words(name)}{_kind(row)}", row)
        for name, row in compared.items()
        if row["method"] in NET_EFFECTS
    ]
    for name, row in compared.items() if is_net else ():
        by_method = _by_method(row, artefacts, primary(view))
        bars += [
            Bar(f"{contrast_words(name)}, {words}", by_method[method])
            for method, words in ((REFITTED, "as read"), (OFFSET, "one text in both"))
            if method in by_method
        ]
    objection = _but(answer, artefacts) or but(against)
    axis = f"{INDEX.title} ({unit(view)})"
    return Card(finding, objection, bars, axis, _floor(compared, artefacts, view))


def _floor(compared: Mapping[str, Row], artefacts: Artefacts, view: View) -> str:
    """What the reference language differs from itself by, or how that is run."""
    reference = view.reference
    again = f"{again_of([reference])}-{reference}"
    if again not in compared:
        return (
            f"No noise floor: {language_name(reference)} was not run against itself; "
            "config/a-a.yaml does that."
        )
    row, name = compared[again], language_name(reference)
    tested = [each for each in compared.values() if each["floor_p"] == each["floor_p"]]
    beyond = (
        beyond_of(
            artefacts.facts("language_effect"),
            tested,
            view,
            noun="language",
            name=name,
            reference=reference,
        )
        if tested
        else None
    )
    # What a language differs by as it is read has the instrument's offset, and the floor has none.
    beside = (
        "no other language is tested against it, which takes texts measured in both languages, "
        "and draws whose number is fixed"
        if len(compared) > 1 and not tested
        else ""
    )
    return Floor(row, f"{name} run again differs from itself by", row["n"], beyond, beside).sentence


def _but(answer: Row, artefacts: Artefacts) -> str:
    """The share of specifications of the other sign; "" where there are none."""
    curve = artefacts.facts("specification_curve")
    of = {"contrast": answer["contrast"]}
    if answer["method"] not in NET_EFFECTS or not curve.over("count", "estimate_d", **of):
        return ""
    sign = "<" if answer["estimate"] > 0 else ">"
    other = curve.over("mean", f"(estimate_d {sign} 0) + 0 * estimate_d", **of)
    number = curve.over("count", "estimate_d", **of)
    return (
        f"But of {counted(number, 'way')} to measure it (specifications), {percent(other, 0)} have "
        "the other sign."
    )


def _kind(answer: Row) -> str:
    return ", net of the instrument" if answer["method"] in NET_EFFECTS else ", as read"


def _p(answer: Row) -> str:
    """No p-value stands beside a difference that may be the instrument's."""
    return f"{p_clause(answer['p_value'])}, " if answer["method"] in NET_EFFECTS else ""


def _by_method(answer: Row, artefacts: Artefacts, outcome: str) -> dict[str, Row]:
    """Method -> the effect of the answer's contrast on an outcome."""
    effects = artefacts.facts("language_effect")
    rows = effects.rows(contrast=answer["contrast"], outcome=outcome)
    return {row["method"]: row for row in rows}


def _instrument(answer: Row, artefacts: Artefacts, outcome: str) -> list[str]:
    """What the index makes of one debate in two languages, where that was measured."""
    if answer["method"] not in NET_EFFECTS:
        return []
    rows = _by_method(answer, artefacts, outcome)
    offset, read = rows[OFFSET], rows[REFITTED]
    return [
        f"As the paper's index reads the debates, the difference is {signed(read['estimate'])} "
        f"{limits(read)}; of that, {signed(offset['estimate'])} {limits(offset)} is between one "
        "and the same debate in two languages."
    ]


def _curve(answer: Row, artefacts: Artefacts) -> list[str]:
    """Where the median of the specification curve has the other sign, or where it lies.

    Nothing where no text was measured in both languages: then nothing is claimed that its sign
    could speak for or against.
    """
    if answer["method"] not in NET_EFFECTS:
        return []
    curve, tests = artefacts.facts("specification_curve"), artefacts.facts("specification_tests")
    of = {"contrast": answer["contrast"]}
    number = curve.over("count", "estimate_d", **of)
    if not number:
        return []
    median = curve.over("median", "estimate_d", **of)
    joint = [f", joint {p_clause(row['p_value'])}" for row in tests.rows(test="median", **of)]
    turned = "the other sign" if median * answer["estimate"] < 0 else "the same sign"
    sign = "<" if answer["estimate"] > 0 else ">"
    # Of the effects that are defined: what is undefined stays so by the sum.
    other = curve.over("mean", f"(estimate_d {sign} 0) + 0 * estimate_d", **of)
    return [
        f"The median of its {counted(number, 'specification')} has {turned}: "
        f"{signed(median, 2)} SD of a paired difference{''.join(joint)}; {percent(other, 0)} of "
        "them have the other sign."
    ]


def _matched(answer: Row, artefacts: Artefacts) -> list[str]:
    """The lexical part with texts of equal length, where that turns the sign."""
    method = NET if answer["method"] in NET_EFFECTS else "cluster_robust"
    rows = artefacts.facts("language_effect").rows(
        contrast=answer["contrast"], outcome="s_lex_matched", method=method
    )
    return [
        "With both texts of a pair cut to equal lengths, lexical similarity differs by "
        f"{signed(row['estimate'])} {limits(row)}: the plain one depends on length."
        for row in rows
        if row["estimate"] * answer["estimate"] < 0
    ]


def _lost(headline: Row, artefacts: Artefacts, outcome: str) -> list[str]:
    """What the figure on the paper's scale is without the lost sessions, and could be with them."""
    rows = _by_method(headline, artefacts, outcome)
    # By the estimator that the paper's tables print on this scale.
    answer, bounds = rows.get(REFITTED, rows.get("cluster_robust")), rows.get("manski_bounds")
    if not answer or not bounds or bounds["n"] == answer["n"]:
        return []
    return [
        f"Draws with a lost session are in no estimate. On the paper's scale "
        f"({scale_words(outcome)}) the effect without them is {signed(answer['estimate'])} "
        f"{limits(answer)}; whatever the lost sessions would have been, the estimate with them "
        f"would be within {limits(bounds)} (Manski's bounds, which have no error of sampling)."
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
    recycled = [
        f"{share:g} in {language_name(language)}"
        for settings in view.planted_facts.values()
        for language, share in settings.get("recycle", {}).items()
    ]
    # Several models may have the same.
    shares = {unmarked(share): share for share in recycled}
    if not shares:
        return ""
    return (
        f"Planted in the simulated models: a sentence recycles an argument with probability "
        f"{listed(shares[share] for share in sorted(shares))}, before offsets of model, domain and "
        "motion. That is no effect on the index, which also holds what the languages do to its "
        "measures."
    )
