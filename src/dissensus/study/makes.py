"""A function as a stage of the workflow: what it makes is said where it is written, and only there.

``workflow/scripts/study/run_stage.py`` runs any of them. A parameter that is called like an input
of the rule is given that file, read as its annotation has it, and ``**paths: Path`` the paths of
all further inputs. All others are settings, but for these:

- ``simulated``: whether the run's models are.
- ``view``: what figures and tables are given of the settings.
- ``session``: of a stage that makes something of one session, its name.
- ``configuration``: the whole of it, typed; and ``commit``: that of the code.
- ``embed``: the embedder that the setting ``embedder`` names, as a function from texts to unit
  vectors. Then the last artefact is ``calls``, of what that costs, and the function leaves its rows
  to whoever runs it.
- ``embedder_of``: a function from the name of an embedder and the beginning of its journal's path
  to a :class:`~dissensus.run.embedding.StageEmbedder`, where there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any, NewType, ParamSpec, Self, TypeVar

from dissensus.report.escaping import say
from dissensus.tables.artefact import Schema

#: Writes what is no artefact to a file, such as a page.
Writer = Callable[[str, Any], object]
P = ParamSpec("P")
R = TypeVar("R")

#: Turns by their sessions: session_id -> rows, in order.
TurnsBySession = NewType("TurnsBySession", dict[str, list[dict[str, Any]]])

_MAKES = "makes"


@dataclass(frozen=True)
class StageFunction:
    """A function of a study that the core runs as a stage of the workflow.

    Attributes
    ----------
    function : ``module:function``. Its code, and all code that it imports, is what the stage
        depends on besides its files and settings.
    settings : the settings that it may use, by their paths in the study's block, such as
        ``inference.confidence``. It is given these and no others, so that it runs again exactly
        when one of them changes.
    files : settings that name files which it reads, by their paths or what these begin with.
    """

    function: str
    settings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class RowsOf:
    """Rows of several artefacts, of one session or of many: a dataclass with a list for each."""

    def add(self, other: Self) -> None:
        """Put another's rows behind these."""
        for name, rows in vars(other).items():
            getattr(self, name).extend(rows)


def makes(**artefacts: Schema | Writer | None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Say what a function makes: name of the rule's output -> schema, or how it is written.

    The function returns the rows of one artefact; or a tuple of the rows of several, in this order;
    or an object that has them by these names. Where None stands, it gives a schema with the rows.
    What makes nothing gives lines, which are said on the terminal.
    """

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        setattr(function, _MAKES, artefacts)
        return function

    return declare


def made_by(function: Callable[..., Any], result: Any) -> dict[str, tuple[Schema | Writer, Any]]:
    """Name of an output -> its schema and its rows, from what a function returned; says lines."""
    artefacts: Mapping[str, Schema | Writer | None] = getattr(function, _MAKES)
    if not artefacts:
        say(result)
        return {}
    if len(artefacts) == 1:
        result = (result,)
    elif not isinstance(result, tuple):
        result = tuple(getattr(result, name) for name in artefacts)
    rows = zip(artefacts.items(), result, strict=True)
    return {name: (schema, table) if schema else table for (name, schema), table in rows}


def resolve(function: str) -> Any:
    """What ``module:name`` stands for; the name may be of a member, as in ``Study.draw``."""
    module, _, name = function.partition(":")
    return attrgetter(name)(import_module(module))
