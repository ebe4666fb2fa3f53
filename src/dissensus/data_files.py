"""Data that a module reads from a file beside it, checked as settings are.

What is no code (phrases of simulated models, numbers that a paper printed) stands in a file of its
own. It counts as the code of the module that names it: :func:`dissensus.digests.code_digest` has
both.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from dissensus.errors import ResourceError, SettingError
from dissensus.settings import validate
from dissensus.user_files import YamlFile

Model = TypeVar("Model", bound=BaseModel)


def beside(module_file: str, name: str) -> Path:
    """The path of a data file.

    Parameters
    ----------
    module_file : ``__file__`` of the module that reads it.
    name : of the file, seen from the module's folder. Write it as a literal, since the module's
        source is searched for it when the code is digested.
    """
    return Path(module_file).parent / name


def read_data(model: type[Model], path: str | Path) -> Model:
    """A YAML file of a type.

    Raises
    ------
    ResourceError : it is no such file, one line for each fault, with its place.
    """
    file = YamlFile.read(path)
    try:
        return validate(model, file.value, file.place)
    except SettingError as error:
        raise ResourceError(str(error)) from None
