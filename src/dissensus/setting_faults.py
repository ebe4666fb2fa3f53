"""What is wrong with a setting, in one clear sentence each."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, get_args, get_origin

import yaml
from pydantic import BaseModel, Tag

#: What YAML 1.1 may take for a number in base 8 or 60.
_OCTAL_OR_BASE_60 = re.compile(r"\A[-+]?(?:0[0-7_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)\Z")

#: Characters of a number that is read: Python gives up at 4,300 digits, and base 60 makes more.
_LONGEST = 400


def misread(text: str) -> str:
    """What YAML 1.1 makes of a number that is written as octal or in base 60, with the mend.

    Returns
    -------
    The end of a sentence; "" where YAML reads what a reader does. As YAML 1.1 has it, ``010`` is 8
    and ``1:30`` is 90 (https://yaml.org/type/int.html, https://yaml.org/type/float.html).
    """
    # Of a longer one, its size is at fault.
    number = _OCTAL_OR_BASE_60.match(text) and len(text) <= _LONGEST and yaml.safe_load(text)
    plain = text.replace("_", "")
    # A truth value, an empty text and a date are no such numbers.
    if not isinstance(number, int | float) or (":" not in text and int(plain) == number):
        return ""
    meant = number if ":" in text else int(plain)
    return (
        f"which YAML reads as {number}; write {meant} for the number, or put it in quotes if it "
        "is a text"
    )


def without_none(kind: Any) -> Any:
    """What an optional type is where it is set."""
    others = [plain_kind(member) for member in get_args(kind) if member is not type(None)]
    return others[0] if type(None) in get_args(kind) and len(others) == 1 else kind


def plain_kind(kind: Any) -> Any:
    """A type without its annotations."""
    return get_args(kind)[0] if hasattr(kind, "__metadata__") else kind


class Faults(ValueError):
    """What a validator of a whole block finds: sentences that begin with a path below the block."""

    def __init__(self, *sentences: str) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences


class Complaint(ValueError):
    """What a validator finds, as the rest of a sentence whose subject is the path."""


def fault(path: str, value: Any, may: str) -> str:
    """The one sentence for a wrong setting."""
    return f"{path or 'it'} holds {show(value)}; {may}."


#: Ways that keys begin, and long runs of letters with digits among them.
_KEY = re.compile(
    r"\b(?:(?:sk|pk|rk|xai|gsk|hf|ghp|github_pat|glpat)[-_]|AIza|AKIA|eyJ|Bearer\s)[\w.+/=-]{8,}"
    r"|\b(?=\d*[A-Za-z])(?=[A-Za-z]*\d[A-Za-z]*\d)[A-Za-z0-9]{20,}\b"
)


_UNWRITABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff]")


def without_keys(text: str) -> str:
    """A text without what may be a key, which can stand in any setting by mistake."""
    return _KEY.sub("(not shown, since it may be a key)", text)


def is_key(text: str) -> bool:
    """Whether a text may be a key."""
    return bool(_KEY.search(text))


def unwritable(text: str) -> str:
    """The first character of a text that no prompt or artefact can carry, such as U+0000.

    Control characters but for line breaks and tabs, and halves of characters; "" for none.
    """
    match = _UNWRITABLE.search(text)
    return f"U+{ord(match[0]):04X}" if match else ""


def unwritable_in(values: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text among settings, names included, that has a character which no artefact carries."""
    if _is_writable(values):
        return
    if isinstance(values, str):
        unwritable_character = unwritable(values)
        if unwritable_character:
            yield path.removeprefix("."), unwritable_character
    elif isinstance(values, Mapping):
        for name, value in values.items():
            shown = str(name).encode("unicode_escape").decode("ascii")
            yield from unwritable_in(name, f"{path}.{shown}")
            yield from unwritable_in(value, f"{path}.{shown}")
    elif isinstance(values, list | tuple):
        for number, value in enumerate(values):
            yield from unwritable_in(value, f"{path}.{number}")


def _is_writable(values: Any) -> bool:
    """Whether all texts are, without their paths: a configuration is asked at every start."""
    if isinstance(values, str):
        return not _UNWRITABLE.search(values)
    if isinstance(values, Mapping):
        return all(map(_is_writable, values)) and all(map(_is_writable, values.values()))
    return not isinstance(values, list | tuple) or all(map(_is_writable, values))


def sentences_of(
    problem: Any, values: Mapping[str, Any], model: type[BaseModel], prefix: str
) -> Sequence[str]:
    kind = problem["type"]
    context = problem.get("ctx", {})
    if kind == "invalid_key" or (kind == "string_type" and problem["loc"][-1] == "[key]"):
        return _no_names(problem["loc"], values, prefix)
    # What is missing is in no block, and neither is a default.
    given = None if kind == "missing" else problem["input"]
    path = prefix + ".".join(_keys(problem["loc"], values, given))
    if kind == "value_error" and isinstance(context["error"], Faults):
        below = path.rstrip(".") + "." if path else ""
        return [below + sentence for sentence in context["error"].sentences]
    return [_sentence(problem, kind, context, path, model)]


def _no_names(location: tuple[Any, ...], values: Any, prefix: str) -> list[str]:
    """What to say of a block with names that are no texts, such as YAML's false for ``no:``."""
    keys: list[str] = []
    for part in location:
        if not isinstance(values, Mapping) or not isinstance(part, str) or part not in values:
            break
        values = values[part]
        keys.append(part)
    path = (prefix + ".".join(keys)).rstrip(".")
    return [
        f"{path or 'the file'} has the name {name!r}, which is no text; put it in quotes, since "
        "YAML reads no, off, yes, on and numbers as something else."
        for name in values
        if not isinstance(name, str)
    ]


def _keys(location: tuple[Any, ...], values: Any, given: Any) -> list[str]:
    """The path as the user wrote it: without the tags and functions that pydantic puts in.

    ``given``: what is wrong; pydantic's last tag stands for that itself, and not for a part of it.
    """
    keys = []
    for index, part in enumerate(location):
        is_last = index == len(location) - 1
        is_key = isinstance(values, Mapping) and part in values
        if is_key or (isinstance(values, Sequence) and isinstance(part, int)):
            values = values[part]
        elif not (is_last and isinstance(values, Mapping) and given != values):
            continue
        keys.append(str(part))
    return keys


#: Problems with what is no number or truth value.
_NO_NUMBER = ("int_type", "float_type", "bool_type")


def _sentence(problem: Any, kind: str, context: Any, path: str, model: type[BaseModel]) -> str:
    value = problem["input"]
    if kind == "list_type" and isinstance(value, Mapping):
        inner = without_keys(", ".join(map(str, value)))
        return (
            f"{path or 'it'} holds a block ({inner}); it must be a list, each entry after a dash, "
            "even if there is one."
        )
    if kind == "missing":
        return f"{path} is missing; it must be set."
    if kind == "extra_forbidden":
        return f"{path} is no {_noun(model)}{_nearest(problem['loc'], model)}."
    if kind == "value_error" and isinstance(context["error"], Complaint):
        return f"{path} {context['error']}."
    if kind == "value_error":
        return fault(path, value, str(context["error"]))
    may = {
        "int_type": "it must be a whole number",
        "int_from_float": "it must be a whole number",
        "float_type": "it must be a number",
        "string_type": f"it must be a text{_quoted(value)}",
        "bool_type": "it must be true or false",
        "dict_type": block_of(model),
        "model_type": block_of(model),
        "model_attributes_type": block_of(model),
        "list_type": "it must be a list",
        "literal_error": f"it may be one of {context.get('expected', '')}",
        "greater_than": f"it must be above {context.get('gt')}",
        "greater_than_equal": f"it must be at least {context.get('ge')}",
        "less_than": f"it must be below {context.get('lt')}",
        "less_than_equal": f"it must be at most {context.get('le')}",
        "too_short": f"it needs at least {context.get('min_length')} "
        + ("entry" if context.get("min_length") == 1 else "entries"),
        "too_long": f"it may have at most {context.get('max_length')} "
        + ("characters" if isinstance(value, str) else "entries"),
        "finite_number": "it must be a finite number",
        "string_too_long": f"it may have at most {context.get('max_length')} characters",
        "string_pattern_mismatch": f"it must match {context.get('pattern')}",
    }.get(kind, problem["msg"])
    another = misread(value) if isinstance(value, str) and kind in _NO_NUMBER else ""
    return f"{path} holds {value}, {another}." if another else fault(path, value, may)


def _noun(model: type[BaseModel]) -> str:
    return str(getattr(model, "noun", "setting"))


def block_of(model: type[BaseModel]) -> str:
    return f"it must be a block of {_noun(model)}s"


def _quoted(value: Any) -> str:
    """The mend for a text that YAML takes for something else."""
    if isinstance(value, bool):
        return "; unquoted yes, no, on and off are truth values, so put it in quotes"
    is_slot = isinstance(value, dict) and all(inner is None for inner in value.values())
    return "; put it in quotes" if is_slot or isinstance(value, int | float | date) else ""


def show(value: Any) -> str:
    """A wrong value as an error shows it: on one line, cut, and without what may be a key."""
    if value is None:
        return "null"
    text = without_keys(repr(value)).replace("\n", " ")
    return text if len(text) <= 80 else text[:77] + "..."


def _nearest(location: tuple[Any, ...], model: type[BaseModel]) -> str:
    """The known setting that a mistyped one was probably meant to be."""
    current: Any = model
    for part in location[:-1]:
        current = _below(without_none(plain_kind(current)), part)
    names = list(getattr(without_none(current), "model_fields", {}))
    close = difflib.get_close_matches(str(location[-1]), names, n=1)
    if close:
        return f"; {close[0]!r} is"
    return f"; known here are {', '.join(names)}" if names else ""


def _below(kind: Any, part: Any) -> Any:
    """The type of what stands under a key of a block, an index of a list, or a tag of a union."""
    if hasattr(kind, "model_fields"):
        return kind.model_fields[part].annotation if part in kind.model_fields else None
    if get_origin(kind) in (dict, list):
        return get_args(kind)[-1]
    for member in get_args(kind):
        tags = [
            extra.tag for extra in getattr(member, "__metadata__", ()) if isinstance(extra, Tag)
        ]
        if part in tags:
            return member
    return None
