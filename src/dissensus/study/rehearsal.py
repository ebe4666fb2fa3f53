"""A reader's own study, checked before its first session: what it declares, and would ask."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from inspect import isgenerator
from pathlib import Path
from typing import Any

from dissensus.digests import PACKAGES, source_files
from dissensus.errors import SettingError
from dissensus.session.protocol import Call, assumed_calls
from dissensus.session.record import as_json
from dissensus.study.call_plan import planned_calls
from dissensus.study.own_code import naming_the_line
from dissensus.study.sessions import Sessions
from dissensus.study.study import Study, pick


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

    Raises
    ------
    ResourceError : the study's code cannot go on, by its file and line.
    SettingError : an edit of the steps would not be seen, or a call asks a model that is not cast.
    """
    study = sessions.study
    name, file = type(study).__module__, sys.modules[type(study).__module__].__file__
    first = {study.arm_of(row): row for row in reversed(list(sessions.rows.values()))}
    inputs = study.expected_inputs(sessions.folder)
    known = source_files(study.protocol)
    for row in first.values():
        session = row["session_id"]
        with naming_the_line(name, f"session {session} with the replies that its calls expect"):
            spec = sessions.spec(row)
            start = study.steps(spec, inputs)
            steps = start()
            if isgenerator(steps) and Path(steps.gi_code.co_filename) not in known:
                raise SettingError(
                    f"{file}: protocol is {study.protocol!r}, and the steps are made in "
                    f"{steps.gi_code.co_filename}, which it does not import; name that module, so "
                    "that an edit runs sessions again."
                )
            for call in planned_calls(study, steps):
                if call.model not in spec["models"]:
                    raise SettingError(
                        f"{file}: session {session} asks {call.model!r}, which cast does not name."
                    )
            ids = {column: row[column] for column in study.ids}
            turns = [{**ids, **_expected_turn(call)} for call in assumed_calls(start())]
        if turns:
            study.rehearse(turns, sessions.items[row[study.source.key]])


def _expected_turn(call: Call) -> dict[str, Any]:
    """The turn that a call leads to, as it stands in a transcript, where its reply is assumed."""
    read = call.format.read(call.expected)
    turn = call.turn(call.expected, read.value, read.problems)
    names = ("speaker", "role", "round_label", "model", "text", "repairs", "compliant")
    value = None if turn.value is None else as_json(turn.value)
    return {"turn": turn.number, "value": value, **{name: getattr(turn, name) for name in names}}


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
