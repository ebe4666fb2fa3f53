"""What an experiment says of its design and its analysis before any session, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dissensus.design.again import again_of
from dissensus.study.may_stop import stopping_words
from dissensus.study.study import Registered

if TYPE_CHECKING:
    from dissensus.study.experiment.design import ExperimentDesign

_OVER = "over items of the kind that was drawn"
_CLUSTERED = "cluster-robust (CR2, Satterthwaite) by"


def design_words(study: ExperimentDesign) -> str:
    """The design in numbers: items, arms, contrasts and factors."""
    settings, arms = study.settings, study.arms
    counted = "All" if settings.draws is None else f"{settings.draws:,}"
    again = "" if settings.repeats == 1 else f", {settings.repeats} times each,"
    where = f"{len(arms)} arms" if len(arms) > 1 else "one arm"
    sentence = f"{counted} items{again} are debated in {where} ({', '.join(arms)})"
    declared = study.declared_contrasts()
    if declared:
        named = "; ".join(f"{each.name}: {each.arm} against {each.reference}" for each in declared)
        sentence += f", in random order, and compared draw by draw ({named})"
    elif len(arms) > 1:
        sentence += f", in random order, and compared pair by pair with {arms[0]}"
    return " ".join([f"{sentence}.", *_again_words(study), *_factor_words(study)])


def _again_words(study: ExperimentDesign) -> Iterator[str]:
    if study.settings.again:
        yield (
            f"{study.arms[0]} is run a second time ({again_of(study.arms)}), as the noise floor: "
            "what two equal arms differ by, which is in no family of tests."
        )


def _factor_words(study: ExperimentDesign) -> Iterator[str]:
    dealt = {
        "drawn": "is drawn at random for each draw",
        "balanced": "is balanced over the repeats of an item, in random order",
        "crossed": "is crossed with the items",
    }
    for name, factor in study.declared_factors().items():
        yield f"The factor {name} ({', '.join(factor.names)}) {dealt[factor.how]}."


def registered_analysis(study: ExperimentDesign) -> Registered:
    """Estimands, primary outcome and tests."""
    return Registered(
        study.summary(),
        estimands=[
            *(*_of_arms(study), *_of_statistics(study)),
            *(*_of_factors(study), *_of_rounds(study)),
        ],
        primary=_primary(study),
        tests=list(_tests(study)),
    )


def _of_arms(study: ExperimentDesign) -> Iterator[str]:
    for name, outcome in study.session_outcomes().items():
        for each in study.compared():
            yield (
                f"The mean paired difference of {name} ({outcome.meaning}) between {each.arm} and "
                f"{each.reference}, {_OVER}."
            )
        if not study.compared():
            against = "" if outcome.null is None else f", against {outcome.null:g}"
            yield f"The mean of {name} ({outcome.meaning}) in {study.arms[0]}{against}, {_OVER}."


def _of_statistics(study: ExperimentDesign) -> Iterator[str]:
    for name, outcome in study.statistics().items():
        assert outcome.statistic is not None
        what = f"{name} ({outcome.meaning}): {outcome.statistic.words}"
        yield f"{what}, over all sessions of each arm{_versus(study)}, {_OVER}."


def _versus(study: ExperimentDesign) -> str:
    named = [f"{each.arm} and {each.reference}" for each in study.compared()]
    return f"; and what {', '.join(named)} differ by in it" if named else ""


def _of_factors(study: ExperimentDesign) -> Iterator[str]:
    for name, factor in study.declared_factors().items():
        first, *others = factor.names
        slope = ", and what one unit more changes (a least-squares slope)" * factor.has_slope
        within = "within items" if factor.is_within else "between draws"
        over = " in the mean of all arms and in every contrast of arms" * (len(study.arms) > 1)
        if factor.arms:
            over = f" in the mean of {', '.join(factor.arms)} and in contrasts of these alone"
        yield (
            f"What {name} {', '.join(others)} changes against {first}{slope},{over}, {within}, "
            f"for every outcome of a session{_levels_of_statistics(study)}."
        )
    for among in study.interactions:
        more = ", less the same at another level" * (len(among) > 2)
        yield (
            f"What {' and '.join(among)} change in each other (a difference of differences{more}, "
            "or the coefficient of a product), in the mean of the arms that have all of them, for "
            "every outcome of a session."
        )


def _levels_of_statistics(study: ExperimentDesign) -> str:
    """What of a factor is of outcomes over sessions, too."""
    names = ", ".join(study.statistics())
    return f", and for {names} over the sessions at each level, without a slope" if names else ""


def _of_rounds(study: ExperimentDesign) -> Iterator[str]:
    for name, outcome in study.round_outcomes().items():
        yield (
            f"The course of {name} ({outcome.meaning}) by round in each arm; every contrast at "
            "each round, and the area between the courses (trapezium) per round. A session counts "
            "in the rounds that it has, and no value is carried forward."
        )


def _primary(study: ExperimentDesign) -> str:
    first = next(iter(study.outcomes))
    name = study.declared_outcomes()[first].words(first)
    if study.declared_contrasts():
        return f"{name}, in {', '.join(each.name for each in study.compared())}."
    if study.compared():
        return f"{name}, in each arm against {study.arms[0]}."
    factors = study.declared_factors()
    if first in study.statistics():
        return f"{name}, over the sessions of {study.arms[0]}."
    if not factors:
        return f"{name}, its mean in {study.arms[0]}."
    of = ", ".join(
        f"the slope on {each}" if factor.has_slope else f"the levels of {each}"
        for each, factor in factors.items()
    )
    return f"{name}, by {of}."


def _but_weighted(study: ExperimentDesign) -> str:
    """What of the contrasts has no test by signs."""
    skewed = [each.name for each in study.compared() if not each.is_swappable]
    return f" (but of {', '.join(skewed)}, whose sides have other weights)" if skewed else ""


def _tests(study: ExperimentDesign) -> Iterator[str]:
    yield from stopping_words(study.settings)
    if study.statistics():
        swaps = ""
        if study.compared():
            swaps = (
                ", and a randomisation test in which the arms change places in whole clusters"
                f"{_but_weighted(study)}"
            )
        yield (
            f"Of {', '.join(study.statistics())}, each a number of all sessions of an arm: t-tests "
            f"with standard errors from a bootstrap of clusters by {study.cluster}, and a degree "
            "of freedom less than clusters of the kind of case that has fewest"
            f"{swaps}; in the families of the others."
        )
    if not study.compared() and not study.factors:
        yield (
            f"A t-test of each mean that has a null, {_CLUSTERED} {study.cluster}; Holm's "
            "adjustment over those of other outcomes than the primary one."
        )
        return
    if any(each.null is not None for each in study.session_outcomes().values()):
        yield (
            f"A t-test of each mean that has a null, {_CLUSTERED} {study.cluster}, in the family "
            "of all that is not primary."
        )
    if study.compared():
        yield (
            "A cluster-robust t-test (CR2, Satterthwaite) of the paired differences by "
            f"{study.cluster}, and a sign-flip randomisation test of whole clusters"
            f"{_but_weighted(study)}; Holm's adjustment over the contrasts of the primary outcome, "
            "and over all others."
        )
    if study.factors:
        among = "others" if study.compared() else "primary ones where primary, and all others"
        yield (
            f"Effects of factors by t-tests, {_CLUSTERED} {study.cluster}, and by sign flips of "
            f"whole clusters where levels are compared within items; among the {among} in Holm's "
            "adjustment."
        )
    if study.sample:
        of_statistics = "; by bootstraps of both for an outcome over sessions" * bool(
            study.statistics()
        )
        yield (
            f"Beside them, t-tests over {study.cluster} and {study.sample} at once, whose levels "
            f"are a sample then (two-way clustered, CR2{of_statistics}), with a degree of freedom "
            "less than the fewer of both have; Holm's adjustment over the contrasts of the primary "
            "outcome, and over all others."
        )
    if study.round_outcomes():
        yield (
            "Contrasts by round in the same way, with Holm's adjustment over the rounds and "
            "contrasts of each outcome by round."
        )
