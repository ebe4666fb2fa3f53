"""A function as a stage of the workflow: what it makes is said where it is written, and only there.

``workflow/scripts/study/run_stage.py`` runs any of them. A parameter that is called like an input
of the rule is given that file, read as its annotation has it; all others are settings. A parameter
``embed`` is given the embedder that the setting ``embedder`` names, as a function from texts to
unit vectors; then the last artefact is ``calls``, of what that costs, and the function leaves its
rows to whoever runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NewType, ParamSpec, TypeVar

from dissensus.tables.artefact import Schema

P = ParamSpec("P")
R = TypeVar("R")

#: Turns by their sessions: session_id -> rows, in order.
TurnsBySession = NewType("TurnsBySession", dict[str, list[dict[str, Any]]])

_MAKES = "makes"


def makes(**artefacts: Schema) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Say what a function makes: name of the rule's output -> schema.

    The function returns the rows of one artefact; or a tuple of the rows of several, in this order;
    or an object that has them by these names.
    """

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        setattr(function, _MAKES, artefacts)
        return function

    return declare


def made_by(function: Callable[..., Any], result: Any) -> dict[str, tuple[Schema, Any]]:
    """Name of an output -> its schema and its rows, from what a function returned."""
    artefacts: Mapping[str, Schema] = getattr(function, _MAKES)
    if len(artefacts) == 1:
        result = (result,)
    elif not isinstance(result, tuple):
        result = tuple(getattr(result, name) for name in artefacts)
    rows = zip(artefacts.items(), result, strict=True)
    return {name: (schema, table) for (name, schema), table in rows}
