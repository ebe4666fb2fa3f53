"""Names that an experiment lacks, that no column can have, or that are taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from inspect import Parameter, getattr_static, isfunction, signature
from typing import Any

from dissensus.errors import SettingError
from dissensus.settings import WORD
from dissensus.study.experiment.declaration.compared import check_contrasts, check_levels
from dissensus.study.experiment.declaration.outcomes import (
    check_rounds,
    check_statistics,
    check_values,
)
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.drawing import manifest_schema
from dissensus.study.experiment.outcomes import Outcome
from dissensus.study.experiment.settings import ExperimentSettings
from dissensus.study.experiment.sharing import Fork, Material, Sharing
from dissensus.study.gather import OUTCOMES, TURNS
from dissensus.tables.artefact import Column

#: The module of the class that all of them inherit from.
_EXPERIMENT = "dissensus.study.experiment.study"
#: What an experiment may declare.
_DECLARED = (
    *("arms", "item", "outcomes", "contrasts", "factors", "interactions", "cluster", "forks"),
    *("material", "question", "figures", "tables"),
)
#: How much a name is like one of these where it is taken for a slip.
_ALIKE = 0.85


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
    check_levels(cls)
    check_contrasts(cls)
    check_rounds(cls)
    check_statistics(cls)
    check_values(cls)
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
        meant = get_close_matches(name, _DECLARED, n=1, cutoff=_ALIKE)
        if meant and name not in _DECLARED and not callable(given):
            raise SettingError(
                f"{cls.file()}: {cls.__name__} declares {name}, which nothing reads; call it "
                f"{meant[0]}, or give it a name that is less like it."
            )
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


def check_settings_of(cls: type[ExperimentDesign]) -> None:
    """Refuse settings that are no ExperimentSettings, or stand in the class under another name.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    given: Any = cls.Settings
    if not (isinstance(given, type) and issubclass(given, ExperimentSettings)):
        raise SettingError(
            f"{cls.file()}: {cls.__name__}.Settings is no ExperimentSettings; begin it with "
            "`class Settings(ExperimentSettings):`."
        )
    for name, value in vars(cls).items():
        is_settings = isinstance(value, type) and issubclass(value, ExperimentSettings)
        if is_settings and not issubclass(given, value):
            raise SettingError(
                f"{cls.file()}: {cls.__name__} has settings called {name}, which nothing reads; "
                "call them Settings."
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
