"""A reader's own study, checked before its first session: what it declares, and would ask."""

from __future__ import annotations

import ast
import logging
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from importlib.util import find_spec
from inspect import isgenerator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from dissensus.digests import PACKAGES, source_files
from dissensus.errors import ResourceError, SettingError
from dissensus.plan.undefined_names import check_levels, check_names
from dissensus.session.inputs import Inputs
from dissensus.session.protocol import PLACEHOLDER, Call, assumed_calls
from dissensus.session.record import as_json
from dissensus.study.endless import ending_in_time
from dissensus.study.experiment.study import Experiment
from dissensus.study.kind import Row
from dissensus.study.own_code import naming_the_line
from dissensus.study.sessions import Sessions
from dissensus.study.settings import pick
from dissensus.study.study import Study

#: Steps of a session beyond which it is taken to have no end.
_MOST_STEPS = 2000


def check_declaration(study: Study[Any]) -> None:
    """Refuse a declaration whose names lead nowhere.

    Parameters
    ----------
    study : with its settings.

    Raises
    ------
    SettingError : the first such name, with the file of the study and the mend.
    """
    file = sys.modules[type(study).__module__].__file__
    for where, path in _setting_paths(study):
        try:
            pick(study.settings, [path])
        except AttributeError:
            fields = ", ".join(type(study.settings).model_fields)
            raise SettingError(
                f"{file}: {where} names the setting {path!r}, and the study has none of that "
                f"name; its settings are {fields}."
            ) from None
    module = study.protocol
    if module.partition(".")[0] not in PACKAGES - {"dissensus"} or find_spec(module) is None:
        raise SettingError(
            f"{file}: protocol is {module!r}; it must be the module of the study's own code that "
            f"makes its steps, such as {type(study).__module__}, so that an edit runs them again."
        )
    for source in source_files(type(study).__module__, module):
        if source.parent == Path(str(file)).parent:
            check_names(source)
            check_levels(source, _numeric_factors(study))
    for where, function in _functions(study):
        if not _exists(function):
            raise SettingError(
                f"{file}: {where} names {function!r}, and there is no such function; it must be "
                "module:function."
            )


def _numeric_factors(study: Study[Any]) -> dict[str, tuple[float, ...]]:
    """Factor -> its levels, of those that are numbers."""
    factors = study.declared_factors() if isinstance(study, Experiment) else {}
    return {
        name: tuple(map(float, factor.levels))
        for name, factor in factors.items()
        if factor.is_numeric
    }


def rehearse(sessions: Sessions) -> None:
    """Play a session of each kind with the replies that its calls expect; nothing is asked.

    Where calls name another reply, the session is played with that too. All are measured.

    Raises
    ------
    ResourceError : the study's code cannot go on, by its file and line; it asks nothing, does not
        end, asks something else when it is played again, or cannot read the reply that it expects
        itself.
    SettingError : an edit of the steps would not be seen, or a call asks a model that is not cast.
    """
    study = sessions.study
    first = {study.rehearsed(row): row for row in reversed(list(sessions.rows.values()))}
    inputs = study.expected_inputs(sessions.folder)
    measured, asked = [], set[str]()
    # Openings come first, so that what they lack is said of them and not of what goes on from them.
    for row in sorted(first.values(), key=lambda row: int(row["position"])):
        item = sessions.items[row[study.source.key]]
        calls, turns = _play(sessions, row, inputs, lambda call: call.expected)
        measured.append((turns, item))
        if any(call.otherwise for call in calls):
            others, turns = _play(
                sessions, row, inputs, lambda call: call.otherwise or call.expected
            )
            calls = [*calls, *others]
            measured.append((turns, item))
        asked |= {call.purpose for call in calls}
    if isinstance(study, Experiment):
        _say_who_is_silent(study, asked)
        _say_one_cluster(study, sessions)
    folder = Path(str(sys.modules[type(study).__module__].__file__)).parent
    with ending_in_time(folder, "measure of a session with assumed replies"):
        study.rehearse(measured)


def _say_who_is_silent(study: Experiment, asked: Container[str]) -> None:
    """Warn of settings whose models no session asks; replies that are assumed may hide one."""
    for use in study.models():
        if use.purpose not in asked:
            logging.getLogger("dissensus").warning(
                f"{study.file()}: the setting {use.setting} names {', '.join(use.models)}, and no "
                f'session with assumed replies asks it; give a call by="{use.setting}", or name '
                "by otherwise= the reply that leads to one."
            )


def _say_one_cluster(study: Experiment, sessions: Sessions) -> None:
    """Warn of items that are all of one cluster, where there are some: nothing is tested then."""
    items = {row["item_id"]: sessions.items[row["item_id"]] for row in sessions.rows.values()}
    if len(items) > 1 and len({item[study.cluster] for item in items.values()}) == 1:
        logging.getLogger("dissensus").warning(
            f"{study.file()}: all {len(items)} items have one value of {study.cluster}, which is "
            "the cluster: no interval and no test can come of one; name another column, or give "
            "items that differ in it."
        )


def _play(
    sessions: Sessions, row: Row, inputs: Inputs, say: Callable[[Call], str]
) -> tuple[list[Call], list[dict[str, Any]]]:
    """The calls of a session with the replies that are assumed, and its turns."""
    study, session = sessions.study, row["session_id"]
    name, file = type(study).__module__, sys.modules[type(study).__module__].__file__
    where = f"{file}: session {session}"
    what = f"session {session} with assumed replies"
    with naming_the_line(name, what, is_paid=False), ending_in_time(Path(str(file)).parent, what):
        start = sessions.steps(row, inputs)
        _check_is_seen(study, start())
        calls, again = (list(_bounded(assumed_calls(start(), say), where)) for _ in range(2))
        for call in calls:
            # What a reply leads to that cannot be read, and what plans count.
            call.again(call.format.read("").problems)
            study.kind_of(row).embedded(call)
        turns = [_turn(row, study, call, say(call)) for call in calls]
    if not calls:
        raise ResourceError(
            f"{where} ({study.arm} {study.arm_of(row)!r}) asks no model; its steps must yield a "
            "call."
        )
    _check_calls(calls, again, study.kind_of(row).cast(row), where)
    for call in calls:
        reply = say(call)
        problems = call.format.read(reply).problems
        if problems and call.given is not None and " " in call.given.origin:
            raise ResourceError(
                f"{file}: in session {session} the replacement {reply!r} cannot be read as replies "
                f"of {call.speaker} are ({'; '.join(problems)}); correct what replacement gives, "
                "or the function that reads it."
            )
        if problems and reply == call.expected != PLACEHOLDER:
            raise ResourceError(
                f"{file}: in session {session} the call of {call.speaker} expects {reply!r}, which "
                f"cannot be read as its replies are ({'; '.join(problems)}); correct what it "
                "expects, or the function that reads it."
            )
    return calls, turns


def _bounded(calls: Iterator[Call], where: str) -> Iterator[Call]:
    """The calls of a session; refused where its steps do not end with the replies assumed."""
    for call in calls:
        if call.number > _MOST_STEPS:
            raise ResourceError(
                f"{where} has not ended after {_MOST_STEPS:,} steps with assumed replies; end its "
                "loop after some rounds, or name a reply that ends it by expected."
            )
        yield call


def _check_calls(
    calls: Sequence[Call], again: Sequence[Call], cast: Container[str], where: str
) -> None:
    """Refuse calls of models that are not cast, and others when the session is played again."""
    for call, other in zip_longest(calls, again):
        is_tool = call is not None and call.given is not None and call.given.tool is not None
        if call and not is_tool and call.model not in cast:
            raise SettingError(f"{where} asks {call.model!r}, which cast does not name.")
        if call and not call.messages[-1].content.strip():
            raise ResourceError(f"{where} asks {call.speaker} nothing: its prompt is empty.")
        if not call or not other or _asked(call) != _asked(other):
            raise ResourceError(
                f"{where} asks {(call or other).speaker} something else when it is played again, "
                "so that a run that goes on would pay twice; take random numbers from session.rng, "
                "and nothing from the clock or from other sessions."
            )


def _asked(call: Call) -> tuple[Any, ...]:
    """What is sent, to whom."""
    return call.speaker, call.model, call.messages, call.decoding


def _check_is_seen(study: Study[Any], steps: Any) -> None:
    """Refuse steps that are made where an edit would go unnoticed."""
    file = sys.modules[type(study).__module__].__file__
    if isgenerator(steps) and Path(steps.gi_code.co_filename) not in source_files(study.protocol):
        raise SettingError(
            f"{file}: protocol is {study.protocol!r}, and the steps are made in "
            f"{steps.gi_code.co_filename}, which it does not import; name that module, so "
            "that an edit runs sessions again."
        )


def _turn(row: Row, study: Study[Any], call: Call, reply: str) -> dict[str, Any]:
    """The turn that a reply leads to, as it stands in a transcript."""
    read = call.format.read(reply)
    turn = call.turn(reply, read.value, read.problems)
    names = ("speaker", "role", "round_label", "model", "text", "repairs", "compliant", "person")
    value = None if turn.value is None else as_json(turn.value)
    return {
        **{column: row[column] for column in study.ids},
        **{"turn": turn.number, "value": value},
        "origin": call.given.origin if call.given else None,
        **{name: getattr(turn, name) for name in names},
    }


def _setting_paths(study: Study[Any]) -> Iterator[tuple[str, str]]:
    """Where settings are named, and their paths."""
    stages = {"source": study.source, "manifest": study.manifest, "diagnosis": study.diagnosis}
    named = {"view": study.view} | {
        name: stage.settings for name, stage in stages.items() if stage is not None
    }
    for where, paths in named.items():
        yield from ((where, path) for path in paths)


def _functions(study: Study[Any]) -> Iterator[tuple[str, str]]:
    """Where functions and schemas are named, and their names."""
    yield "source", study.source.function
    yield "source", study.source.schema
    yield "manifest", study.manifest.function
    yield "manifest", study.manifest.schema
    if study.diagnosis:
        yield "diagnosis", study.diagnosis.function
    for each in (*study.figures, *study.tables):
        yield each.name, each.maker


def _exists(function: str) -> bool:
    """Whether ``module:name`` is there; found in the source, since importing takes long."""
    module, _, name = function.partition(":")
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return False
    if spec is None or not spec.origin or not name:
        return False
    if module in sys.modules:
        return hasattr(sys.modules[module], name.partition(".")[0])
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    return name.partition(".")[0] in set(_bound(tree))


def _bound(tree: ast.Module) -> Iterator[str]:
    """The names that a module binds."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom | ast.Import):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
