"""What editors are told of each setting: its comment in config.yaml, or the text in its class.

A setting has one of the two. What a user meets has a comment, in config.yaml or in a study's
file of models; what has a default, and stands in no file, has a text below it in its class.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple, get_args

import yaml
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from dissensus.llm.model_files import OWN_MODELS
from dissensus.llm.settings import RemoteModelSettings, SimulatedModelSettings
from dissensus.settings import Settings
from dissensus.shipped import home, shipped_folders
from dissensus.study.configuration import with_blocks
from dissensus.study.registry import STUDIES, package_of, register
from dissensus.user_files import YamlFile

_COMMENT = re.compile(r"(?:^|\s)#\s?(.*)")


class Place(NamedTuple):
    """Where a setting is said what it is: a class of settings and one of its names."""

    cls: type[Settings]
    name: str


def json_schema(cls: type[Settings], behaviours: Sequence[str]) -> dict[str, Any]:
    """The schema of a configuration.

    Parameters
    ----------
    cls : the configuration.
    behaviours : modules that compose the words of simulated models.
    """
    speeches = {name: _speech_of(name) for name in behaviours}
    kinds: list[Any] = [(kind, "validation") for kind in (cls, *speeches.values())]
    places, made = models_json_schema(kinds, schema_generator=_described(all_comments(cls)))
    model = made["$defs"][SimulatedModelSettings.__name__]
    model["allOf"] = [
        {
            "if": {"properties": {"behaviour": {"const": name}}, "required": ["behaviour"]},
            "then": {"properties": {"speech": places[speech, "validation"]}},
        }
        for name, speech in speeches.items()
    ]
    whole = made["$defs"].pop(cls.__name__)
    # One file may leave to another what a run needs, as those of models do.
    del whole["required"]
    return {**made, **whole}


def _described(comments: Mapping[Place, Sequence[str]]) -> type[GenerateJsonSchema]:
    """What makes a schema with descriptions.

    Pydantic would read the texts whenever a class of settings is imported, which takes each process
    of a run a third of a second.
    """

    class Described(GenerateJsonSchema):
        def model_schema(self, schema: Any) -> dict[str, Any]:
            made = super().model_schema(schema)
            for name, field in made["properties"].items():
                place = defined(schema["cls"], name)
                lines = comments.get(place) or [texts(place.cls).get(name, "")]
                field.update({"description": lines[0]} if lines[0] else {})
            return made

    return Described


def all_comments(cls: type[Settings]) -> dict[Place, list[str]]:
    """The comments of config.yaml and of the studies' files of models, by what they are on."""
    shared = home() / "config.yaml"
    models = (folder / OWN_MODELS for folder in shipped_folders().values())
    comments_at: dict[Place, list[str]] = {}
    for file in (shared, *filter(Path.is_file, models)):
        for place, comment in comments(file, cls).values():
            comments_at.setdefault(place, []).append(comment)
    return comments_at


def defined(cls: type[Settings], name: str) -> Place:
    """The class of settings that a setting comes from, which may be a base."""
    return next(Place(base, name) for base in cls.__mro__ if name in inspect.get_annotations(base))


def texts(cls: type) -> dict[str, str]:
    """Attribute -> the text below it, of a class."""
    try:
        source = inspect.getsource(cls)
    except OSError:
        # It was made while the program ran, and has no text.
        return {}
    (definition,) = ast.parse(dedent(source)).body
    assert isinstance(definition, ast.ClassDef)
    text_of = {}
    for statement, following in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            value = following.value if isinstance(following, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                text_of[statement.target.id] = inspect.cleandoc(value.value)
    return text_of


def comments(file: Path, cls: type[Settings]) -> dict[int, tuple[Place, str]]:
    """The settings of a file that have a comment above or on their line, by this line.

    Parameters
    ----------
    file : of settings.
    cls : what the whole file is.
    """
    lines = file.read_text(encoding="utf-8").split("\n")
    return dict(_commented(YamlFile.read(file).root, cls, lines, package_of("", file)))


def _commented(
    node: yaml.Node | None, cls: type[Settings], lines: list[str], package: str
) -> Iterator[tuple[int, tuple[Place, str]]]:
    entries = node.value if isinstance(node, yaml.MappingNode) else []
    for key, inner in entries:
        if key.value not in cls.model_fields:
            continue
        comment = _comment(key, lines)
        if comment:
            yield key.start_mark.line, (defined(cls, key.value), comment)
        below = blocks(cls, key.value)
        named = inner.value if isinstance(inner, yaml.MappingNode) else []
        if below and _is_named(cls, key.value):
            for _, entry in named:
                yield from _commented(entry, _kind(entry, below), lines, package)
        elif below or key.value == "speech":
            kind = below[0] if below else _speech_of(_value(node, "behaviour") or "", package)
            yield from _commented(inner, kind, lines, package)


def blocks(cls: type[Settings], name: str) -> list[type[Settings]]:
    """The classes of settings that a setting consists of; none where it is a plain value."""
    return list(dict.fromkeys(_classes(cls.model_fields[name].annotation)))


def _classes(kind: Any) -> Iterator[type[Settings]]:
    if isinstance(kind, type) and issubclass(kind, Settings):
        yield kind
    for inner in get_args(kind):
        yield from _classes(inner)


def _is_named(cls: type[Settings], name: str) -> bool:
    """Whether a setting has blocks by names."""
    return str(cls.model_fields[name].annotation).startswith(("dict", "typing.Annotated[dict"))


def _kind(entry: yaml.Node, kinds: list[type[Settings]]) -> type[Settings]:
    if SimulatedModelSettings not in kinds:
        return kinds[0]
    simulated = _value(entry, "behaviour") is not None
    return SimulatedModelSettings if simulated else RemoteModelSettings


def _speech_of(behaviour: str, package: str = "") -> type[Settings]:
    """The settings of a simulated model's behaviour, which may be named as of a package."""
    settings: type[Settings] = import_module(behaviour, package).SpeechSettings
    return settings


def _value(node: yaml.Node | None, name: str) -> str | None:
    entries = node.value if isinstance(node, yaml.MappingNode) else []
    return next((str(inner.value) for key, inner in entries if key.value == name), None)


def _comment(key: yaml.Node, lines: list[str]) -> str:
    """What is said of a key that is the first of its line."""
    mark = key.start_mark
    if lines[mark.line][: mark.column].strip():
        return ""
    first = mark.line
    while lines[first - 1].strip().startswith("#") and first:
        first -= 1
    matches = [_COMMENT.search(line) for line in lines[first : mark.line + 1]]
    return " ".join(match[1].strip() for match in matches if match)


def schema() -> str:
    """The JSON schema for editors: ``python -m dissensus.study.editor_schema``."""
    modules = [f"{module.rpartition('.')[0]}.simulated" for module in STUDIES.values()]
    return _of_studies(tuple(STUDIES), [module for module in modules if find_spec(module)])


def schema_of(folders: Mapping[str, str]) -> str:
    """The same for a project whose studies are its own.

    Parameters
    ----------
    folders : as the setting ``study_folders`` has them.
    """
    register(folders)
    return _of_studies(tuple(folders), ())


def _of_studies(studies: tuple[str, ...], behaviours: Sequence[str]) -> str:
    made = json_schema(with_blocks(studies, studies), behaviours)
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(schema(), end="")
