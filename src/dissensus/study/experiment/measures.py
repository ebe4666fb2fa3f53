"""From the turns of an experiment to its metrics."""

from __future__ import annotations

import json
import logging
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import unwrap
from math import inf, isfinite
from traceback import walk_tb
from types import NoneType
from typing import Any

import pandas as pd

from dissensus.design.again import played_as
from dissensus.errors import ResourceError
from dissensus.report.escaping import complain
from dissensus.report.labels import counted
from dissensus.setting_faults import show
from dissensus.study.experiment.by_round import FORMS, numbers_by_round
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.levels import Fields, Level, UnknownLevelError
from dissensus.study.experiment.outcomes import Outcome
from dissensus.study.makes import makes, resolve
from dissensus.study.own_code import naming_the_line
from dissensus.tables.artefact import Schema

Row = dict[str, Any]
#: What sentences call these columns, whose levels are those of the sessions that were played.
_OF_REHEARSED = {
    name: f"{name} of a session with assumed replies (ask by isin for one that comes with others)"
    for name in ("speaker", "role", "round_label")
}


@makes(metrics=None)
def measure_experiment(
    turns: list[dict[str, Any]],
    outcomes: list[dict[str, Any]],
    pool: list[dict[str, Any]],
    declared: str,
    block: dict[str, Any],
) -> tuple[Schema, list[Row]]:
    """The metrics of an experiment, with their schema.

    Parameters
    ----------
    declared : ``module:name`` of its class.
    block : the settings that :meth:`Experiment.measure` may use.
    """
    metrics, _ = measure_experiment_by_round(turns, outcomes, pool, declared, block)
    return metrics


@makes(metrics=None, outcomes_by_round=None)
def measure_experiment_by_round(
    turns: list[dict[str, Any]],
    outcomes: list[dict[str, Any]],
    pool: list[dict[str, Any]],
    declared: str,
    block: dict[str, Any],
) -> tuple[tuple[Schema, list[Row]], tuple[Schema, list[Row]]]:
    """The same of an experiment that has outcomes by round, and these."""
    cls: type[ExperimentDesign] = resolve(declared)
    items = {item["item_id"]: item for item in pool}
    study = cls(cls.Settings.model_validate(block))
    by_session = turns_by_session(turns, cls.levels())
    metrics, by_round = measure_sessions(study, by_session, outcomes, items)
    return (cls.metrics_schema, metrics), (cls.rounds_schema, by_round)


def turns_by_session(
    turns: Iterable[Mapping[str, Any]], levels: Mapping[str, Sequence[str]]
) -> dict[str, pd.DataFrame]:
    """session_id -> its turns in order, with what was read in each as its ``value``.

    A value is what the function that reads the reply gave; None where it gave nothing.

    Parameters
    ----------
    levels : column of the arm, or of a factor -> what there is; see
        :class:`~dissensus.study.experiment.levels.Level`.
    """
    rows = [{**turn, "value": value_of(turn)} for turn in turns]
    if not rows:
        return {}
    frame = pd.DataFrame(rows)
    frame["value"] = frame["value"].astype(object).where(frame["value"].notna(), None)
    for name, seen in levels.items():
        of = _OF_REHEARSED.get(name, name)
        # As objects: pandas takes texts for plain ones otherwise, from its version 3 on.
        named = [Level(played_as(row[name], seen), of, seen) for row in rows]
        frame[name] = pd.Series(named, frame.index, object)
    return {
        str(name): group.reset_index(drop=True)
        for name, group in frame.groupby("session_id", sort=False)
    }


def value_of(turn: Mapping[str, Any]) -> Any:
    """What was read in a turn; None where nothing was."""
    if turn["value"] is not None:
        return json.loads(turn["value"])
    return turn["text"] if turn["compliant"] else None


def measure_sessions(
    study: ExperimentDesign,
    turns: Mapping[str, pd.DataFrame],
    outcomes: Iterable[Mapping[str, Any]],
    items: Mapping[str, Mapping[str, Any]],
) -> tuple[list[Row], list[Row]]:
    """The outcomes of every session, None for one that did not run to its end; and those by round.

    Parameters
    ----------
    study : measures.
    turns : from :func:`turns_by_session`.
    outcomes : how each session ended, in the order of the ids.
    items : by name.

    Raises
    ------
    ResourceError : the study measures something else than it declares, or raises.
    """
    with _warnings_counted(_where(study)):
        rows = [
            _measured(study, turns, ended, items[ended["item_id"]])
            for ended in outcomes
            if study.sharing.plays(ended["arm"]) in study.arms
        ]
    return [row for row, _ in rows], [row for _, by_round in rows for row in by_round]


def _measured(
    study: ExperimentDesign,
    turns: Mapping[str, pd.DataFrame],
    ended: Mapping[str, Any],
    item: Mapping[str, Any],
) -> tuple[Row, list[Row]]:
    """The metrics of one session, by how it ended and what was debated; and its rows by round."""
    names: Row = {name: ended[name] for name in study.ids}
    if study.cluster not in names:
        names[study.cluster] = str(item[study.cluster])
    of_item = {name: item[name] for name in study.item_columns() if name not in names}
    measured: Mapping[str, Any] = {}
    if ended["complete"]:
        with naming_the_line(type(study).__module__, f"measure of {ended['session_id']}"):
            measured = study.measure(turns[ended["session_id"]], Fields(**item))
        _check(study, measured)
    of_session = {name: _number(measured.get(name)) for name in study.session_outcomes()}
    by_round = [
        {**names, "outcome": name, "round": round_, "agent": agent, "value": value}
        for name, outcome in study.round_outcomes().items()
        for (round_, agent), value in numbers_by_round(measured.get(name), outcome).items()
    ]
    check_ingredients(study, of_session | of_item, ended["session_id"])
    return {**names, **of_item, "complete": ended["complete"], **of_session}, by_round


@contextmanager
def _warnings_counted(where: str) -> Iterator[None]:
    """Say each warning once, with how often it came: a measure is called for every session."""
    with warnings.catch_warnings(record=True) as caught:
        for category in (RuntimeWarning, UserWarning, FutureWarning):
            warnings.simplefilter("always", category)
        yield
    counts = Counter(" ".join(f"{w.category.__name__}: {w.message}".split()) for w in caught)
    for words, number in counts.items():
        complain(f"{where}: measure warns {counted(number, 'time')}: {words}")


def rehearse(
    study: ExperimentDesign,
    sessions: Sequence[tuple[Sequence[Mapping[str, Any]], Mapping[str, Any]]],
) -> None:
    """Measure sessions whose replies are assumed, for the names in the code that measures.

    Parameters
    ----------
    sessions : of each its turns, as they stand in a transcript, and what was debated.

    Raises
    ------
    ResourceError : something has no such name, what is measured is not what is declared, or it is
        another number the second time. That assumed replies cannot be measured is no error; where
        all of them could be read, it is said.
    """
    unmeasured = []
    seen = [turn for turns, _ in sessions for turn in turns]
    roles = [*(use.setting for use in study.models()), *(turn["role"] for turn in seen)]
    speakers = [turn["speaker"] for turn in seen]
    levels = {**study.levels(), "speaker": tuple(dict.fromkeys(speakers))}
    levels["role"] = tuple(dict.fromkeys(roles))
    levels["round_label"] = tuple(dict.fromkeys(turn["round_label"] for turn in seen))
    _check_labelled(study, levels["speaker"])
    for turns, item in sessions:
        if turns[0]["arm"] not in study.arms:
            continue
        (frame,) = turns_by_session(turns, levels).values()
        measured, again = (_rehearsed(study, frame, item) for _ in range(2))
        if isinstance(measured, Exception) or isinstance(again, Exception):
            if all(frame["compliant"]):
                unmeasured.append(f"{frame['session_id'][0]} ends with {measured!r}")
            continue
        for name, number in measured.items():
            if number != again[name]:
                raise ResourceError(
                    f"{_where(study)}: measure gives {name} as {number}, and as {again[name]} for "
                    "the same turns; it may use no random numbers and no time."
                )
    for sentence in unmeasured[:1]:
        logging.getLogger("dissensus").warning(
            f"{_where(study)}: measure of {sentence}, where all replies are those that its calls "
            "expect; correct it, unless real ones can be measured."
        )


def _check_labelled(study: ExperimentDesign, speakers: Sequence[str]) -> None:
    """Refuse labels of a judge, and hidden speakers, who speak in no session.

    Raises
    ------
    ResourceError : with those who speak.
    """
    given = study.settings.labels
    named = {} if given is None else {"judge": [given.judge], "hidden": given.hidden}
    for what, names in named.items():
        for name in names:
            if name and name not in speakers:
                raise ResourceError(
                    f"{study.name}.labels.{what} names {name!r}, who never speaks; in sessions "
                    f"with assumed replies there are {', '.join(speakers)}."
                )


def _rehearsed(
    study: ExperimentDesign, turns: pd.DataFrame, item: Mapping[str, Any]
) -> dict[str, Any] | Exception:
    """What is measured of a session, or why its assumed replies cannot be measured."""
    what = f"measure of {turns['session_id'][0]} with assumed replies"
    with naming_the_line(type(study).__module__, what, is_paid=False), warnings.catch_warnings():
        # Of replies that nobody gave.
        warnings.simplefilter("ignore")
        try:
            measured = study.measure(turns.copy(), Fields(**item))
        except Exception as error:
            if not _is_wrong_name(error, turns):
                return error
            raise
    _check(study, measured)
    return {
        name: numbers_by_round(measured[name], outcome) if outcome.keys else _number(measured[name])
        for name, outcome in study.measured_outcomes().items()
    }


def _is_wrong_name(error: Exception, turns: pd.DataFrame) -> bool:
    """Whether an error is about a name that is wrong whatever the replies are."""
    if isinstance(error, AttributeError):
        return not isinstance(error.obj, _READ_IN_REPLIES)
    if isinstance(error, KeyError):
        stack = walk_tb(error.__traceback__)
        return any(_lacks_column(frame.f_locals, turns) for frame, _ in stack)
    if isinstance(error, UnknownLevelError):
        return True
    return isinstance(error, NameError) and not isinstance(error, UnboundLocalError)


#: What an attribute may be asked of because a reply is a placeholder.
_READ_IN_REPLIES = (NoneType, str, int, float, list, dict)


def _lacks_column(names: Mapping[str, Any], turns: pd.DataFrame) -> bool:
    """Whether a frame of the stack, by its local names, asks turns for a column they have not."""
    asked, key = names.get("self"), names.get("key")
    return (
        isinstance(asked, pd.DataFrame)
        and isinstance(key, str)
        and key not in asked
        and set(turns) <= set(asked)
    )


def _check(study: ExperimentDesign, measured: Any) -> None:
    """Refuse what is measured where it is not what is declared."""
    declared = study.measured_outcomes()
    names = set(measured) if isinstance(measured, Mapping) else {type(measured).__name__}
    where = _where(study)
    if names != set(declared):
        raise ResourceError(
            f"{where}: measure gives {', '.join(sorted(names)) or 'nothing'}; outcomes declares "
            f"{', '.join(declared)}."
        )
    for name, outcome in declared.items():
        try:
            given = _numbers(measured[name], outcome)
        except (TypeError, ValueError, OverflowError) as error:
            may = (
                f"{error}; it is by {' and '.join(outcome.keys)} and must be {FORMS[outcome.keys]}"
                if outcome.keys
                else "it must be a number, or None where it is not defined"
            )
            raise ResourceError(
                f"{where}: measure gives {name} as {show(measured[name])}; {may}."
            ) from None
        low, high = outcome.limits or (-inf, inf)
        for number in given:
            if number is None or (isfinite(number) and low <= number <= high):
                continue
            kind = "a share" if outcome.is_share else "it"
            may = (
                f"{kind} must be from {low:g} to {high:g}"
                if outcome.limits
                else "it must be finite"
            )
            raise ResourceError(f"{where}: measure gives {name} as {show(number)}; {may}.")


def check_ingredients(study: ExperimentDesign, given: Mapping[str, Any], which: str) -> None:
    """Refuse what a statistic over sessions cannot be computed from.

    Parameters
    ----------
    given : outcomes of a session, and columns of its item.
    which : its name.
    """
    for name, outcome in study.statistics().items():
        assert outcome.statistic is not None
        for column in outcome.statistic.flags:
            if given[column] not in (None, 0, 1):
                raise ResourceError(
                    f"{study.file()}: {column} of {which} is {show(given[column])}; it is what "
                    f"{name} takes for true or false, and must be 0 or 1, or None."
                )


def _numbers(given: Any, outcome: Outcome) -> list[float | None]:
    """All numbers of an outcome of one session."""
    return [*numbers_by_round(given, outcome).values()] if outcome.keys else [_number(given)]


def _where(study: ExperimentDesign) -> str:
    """The file and the line of the function that measures."""
    return f"{study.file()}, line {unwrap(study.measure).__code__.co_firstlineno}"


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)
