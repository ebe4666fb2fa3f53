"""Outcomes that cannot be measured, or not be computed from what is measured."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

from dissensus.design.over_sessions import Statistic
from dissensus.errors import SettingError
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.outcomes import BY, Outcome


def check_rounds(cls: type[ExperimentDesign]) -> None:
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


def check_values(cls: type[ExperimentDesign]) -> None:
    """Refuse bounds that are none, and nulls that an outcome cannot have.

    Raises
    ------
    SettingError : with the file and the mend.
    """
    for name, outcome in cls.declared_outcomes().items():
        where, bounds = f"{cls.file()}: {cls.__name__}.outcomes has {name!r}", outcome.bounds
        is_pair = isinstance(bounds, tuple | list) and len(bounds) == 2
        if bounds is not None and not (
            is_pair and all(map(_is_number, bounds)) and bounds[0] < bounds[1]
        ):
            raise SettingError(
                f"{where} with the bounds {bounds!r}; they must be the smallest and the largest "
                "value, such as (1, 5)."
            )
        low, high = outcome.limits or (-inf, inf)
        null = outcome.null
        if null is not None and not (_is_number(null) and low <= null <= high):
            may = f" from {low:g} to {high:g}" if outcome.limits else ""
            raise SettingError(f"{where} with the null {null!r}; it must be a number{may}.")
        for what in ("title", "unit", "where", "meaning"):
            if not isinstance(given := getattr(outcome, what), str):
                raise SettingError(f"{where} with the {what} {given!r}; it must be a text.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def check_statistics(cls: type[ExperimentDesign]) -> None:
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
                "CatchRate, Brier, CalibrationError, MajorityVote, EventFree or RestrictedMean."
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
