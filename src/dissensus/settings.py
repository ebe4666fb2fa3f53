"""How settings are read: strictly, and with one clear sentence for each way to get them wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, get_args, get_origin

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import core_schema

from dissensus.errors import SettingError
from dissensus.setting_faults import (
    Faults,
    block_of,
    misread,
    plain_kind,
    sentences_of,
    show,
    unwritable_in,
    without_keys,
    without_none,
)

Rate = Annotated[float, Field(ge=0, le=1)]
#: How many of something: no run has more than a million of anything that is counted in settings.
Count = Annotated[int, Field(ge=1, le=1_000_000)]
#: Repetitions of a bootstrap or a randomisation test.
Resamples = Annotated[int, Field(ge=100, le=10_000_000)]
#: Level of the intervals; an equivalence test has one of 2 * confidence - 1 beside it.
Confidence = Annotated[float, Field(gt=0.5, lt=1)]


def _once(names: list[Any]) -> list[Any]:
    twice = [name for number, name in enumerate(names) if name in names[:number]]
    if twice:
        raise ValueError(f"it names {twice[0]!r} twice; leave one out")
    return names


#: For a list that names each thing once.
Once = AfterValidator(_once)


def _one_or_each_once(values: list[Any]) -> list[Any]:
    return values if len(set(values)) == 1 else _once(values)


#: For seats that each have another, or all the same.
OneOrEachOnce = AfterValidator(_one_or_each_once)


class Settings(BaseModel):
    """Base of every block of settings: no unknown key, no silent conversion, no later change.

    Numbers are finite.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
    #: What its keys name.
    noun: ClassVar[str] = "setting"

    @model_validator(mode="before")
    @classmethod
    def _read_scalars(cls, values: Any) -> Any:
        """Numbers and truth values that come as text, as from Snakemake's ``--config a={b: 6}``."""
        if not isinstance(values, dict):
            return values
        readers = _readers(cls)
        return {
            name: readers[name](value) if name in readers else value
            for name, value in values.items()
        }


@cache
def _readers(model: type[BaseModel]) -> dict[str, Callable[[Any], Any]]:
    """What reads the numbers and the truth values of each field that may have some."""
    readers = {name: _reader(field.annotation) for name, field in model.model_fields.items()}
    return {name: reader for name, reader in readers.items() if reader}


def _reader(kind: Any) -> Callable[[Any], Any] | None:
    """Reads the number or truth value that a text stands for, in lists too; None: none is meant."""
    kind = without_none(kind)
    if kind in (int, float, bool):
        return _scalar
    holder = get_origin(kind)
    if holder not in (list, dict):
        return None
    inner = _reader(plain_kind(get_args(kind)[-1]))
    if not inner:
        return None

    def read(value: Any) -> Any:
        if not isinstance(value, holder):
            return value
        if isinstance(value, list):
            return [inner(item) for item in value]
        return {name: inner(item) for name, item in value.items()}

    return read


def _scalar(value: Any) -> Any:
    if not isinstance(value, str) or misread(value):
        return value
    try:
        scalar = yaml.safe_load(value)
    except yaml.YAMLError:
        return value
    return scalar if isinstance(scalar, int | float) else value


class NameRule(NamedTuple):
    """What names may be that stand in ids and in the names of files."""

    pattern: str
    words: str


_PLAIN = "plain letters (a to z, A to Z), digits"
#: Of models and providers.
NAME = NameRule(r"[A-Za-z0-9][A-Za-z0-9._-]*", f"{_PLAIN}, - _ and . only, a letter or digit first")
#: Of languages and arms, which name columns too.
WORD = NameRule(r"[A-Za-z_][A-Za-z0-9_]*", f"{_PLAIN} and _ only, no digit first")
#: Of panels, which name a run together with the whole run's name, and a dot between them.
UNDOTTED = NameRule(
    r"[A-Za-z0-9][A-Za-z0-9_-]*", f"{_PLAIN}, - and _ only, a letter or digit first"
)
_LONGEST_NAME = 60


def check_names(entries: Mapping[str, Any], what: str, rule: NameRule) -> None:
    """Refuse names that could not stand in ids and in the names of files.

    Parameters
    ----------
    entries : by their names.
    what : they name, such as "a language's name".

    Raises
    ------
    Faults : a sentence for each.
    """
    wrong = [
        f"{name} cannot be {what}; it may have {rule.words}."
        for name in entries
        if not re.fullmatch(rule.pattern, name)
    ] + [
        f"{name} cannot be {what}; it may have {_LONGEST_NAME} characters at most."
        for name in entries
        if len(name) > _LONGEST_NAME
    ]
    if wrong:
        raise Faults(*wrong)


def without_nulls(entries: Any) -> Any:
    """Named entries but for those set to null: how a second configuration file removes one."""
    if isinstance(entries, dict):
        return {name: entry for name, entry in entries.items() if entry is not None}
    return entries


@dataclass(frozen=True)
class Spelled:
    """For a text that a pattern must match, with the mend in words.

    Attributes
    ----------
    pattern : searched for in the text.
    may : what it may be, as the end of a sentence.
    """

    pattern: str
    may: str

    def check(self, text: str) -> str:
        # In Python a dollar sign would let a line break stand at the end.
        if not re.search(re.sub(r"\$$", r"\\Z", self.pattern), text):
            raise ValueError(self.may)
        return text

    def __get_pydantic_core_schema__(self, kind: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(kind))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(schema), "pattern": self.pattern}


#: What names a file or a session may have in it.
PLAIN_ID = Spelled(
    r"^[A-Za-z0-9][A-Za-z0-9_-]*$",
    "it may have plain letters (a to z, A to Z), digits, - and _ only, a letter or digit first",
)
#: A text that says something, and one that stands on a line.
Text = Annotated[str, Spelled(r"\S", "it must be a text that is not empty")]
Line = Annotated[str, Spelled(r"^\S(?:.*\S)?$", "it must be one line, no space before or after it")]

_Entry = TypeVar("_Entry")
#: Entries by name, of which a second configuration file may set some to null.
Entries = Annotated[dict[str, _Entry], BeforeValidator(without_nulls)]
#: The same, at least one.
Named = Annotated[dict[str, _Entry], Field(min_length=1), BeforeValidator(without_nulls)]


def names(what: str, rule: NameRule = WORD) -> AfterValidator:
    """Refuses entries by the rule of their names; ``what`` as in :func:`check_names`."""

    def check(entries: dict[str, Any]) -> dict[str, Any]:
        check_names(entries, what, rule)
        return entries

    return AfterValidator(check)


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Blocks with what others say over them, block by block, as Snakemake merges its files."""
    made = dict(first)
    for name, value in second.items():
        inner = made.get(name)
        if isinstance(value, Mapping) and isinstance(inner, Mapping):
            value = merged(inner, value)
        made[name] = value
    return made


Model = TypeVar("Model", bound=BaseModel)


def validate(
    model: type[Model],
    values: Mapping[str, Any],
    where: str | Callable[[str], str],
    prefix: str = "",
) -> Model:
    """Validate settings, or say which one is wrong, what it holds and what it may hold.

    Parameters
    ----------
    model : what is valid.
    values : as read.
    where : the file to name in an error, or the place of what a sentence is about; "" names none.
    prefix : path of ``values`` inside the file, ending with a dot unless empty.

    Raises
    ------
    SettingError : one sentence for each wrong setting, a line each.
    """

    def placed(sentence: str) -> str:
        place = where(sentence) if callable(where) else where
        return f"{place}: {sentence}" if place else sentence

    if not isinstance(values, Mapping):
        holds = "is empty" if values is None else f"holds {show(values)}"
        raise SettingError(placed(f"it {holds}; {block_of(model)}."))
    for path, character in unwritable_in(values):
        raise SettingError(
            placed(
                f"{prefix}{path} holds the character {character}, which is no text; take it out."
            )
        )
    try:
        # The context is for what one block tells another: see dissensus.llm.settings.ModelByName.
        return model.model_validate(dict(values), context={})
    except ValidationError as error:
        lines = [
            line
            for problem in error.errors()
            for line in sentences_of(problem, values, model, prefix)
        ]
        shown = dict.fromkeys(without_keys(line) for line in lines)
        raise SettingError("\n".join(map(placed, shown))) from None
