"""Arms, factors and contrasts that cannot be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from dissensus.design.again import again_of
from dissensus.errors import SettingError
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.factors import Factor
from dissensus.study.experiment.sharing import Fork


def check_levels(cls: type[ExperimentDesign]) -> None:
    """Refuse arms of which two are one, and factors without two levels; a text is no list of them.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    where = f"{cls.file()}: {cls.__name__}"
    arms = cls.arms
    is_list = isinstance(arms, Sequence) and not isinstance(arms, str)
    if not is_list or len(set(arms)) != len(arms):
        raise SettingError(
            f"{where}.arms is {arms!r}; it needs different names, the reference first, such as "
            '("alone", "debate"), or ("debate",) for one.'
        )
    for name, declared in cls.factors.items():
        factor = Factor.of(declared)
        if factor.fault:
            raise SettingError(
                f"{where}.factors has {factor.levels!r} as {name!r}; {factor.fault}."
            )
        unknown = [arm for arm in factor.arms if arm not in arms]
        if isinstance(factor.arms, str) or unknown:
            raise SettingError(
                f"{where}.factors has {name!r} with the arms {factor.arms!r}; they may be some of "
                f'{", ".join(arms)}, such as arms=("{arms[-1]}",).'
            )
        for fork, of in cls.forks.items() if isinstance(cls.forks, Mapping) else ():
            if isinstance(of, Fork) and factor.is_in(fork) != factor.is_in(of.of):
                raise SettingError(
                    f"{where}.factors has {name!r} with the arms {', '.join(factor.arms)}; the "
                    f"fork {fork!r} begins as {of.of!r} did, so give both of them or neither."
                )
    _check_interactions(cls)
    _check_sample(cls)


def _check_sample(cls: type[ExperimentDesign]) -> None:
    """Refuse a sample of levels that is no factor, or of which too few are there.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    if not cls.sample:
        return
    where, factors = f"{cls.file()}: {cls.__name__}.sample", cls.declared_factors()
    if cls.sample not in factors:
        names = ", ".join(factors) or "none"
        raise SettingError(
            f"{where} is {cls.sample!r}; it must be a factor, and there are {names}."
        )
    factor = factors[cls.sample]
    if len(factor.levels) < _LEAST_SAMPLE:
        raise SettingError(
            f"{where} is {cls.sample!r}, which has {len(factor.levels)} levels; of fewer than "
            f"{_LEAST_SAMPLE} nothing can be said of others like them."
        )
    if factor.has_slope:
        raise SettingError(
            f"{where} is {cls.sample!r}, whose levels are numbers with a slope; a sample has "
            "names, or Factor(..., slope=False)."
        )


#: Levels of a sample at least: two have one degree of freedom.
_LEAST_SAMPLE = 3


def _check_interactions(cls: type[ExperimentDesign]) -> None:
    """Refuse interactions that are no pairs or threes of factors, or of which one is there twice.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    where, factors = f"{cls.file()}: {cls.__name__}.interactions", cls.declared_factors()
    form = 'its form is (("dose", "order"),), of two factors each, or of three'
    if not isinstance(cls.interactions, Sequence) or isinstance(cls.interactions, str):
        raise SettingError(f"{where} is {cls.interactions!r}; {form}.")
    seen: set[frozenset[str]] = set()
    for among in cls.interactions:
        is_some = isinstance(among, Sequence) and not isinstance(among, str)
        named = {name for name in among if isinstance(name, str)} if is_some else set()
        if not 2 <= len(named) == len(among) <= 3 or not named <= set(factors):
            names = ", ".join(factors) or "none"
            raise SettingError(f"{where} has {among!r}; {form}, and there are {names}.")
        if frozenset(named) in seen:
            raise SettingError(f"{where} has {among!r} twice; take one of them out.")
        seen.add(frozenset(named))
        if not any(all(factors[name].is_in(arm) for name in named) for arm in cls.arms):
            whole = "both" if len(named) == 2 else "all three"
            raise SettingError(f"{where} has {among!r}, of which no arm has {whole}; take it out.")


def check_contrasts(cls: type[ExperimentDesign]) -> None:
    """Refuse contrasts of arms that are none, or whose weights do not sum to zero.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    where = f"{cls.file()}: {cls.__name__}.contrasts"
    form = '{"added": ("debate", "alone")}, or {"added": {"debate": 0.5, "jury": 0.5, "alone": -1}}'
    if not isinstance(cls.contrasts, Mapping):
        raise SettingError(f"{where} is {cls.contrasts!r}; its form is {form}.")
    for name, given in cls.contrasts.items():
        if name in (*cls.arms, again_of(cls.arms)):
            raise SettingError(
                f"{where} has {name!r}, which is an arm; give the contrast another name, since "
                "both stand in one figure."
            )
        weights = given if isinstance(given, Mapping) else dict.fromkeys(given, 1.0)
        is_pair = isinstance(given, Sequence) and not isinstance(given, str) and len(weights) == 2
        if not (is_pair or (isinstance(given, Mapping) and all(map(_is_weight, given.values())))):
            raise SettingError(f"{where} has {given!r} as {name!r}; its form is {form}.")
        if unknown := [arm for arm in weights if arm not in cls.arms]:
            raise SettingError(
                f"{where} has the arm {unknown[0]!r} in {name!r}; there are {', '.join(cls.arms)}."
            )
        if isinstance(given, Mapping) and not (given and abs(total := sum(given.values())) < 1e-9):
            raise SettingError(
                f"{where} has weights in {name!r} that sum to {total if given else 0:g}; they must "
                "be other than 0 and sum to 0, such as 0.5, 0.5 and -1."
            )
    _check_told_apart(cls)


def _check_told_apart(cls: type[ExperimentDesign]) -> None:
    """Refuse two contrasts that are one, as they stand, turned round or with other weights.

    Both would be tested, and each would count against the other in their family.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    seen: dict[frozenset[tuple[str, float]], str] = {}
    for each in cls.declared_contrasts():
        size = max(map(abs, each.weights.values()))
        for sign in (1.0, -1.0):
            key = frozenset((arm, round(sign * w / size, 9)) for arm, w in each.weights.items())
            if key in seen:
                other = "turned round" if sign < 0 else "once more"
                raise SettingError(
                    f"{cls.file()}: {cls.__name__}.contrasts has {seen[key]!r} and {each.name!r}, "
                    f"which is the same {other}; take one of them out, since both would be tested."
                )
        seen[frozenset((arm, round(w / size, 9)) for arm, w in each.weights.items())] = each.name


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < abs(value) < inf
