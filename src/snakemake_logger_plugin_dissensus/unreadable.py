"""Settings that Snakemake cannot read, before it knows anything of this project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dissensus.errors import DissensusError
from dissensus.user_files import read_settings

_FILES = ("--configfile", "--configfiles")
_ENTRIES = ("--config", "-C")
_ALWAYS = "config.yaml"
#: Endings of files that hold settings; what else follows such an option was meant as a target.
_ENDINGS = (".yaml", ".yml", ".json")
#: The names that Snakemake takes in front of "=".
_NAME = re.compile(r"[a-zA-Z_][\w-]*\w$")


def unreadable_settings(arguments: Sequence[str]) -> str:
    """The sentence for the first setting or file of settings that cannot be read; "" if all can.

    Parameters
    ----------
    arguments : of the command line.
    """
    sentences = [_entry(entry) for entry in _values(arguments, _ENTRIES)]
    named = list(_values(arguments, _FILES))
    targets = [path for path in named[1:] if _is_target(path)]
    sentences += [_target(path, _FILES[0]) for path in targets]
    sentences += [_file(path) for path in dict.fromkeys([*named, _ALWAYS])]
    return next(filter(None, sentences), "")


def _is_target(path: str) -> bool:
    return not path.endswith(_ENDINGS) or path.startswith("results/")


def _target(word: str, option: str) -> str:
    """Both options take every word that follows, up to the next option."""
    return (
        f"{word} stands after {option}, which takes all words that follow; "
        f"write the target in front of {option}, or write -- between them."
    )


def _entry(entry: str) -> str:
    name, equals, value = entry.partition("=")
    if not equals:
        return _target(entry, _ENTRIES[0])
    if _NAME.match(name):
        return ""
    block, *inner = name.split(".")
    if not inner or not all(map(_NAME.match, (block, *inner))):
        return f"--config holds {entry!r}; it must be a setting's name, '=' and its value."
    nested = value
    for key in reversed(inner):
        nested = f"{{{key}: {nested}}}"
    return f"--config takes no {name!r}; write --config '{block}={nested}' (with the quotes)."


def _file(path: str) -> str:
    try:
        read_settings(path)
    except DissensusError as error:
        return str(error)
    return ""


def _values(arguments: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    """The words that a command line gives to an option."""
    is_value = False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if argument.startswith("-"):
            is_value = option in options
            if is_value and equals:
                yield value
        elif is_value:
            yield argument
