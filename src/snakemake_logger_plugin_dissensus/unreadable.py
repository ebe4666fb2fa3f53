"""Configuration files that Snakemake cannot read, before it knows anything of this project."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from dissensus.errors import DissensusError
from dissensus.user_files import read_yaml

_OPTIONS = ("--configfile", "--configfiles")
_ALWAYS = "config.yaml"


def unreadable_configuration(arguments: Sequence[str]) -> str:
    """The sentence for the first configuration file that cannot be read; "" where all can.

    Parameters
    ----------
    arguments : of the command line.
    """
    for path in dict.fromkeys([*_named(arguments), _ALWAYS]):
        try:
            found = read_yaml(path)
            # A block that holds itself has no end.
            json.dumps(found, default=str, skipkeys=True)
        except DissensusError as error:
            return str(error)
        except (ValueError, RecursionError) as error:
            return f"{path} holds a value that cannot be read ({error}); correct it."
        if not isinstance(found, dict):
            return f"{path} holds no settings; each is a line such as 'seed: 7'."
    return ""


def _named(arguments: Sequence[str]) -> Iterator[str]:
    """The files that a command line names as configuration."""
    is_file = False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if argument.startswith("-"):
            is_file = option in _OPTIONS
            if is_file and equals:
                yield value
        elif is_file and Path(argument).suffix:
            yield argument
