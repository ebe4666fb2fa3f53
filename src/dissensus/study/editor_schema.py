"""What editors are told of each setting: the text that stands below it in its class."""

from __future__ import annotations

import ast
import inspect
from textwrap import dedent
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from dissensus.settings import Settings


class Described(GenerateJsonSchema):
    """A JSON schema with those texts as descriptions.

    Pydantic would read them whenever a class of settings is imported, which takes each process of
    a run a third of a second.
    """

    def model_schema(self, schema: Any) -> dict[str, Any]:
        """The schema of one class of settings."""
        made = super().model_schema(schema)
        for base in reversed(schema["cls"].__mro__):
            if issubclass(base, Settings):
                for name, text in _texts(base).items():
                    made["properties"].get(name, {})["description"] = text
        return made


def _texts(cls: type) -> dict[str, str]:
    """Attribute -> the text below it."""
    (definition,) = ast.parse(dedent(inspect.getsource(cls))).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for one, following in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            value = following.value if isinstance(following, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found[one.target.id] = inspect.cleandoc(value.value)
    return found
