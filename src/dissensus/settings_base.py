"""How settings are read: strictly, and with one clear sentence for each way to get them wrong."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from dissensus.errors import SettingError


class Settings(BaseModel):
    """Base of every block of settings: no unknown key, no silent conversion, no later change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _read_scalars(cls, values: Any) -> Any:
        """Numbers and truth values that arrive as text: Snakemake's ``--config a={b: 6}`` does that."""
        if not isinstance(values, dict):
            return values
        read = dict(values)
        for name, value in values.items():
            field = cls.model_fields.get(name)
            if field and field.annotation in (int, float, bool) and isinstance(value, str):
                scalar = yaml.safe_load(value)
                read[name] = scalar if isinstance(scalar, int | float) else value
        return read


Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], values: Mapping[str, Any], where: str, prefix: str = "") -> Model:
    """Validate settings, or say which one is wrong, what it holds and what it may hold.

    Parameters
    ----------
    model : what is valid.
    values : as read.
    where : the file to name in an error.
    prefix : path of ``values`` inside the file, ending with a dot unless empty.

    Raises
    ------
    SettingError : one sentence for each wrong setting, a line each.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        lines = [_sentence(problem, model, prefix) for problem in error.errors()]
        raise SettingError("\n".join(f"{where}: {line}" for line in dict.fromkeys(lines))) from None


def _sentence(problem: Any, model: type[BaseModel], prefix: str) -> str:
    path = prefix + ".".join(
        str(part) for part in problem["loc"] if not str(part).startswith("function-")
    )
    held = problem["input"]
    kind = problem["type"]
    context = problem.get("ctx", {})
    if kind == "missing":
        return f"{path} is missing; it must be set."
    if kind == "extra_forbidden":
        return f"{path} is no setting{_nearest(problem['loc'], model)}."
    if kind == "value_error":
        return f"{path.rstrip('.') or 'the configuration'} holds {_show(held)}; {context['error']}."
    may = {
        "int_type": "it must be a whole number",
        "int_from_float": "it must be a whole number",
        "float_type": "it must be a number",
        "string_type": "it must be a text",
        "bool_type": "it must be true or false",
        "dict_type": "it must be a block of settings",
        "model_type": "it must be a block of settings",
        "list_type": "it must be a list",
        "literal_error": f"it may be one of {context.get('expected', '')}",
        "greater_than": f"it must be above {context.get('gt')}",
        "greater_than_equal": f"it must be at least {context.get('ge')}",
        "less_than": f"it must be below {context.get('lt')}",
        "less_than_equal": f"it must be at most {context.get('le')}",
        "too_short": f"it needs at least {context.get('min_length')} entries",
        "string_pattern_mismatch": f"it must match {context.get('pattern')}",
        "union_tag_invalid": f"its {context.get('discriminator')} may be one of "
        f"{context.get('expected_tags')}",
        "union_tag_not_found": f"it must say its {context.get('discriminator')}",
    }.get(kind, problem["msg"])
    return f"{path} holds {_show(held)}; {may}."


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _nearest(location: tuple[Any, ...], model: type[BaseModel]) -> str:
    """The known setting that a mistyped one was probably meant to be."""
    known: list[str] = []
    current: Any = model
    for part in location[:-1]:
        fields = getattr(current, "model_fields", {})
        current = fields[part].annotation if part in fields else None
    known = list(getattr(current, "model_fields", {}))
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    if close:
        return f"; {close[0]!r} is"
    return f"; known here are {', '.join(known)}" if known else ""
