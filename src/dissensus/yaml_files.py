"""YAML files that a user supplies, read with one sentence for each way to get them wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from dissensus.errors import ResourceError


def read_yaml(path: str | Path) -> Any:
    """What a YAML file in UTF-8 holds.

    Raises
    ------
    ResourceError : it cannot be read, or is no YAML in UTF-8.
    """
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        found = " ".join(str(error).split())
        raise ResourceError(f"{path} is not YAML in UTF-8 ({found}).") from None


def read_entries(path: str | Path, needed: Sequence[str], example: str) -> dict[str, Any]:
    """A YAML file of named entries, such as the prompts of a study.

    Parameters
    ----------
    path : of the file.
    needed : the entries that it must have.
    example : a file that has all of them.

    Raises
    ------
    ResourceError : it is not YAML, or lacks an entry.
    """
    found = read_yaml(path)
    entries = found if isinstance(found, dict) else {}
    missing = [name for name in needed if name not in entries]
    if missing:
        raise ResourceError(f"{path} lacks {missing[0]!r}; {example} has all entries.")
    return entries
