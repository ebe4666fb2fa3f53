"""A reader's own study, checked before its first session: what it declares, and would ask."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from inspect import isgenerator
from pathlib import Path
from typing import Any

from dissensus.digests import PACKAGES, source_files
from dissensus.errors import ResourceError, SettingError
from dissensus.session.inputs import Inputs
from dissensus.session.protocol import PLACEHOLDER, Call, assumed_calls
from dissensus.session.record import as_json
from dissensus.study.own_code import naming_the_line
from dissensus.study.sessions import Sessions
from dissensus.study.study import Row, Study, pick


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
            known = ", ".join(type(study.settings).model_fields)
            raise SettingError(
                f"{file}: {where} names the setting {path!r}, and the study has none of that "
                f"name; its settings are {known}."
            ) from None
    module = study.protocol
    if module.partition(".")[0] not in PACKAGES - {"dissensus"} or find_spec(module) is None:
        raise SettingError(
            f"{file}: protocol is {module!r}; it must be the module of the study's own code that "
            f"makes its steps, such as {type(study).__module__}, so that an edit runs them again."
        )
    for where, function in _functions(study):
        if not _exists(function):
            raise SettingError(
                f"{file}: {where} names {function!r}, and there is no such function; it must be "
                "module:function."
            )


def rehearse(sessions: Sessions) -> None:
    """Play one session of every arm with the replies that its calls expect; nothing is asked.

    Where calls name another reply, the session is played with that too. Each is measured.

    Raises
    ------
    ResourceError : the study's code cannot go on, by its file and line; it asks nothing, or cannot
        read the reply that it expects itself.
    SettingError : an edit of the steps would not be seen, or a call asks a model that is not cast.
    """
    study = sessions.study
    first = {study.arm_of(row): row for row in reversed(list(sessions.rows.values()))}
    inputs = study.expected_inputs(sessions.folder)
    for row in first.values():
        expected = _play(sessions, row, inputs, lambda call: call.expected)
        if any(call.otherwise for call, _ in expected):
            _play(sessions, row, inputs, lambda call: call.otherwise or call.expected)


def _play(
    sessions: Sessions, row: Row, inputs: Inputs, say: Callable[[Call], str]
) -> list[tuple[Call, str]]:
    """The calls of a session with the replies that are assumed, once they were measured."""
    study, session = sessions.study, row["session_id"]
    name, file = type(study).__module__, sys.modules[type(study).__module__].__file__
    what = f"session {session} with assumed replies"
    with naming_the_line(name, what, is_paid=False):
        spec = sessions.spec(row)
        steps = study.steps(spec, inputs)()
        _check_is_seen(study, steps)
        calls = []
        for call in assumed_calls(steps, say):
            # What a reply leads to that cannot be read, and what plans count.
            call.again(call.format.read("").problems)
            study.embedded(call)
            calls.append((call, say(call)))
        turns = [_turn(row, study, call, reply) for call, reply in calls]
    if not calls:
        raise ResourceError(
            f"{file}: session {session} ({study.arm} {study.arm_of(row)!r}) asks no model; its "
            "steps must yield a call."
        )
    for call, reply in calls:
        if call.model not in spec["models"]:
            raise SettingError(
                f"{file}: session {session} asks {call.model!r}, which cast does not name."
            )
        problems = call.format.read(reply).problems
        if problems and reply == call.expected != PLACEHOLDER:
            raise ResourceError(
                f"{file}: in session {session} the call of {call.speaker} expects {reply!r}, which "
                f"cannot be read as its replies are ({'; '.join(problems)}); correct what it "
                "expects, or the function that reads it."
            )
    study.rehearse(turns, sessions.items[row[study.source.key]])
    return calls


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
    names = ("speaker", "role", "round_label", "model", "text", "repairs", "compliant")
    value = None if turn.value is None else as_json(turn.value)
    return {
        **{column: row[column] for column in study.ids},
        **{"turn": turn.number, "value": value},
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
