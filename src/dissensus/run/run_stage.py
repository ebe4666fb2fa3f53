"""Runs a function as a stage: reads what it takes, calls it, and writes what it makes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pyarrow as pa

from dissensus.settings import Settings
from dissensus.study.gather import by_session
from dissensus.study.makes import TurnsBySession, made_by
from dissensus.tables.artefact import Schema, read, write


def run_function(
    function: Callable[..., Any],
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    settings: Mapping[str, Any],
    provenance: Mapping[str, Any],
    embedder: Callable[[str, Path], Any] | None = None,
    simulated: bool = False,
    more: Mapping[str, Callable[[], Any]] | None = None,
) -> None:
    """Run a function that :func:`dissensus.study.makes.makes` declares.

    Parameters
    ----------
    function : its parameters are called like inputs and settings.
    inputs : name -> file, or files of one schema, which are put under each other.
    outputs : name -> file; each artefact that the function makes has one.
    settings : name -> value, plain data.
    provenance : what the files say of where they came from.
    embedder : from the name of an embedder and the beginning of its journal's path to a
        :class:`~dissensus.run.embedding.StageEmbedder`, for functions that embed texts.
    simulated : whether the run's models are simulated.
    more : name -> how that is had, of what else functions may ask for.

    Raises
    ------
    TypeError : a parameter is neither an input nor a setting.
    ArtefactError : a file is damaged.
    """
    asked = signature(function).parameters
    had = {"simulated": lambda: simulated, "embedder_of": lambda: embedder, **(more or {})}
    told = {**settings, **{name: had[name]() for name in asked if name in had}}
    if "embed" in asked and embedder is not None:
        first = Path(next(iter(outputs.values())))
        used = embedder(settings["embedder"], first.parent / f"journal/embeddings/{first.stem}")
        result = function(**_arguments(function, inputs, {**told, "embed": used.embed}))
        result = (*(result if isinstance(result, tuple) else (result,)), used.calls)
    else:
        result = function(**_arguments(function, inputs, told))
    for name, (written, rows) in made_by(function, result).items():
        if isinstance(written, Schema):
            write(outputs[name], written, rows, provenance)
        else:
            written(outputs[name], rows)


def _arguments(
    function: Callable[..., Any], inputs: Mapping[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    hints, rest = get_type_hints(function), dict(settings)
    given: dict[str, Any] = {}
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD:
            paths = {name: Path(file) for name, file in inputs.items() if name not in given}
            return {**given, **(paths if hints[name] is Path else rest)}
        if name in inputs:
            given[name] = _read(inputs[name], hints[name])
        elif name in rest:
            given[name] = _typed(rest.pop(name), hints[name])
    return given


def _read(files: Any, kind: Any) -> Any:
    """Files as an annotation has them: paths, a table, a frame, turns by session, or rows."""
    if kind is Path:
        return Path(files)
    paths = [files] if isinstance(files, str) else list(files)
    if kind == list[Path]:
        return [Path(path) for path in paths]
    if not paths:
        return {} if kind is TurnsBySession else []
    table = pa.concat_tables([read(path) for path in paths])
    kinds = {kind, *get_args(kind)}
    if pa.Table in kinds:
        return table
    # Who asks for a frame has imported pandas; to do so here takes half a second of a processor.
    if (pandas := sys.modules.get("pandas")) and pandas.DataFrame in kinds:
        return table.to_pandas(use_threads=False)
    return by_session(table) if TurnsBySession in kinds else table.to_pylist()


def _typed(value: Any, kind: Any) -> Any:
    """A setting as a parameter's annotation has it: a block of settings, a record, or as it is."""
    is_block = isinstance(kind, type) and (issubclass(kind, Settings) or is_dataclass(kind))
    return kind(**value) if is_block and not isinstance(value, kind) else value
