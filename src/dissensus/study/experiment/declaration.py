"""What an experiment may not declare: names that no column can have, or that are taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from inspect import Parameter, getattr_static, isfunction, signature
from math import inf
from typing import Any

from dissensus.design.again import again_of
from dissensus.design.over_sessions import Statistic
from dissensus.errors import SettingError
from dissensus.settings import WORD
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.drawing import manifest_schema
from dissensus.study.experiment.factors import Factor
from dissensus.study.experiment.outcomes import BY, Outcome
from dissensus.study.experiment.sharing import Fork, Material, Sharing
from dissensus.study.gather import OUTCOMES, TURNS
from dissensus.tables.artefact import Column

#: The module of the class that all of them inherit from.
_EXPERIMENT = "dissensus.study.experiment.study"


def check_names(cls: type[ExperimentDesign]) -> None:
    """Refuse an experiment that lacks something, or whose names cannot stand in ids and columns.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    lacking = [name for name in ("arms", "item", "outcomes") if not getattr(cls, name, None)]
    if lacking:
        raise SettingError(f"{cls.file()}: {cls.__name__} declares no {lacking[0]}; add it.")
    _check_kinds(cls)
    names = {"arms": cls.arms, "item": cls.item, "outcomes": cls.outcomes, "factors": cls.factors}
    names["material"] = cls.material
    taken = {*manifest_schema({}).columns, *OUTCOMES.columns, *TURNS.columns}
    for what, each in names.items():
        if clash := sorted(taken & set(each)) if what != "arms" else []:
            raise SettingError(
                f"{cls.file()}: {cls.__name__}.{what} has {clash[0]!r}, which is a column of every "
                "study; take another name."
            )
        for name in each:
            if not isinstance(name, str) or not re.fullmatch(WORD.pattern, name):
                raise SettingError(
                    f"{cls.file()}: {cls.__name__}.{what} has {name!r}; a name may have "
                    f"{WORD.words}."
                )
    _check_levels(cls)
    _check_contrasts(cls)
    _check_rounds(cls)
    _check_statistics(cls)
    # What stands in one table.
    names["cluster"] = (cls.cluster,)
    pairs = (("item", "factors"), ("factors", "outcomes"), ("cluster", "outcomes"))
    for first, other in (*pairs, ("item", "material"), ("factors", "material")):
        if both := sorted(set(names[first]) & set(names[other])):
            raise SettingError(
                f"{cls.file()}: {cls.__name__}.{first} and {cls.__name__}.{other} both have "
                f"{both[0]!r}; give one of them another name."
            )
    if cls.cluster != "item_id" and cls.cluster not in cls.item:
        raise SettingError(
            f"{cls.file()}: {cls.__name__}.cluster is {cls.cluster!r}; it may be item_id, or a "
            f"column of item: {', '.join(cls.item)}."
        )
    kind = "string" if cls.cluster == "item_id" else cls.item[cls.cluster].kind
    if kind not in ("string", "int"):
        raise SettingError(
            f"{cls.file()}: {cls.__name__}.cluster is {cls.cluster!r}, a column of the kind "
            f'"{kind}"; it must be text(...) or whole(...), which every item has.'
        )


def _check_kinds(cls: type[ExperimentDesign]) -> None:
    """Refuse columns, factors and outcomes that are no mapping of names to what they must be.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    kinds = {"item": (Column,), "factors": (object,), "outcomes": (str, Outcome)}
    forms = {
        "item": '{"question": text("What is asked.")}',
        "factors": '{"first": ("right", "wrong")}, or {"dose": Factor((1, 3, 6), "crossed")}',
        "outcomes": '{"right": "1 where it is right."}',
    }
    for what, may in kinds.items():
        given = getattr(cls, what)
        is_named = isinstance(given, Mapping)
        values = given.values() if is_named else [given]
        wrong = [each for each in values if not (is_named and isinstance(each, may))]
        if wrong:
            raise SettingError(
                f"{cls.file()}: {cls.__name__}.{what} has {wrong[0]!r}; its form is {forms[what]}."
            )


def _check_levels(cls: type[ExperimentDesign]) -> None:
    """Refuse arms of which two are one, and factors without two levels; a text is no list of them.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    where = f"{cls.file()}: {cls.__name__}"
    arms = cls.arms
    if isinstance(arms, str) or len(set(arms)) != len(arms):
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


def _check_interactions(cls: type[ExperimentDesign]) -> None:
    """Refuse interactions that are no pairs of factors, or of which one is there twice.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    where, factors = f"{cls.file()}: {cls.__name__}.interactions", cls.declared_factors()
    form = 'its form is (("dose", "order"),), of two factors each'
    if not isinstance(cls.interactions, Sequence) or isinstance(cls.interactions, str):
        raise SettingError(f"{where} is {cls.interactions!r}; {form}.")
    seen: set[frozenset[str]] = set()
    for pair in cls.interactions:
        is_pair = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
        if not is_pair or pair[0] == pair[1] or not set(pair) <= set(factors):
            names = ", ".join(factors) or "none"
            raise SettingError(f"{where} has {pair!r}; {form}, and there are {names}.")
        if frozenset(pair) in seen:
            raise SettingError(f"{where} has {pair!r} twice; take one of them out.")
        seen.add(frozenset(pair))
        if not any(factors[pair[0]].is_in(arm) and factors[pair[1]].is_in(arm) for arm in cls.arms):
            raise SettingError(f"{where} has {pair!r}, which no arm has both; take it out.")


def _check_contrasts(cls: type[ExperimentDesign]) -> None:
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


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < abs(value) < inf


def _check_rounds(cls: type[ExperimentDesign]) -> None:
    """Refuse outcomes by what there is not, and a primary one by round.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    where = f"{cls.file()}: {cls.__name__}.outcomes"
    for place, (name, outcome) in enumerate(cls.declared_outcomes().items()):
        if outcome.keys not in BY:
            raise SettingError(
                f'{where} has {name!r} by {outcome.by!r}; it may be by "round", or by '
                '("round", "agent").'
            )
        if outcome.keys and not place:
            raise SettingError(
                f"{where} has {name!r}, which is by round, as the first; the first is the primary "
                "one and must be a number a session."
            )


def _check_statistics(cls: type[ExperimentDesign]) -> None:
    """Refuse statistics over sessions that are computed from what there is not.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    sessions = cls.session_outcomes()
    numbers = [name for name, column in cls.item.items() if column.kind in _NUMBERS]
    for name, outcome in cls.statistics().items():
        where, of = f"{cls.file()}: {cls.__name__}.outcomes has {name!r},", outcome.statistic
        if not isinstance(of, Statistic):
            raise SettingError(
                f'{where} whose statistic is {of!r}; its form is AUC("score", "truth"), '
                "CatchRate, Brier, CalibrationError or MajorityVote."
            )
        if of.fault:
            raise SettingError(f"{where} whose {type(of).__name__} has a fault: {of.fault}.")
        if outcome.keys:
            raise SettingError(
                f"{where} which is one number of all sessions of an arm and cannot be by "
                f"{outcome.by!r}; take out by."
            )
        for column in of.columns:
            if column not in sessions and column not in numbers:
                raise SettingError(
                    f"{where} which is computed from {column!r}; it may be an outcome that is a "
                    f"number a session ({', '.join(sessions) or 'there is none'}), or a column of "
                    f"item that is a number or a flag ({', '.join(numbers) or 'there is none'})."
                )
        if not set(of.columns) & set(sessions):
            raise SettingError(
                f"{where} which is computed from columns of items alone, and so is the same in all "
                "arms; name an outcome of sessions among them."
            )
        for column in of.shares:
            if column in sessions and not _is_within_one(sessions[column]):
                raise SettingError(
                    f"{where} which takes {column!r} for a probability; declare it so, by "
                    f"Outcome(..., is_share=True)."
                )
        for column in of.of_items:
            if column not in cls.item:
                raise SettingError(
                    f"{where} which takes {column!r} for the true answer of an item; it must be a "
                    f"column of item: {', '.join(numbers) or 'there is no number among them'}."
                )


#: Kinds of columns that are numbers.
_NUMBERS = ("int", "int?", "float", "float?", "bool", "bool?")


def _is_within_one(outcome: Outcome) -> bool:
    low, high = outcome.limits or (-inf, inf)
    return low >= 0.0 and high <= 1.0


def sharing_of(cls: type[ExperimentDesign]) -> Sharing:
    """What the sessions of an experiment take from each other, as it declares that.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    where = f"{cls.file()}: {cls.__name__}"
    kinds: dict[str, tuple[Any, type, str]] = {
        "forks": (cls.forks, Fork, 'Fork("debate", turn=2)'),
        "material": (cls.material, Material, 'Material("alone", to=("placebo",))'),
    }
    for what, (given, kind, form) in kinds.items():
        if not isinstance(given, Mapping) or not all(isinstance(v, kind) for v in given.values()):
            raise SettingError(f"{where}.{what} is {given!r}; its form is {{name: {form}}}.")
    sharing = Sharing(
        cls.arms, cls.opening is not ExperimentDesign.opening, cls.forks, cls.material
    )
    for what, sentence in sharing.problems():
        raise SettingError(f"{where}.{what} {sentence}.")
    if cls.forks and cls.replacement is ExperimentDesign.replacement:
        raise SettingError(
            f"{where}.forks has {next(iter(cls.forks))!r}, and the class has no replacement; "
            "define replacement(self, session, turn), which gives the text that stands instead."
        )
    return sharing


def check_overrides(cls: type[ExperimentDesign]) -> None:
    """Refuse what is called like something that every experiment has, and cannot stand for it.

    It is a helper of the study's own, as a rule, whose name is taken.

    Raises
    ------
    SettingError : with the file, the line and the mend.
    """
    base = next(each for each in cls.__mro__ if each.__module__ == _EXPERIMENT)
    for name, given in vars(cls).items():
        if name.startswith("__") or not (wanted := _wanted(name, base)):
            continue
        function = given.__func__ if isinstance(given, staticmethod | classmethod) else given
        what, fits = wanted
        if not fits(given):
            line = f", line {function.__code__.co_firstlineno}" if isfunction(function) else ""
            raise SettingError(
                f"{cls.file()}{line}: {cls.__name__}.{name} hides what every experiment "
                f"has, {what}; take another name, or give it that form."
            )


def _wanted(name: str, base: type) -> tuple[str, Callable[[Any], bool]] | None:
    """In words what an experiment has under a name, and whether something can stand for it."""
    inherited = getattr_static(base, name, None)
    if isinstance(inherited, classmethod | staticmethod):
        return "a method of its class", lambda given: isinstance(given, type(inherited))
    if isinstance(inherited, property | cached_property):
        return "a property", lambda given: not isfunction(given)
    if isfunction(inherited):
        count = len([*_needed(inherited)])
        words = f"{name}({', '.join(_needed(inherited))})"
        return words, lambda given: _takes(given, count)
    declared = any(name in vars(each).get("__annotations__", ()) for each in base.__mro__)
    if inherited is not None or declared:
        return "a value", lambda given: not isfunction(given)
    return None


def _needed(function: Callable[..., Any]) -> Iterator[str]:
    """The arguments that a function must be given."""
    for each in signature(function).parameters.values():
        if each.default is Parameter.empty and each.kind is not Parameter.VAR_POSITIONAL:
            yield each.name


def _takes(given: Any, count: int) -> bool:
    """Whether something can be called with so many arguments, the study itself among them."""
    if isinstance(given, staticmethod):
        given, count = given.__func__, count - 1
    if not isfunction(given):
        return False
    try:
        signature(given).bind(*range(count))
    except TypeError:
        return False
    return True
