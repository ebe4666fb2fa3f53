"""The configuration that a study's sessions were run with, kept beside them for who reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from dissensus.errors import ResourceError
from dissensus.tables.artefact import write_text

_NAME = ".configuration.json"
_WRITING = Lock()


def keep_configuration(configuration: Mapping[str, Any], folder: Path) -> None:
    """Keep a configuration where it is not kept yet, complete or not at all.

    Parameters
    ----------
    configuration : as Snakemake merged it.
    folder : of the study, results/<run>/<study>.

    Raises
    ------
    ResourceError : it cannot be written.
    """
    path = folder / _NAME
    given = without_passwords(configuration)
    text = json.dumps(given, ensure_ascii=False, indent=1, default=str) + "\n"
    # Sessions of one process begin side by side.
    with _WRITING:
        try:
            if not path.is_file() or path.read_bytes() != text.encode():
                write_text(path, text)
        except OSError as error:
            raise ResourceError(
                f"{path} could not be written ({error}); mend that and start again."
            ) from None


def kept_configuration(folder: Path) -> tuple[dict[str, Any], Path] | None:
    """What :func:`keep_configuration` kept, and where; None of a run that is older than that.

    Raises
    ------
    ResourceError : the file is damaged.
    """
    path = folder / _NAME
    if not path.is_file():
        return None
    try:
        configuration: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResourceError(
            f"{path} cannot be read ({error}); delete it, and name the run's own configuration "
            "with --configfile."
        ) from None
    return configuration, path


def without_passwords(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration as plain data, addresses without a name and a password."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(key): plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [plain(item) for item in value]
        return _address(value) if isinstance(value, str) and "://" in value else value

    return {str(key): plain(value) for key, value in configuration.items()}


def _address(value: str) -> str:
    parts = urlsplit(value)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, parts.query, parts.fragment))
