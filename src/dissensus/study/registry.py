"""The studies by their names: those that dissensus comes with, and the reader's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dissensus.digests import PACKAGES
from dissensus.errors import SettingError, ended_in
from dissensus.llm.model_files import OWN_MODELS
from dissensus.llm.model_files import SETTING as MODEL_FILES
from dissensus.settings import merged
from dissensus.shipped import (
    SHIPPED,
    STUDIES_FOLDER,
    Offered,
    home,
    is_checkout,
    named_file,
    placed,
    shipped_folders,
)
from dissensus.study.settings import StudySettings
from dissensus.study.study import Study
from dissensus.tables.provenance import note_package
from dissensus.user_files import read_settings

#: Name -> the module of its declaration.
STUDIES = {name: f"{SHIPPED}.{name}.study" for name in shipped_folders()}


def register(folders: Mapping[str, str]) -> None:
    """Make studies of the reader's own known, in this process and in those that it starts.

    A folder is imported as a package of its name; its ``study.py`` declares the study.

    Parameters
    ----------
    folders : name of the study -> its folder.

    Raises
    ------
    SettingError : a folder lacks a file or cannot be imported, or its name is taken.
    """
    for name, place in folders.items():
        folder = Path(place).resolve()
        if not (folder / "study.py").is_file():
            may = "it must be a folder with a study.py"
            raise SettingError(f"study_folders.{name} holds {place!r}; {may}.")
        module = f"{folder.name}.study"
        if STUDIES.get(name, module) != module:
            raise SettingError(
                f"study_folders.{name} holds {place!r}; the study {name!r} is "
                f"{STUDIES[name]} already: give this one another name."
            )
        _make_importable(folder.parent)
        spec = find_spec(folder.name)
        places = [*((spec and spec.submodule_search_locations) or ())]
        if str(folder) in places and str(folder) != places[0]:
            # Packages without an __init__.py are joined: the files of the first would be taken.
            raise SettingError(
                f"study_folders.{name} holds {place!r}; {places[0]} comes first on Python's path: "
                "take it out of PYTHONPATH, or give the folder another name."
            )
        if str(folder) not in places:
            raise SettingError(
                f"study_folders.{name} holds {place!r}; a package called {folder.name!r} is "
                "installed: give the folder another name."
            )
        try:
            import_module(module)
        except SettingError:
            raise
        except Exception as error:
            raise SettingError(
                f"{folder}/study.py cannot be imported: it ends in {ended_in(error, folder)}."
            ) from None
        STUDIES[name] = module
        PACKAGES.add(folder.name)


def register_installed(offered: Mapping[str, Offered]) -> None:
    """Make known the studies that installed packages offer.

    Parameters
    ----------
    offered : as :func:`~dissensus.shipped.offered_studies` finds them, by name.

    Raises
    ------
    SettingError : a package has no ``study.py`` that can be imported.
    """
    for name, (module, package, version) in offered.items():
        if name in STUDIES:
            continue
        try:
            import_module(f"{module}.study")
        except SettingError:
            raise
        except Exception as error:
            place = find_spec(module.partition(".")[0])
            folder = Path(place.origin).parent if place and place.origin else Path()
            raise SettingError(
                f"{package} {version} offers the study {name!r}, and {module}.study cannot be "
                f"imported: it ends in {ended_in(error, folder)}."
            ) from None
        STUDIES[name] = f"{module}.study"
        PACKAGES.add(module.partition(".")[0])
        note_package(package)


def study_class(name: str) -> type[Study[Any]]:
    """The declaration of a study of the project, or of one that :func:`register` knows.

    Raises
    ------
    SettingError : its module declares none, or one of another name.
    """
    module = STUDIES[name]
    loaded = import_module(module)
    classes = [
        value
        for value in vars(loaded).values()
        if isinstance(value, type) and issubclass(value, Study) and value.__module__ == module
    ]
    given = [getattr(each, "name", None) for each in classes]
    if given != [name]:
        names = ", ".join(f"{each!r}" if each else "one without a name" for each in given) or "none"
        raise SettingError(
            f"{loaded.__file__} must declare one study with the name {name!r}; it has {names}."
        )
    if lacking := sorted(classes[0].__abstractmethods__):
        raise SettingError(
            f"{loaded.__file__}: {classes[0].__name__} has no method {lacking[0]}; write it."
        )
    _check_settings_within(classes[0], vars(loaded).values())
    return classes[0]


def _check_settings_within(study: type[Study[Any]], declared: Iterable[Any]) -> None:
    """Refuse settings of a study's file that are beside its class, where nothing reads them.

    Raises
    ------
    SettingError : with the class that they belong into.
    """
    for value in declared:
        if (
            isinstance(value, type)
            and issubclass(value, StudySettings)
            and value.__module__ == study.__module__
            and not issubclass(getattr(study, "Settings", StudySettings), value)
        ):
            raise SettingError(
                f"{sys.modules[study.__module__].__file__}: the settings {value.__name__} stand "
                f"beside the class {study.__name__}, which does not have them; put them within it "
                "as `class Settings(...)`, one step to the right."
            )


def study_folder(name: str) -> Path:
    """The folder of a study that is known: of its code, rules and captions."""
    spec = find_spec(STUDIES[name])
    assert spec is not None and spec.origin is not None, "it was imported when it became known"
    return Path(spec.origin).parent


def package_of(study: str, file: Path) -> str:
    """The package of a study, by its name, or by a file in its folder; "" for none."""
    if study in STUDIES:
        return STUDIES[study].rpartition(".")[0]
    folder = file.resolve().parent
    found = (module for name, module in STUDIES.items() if study_folder(name) == folder)
    return next(found, "").rpartition(".")[0]


def importer() -> str:
    """What ``dissensus import`` calls (``module:function``), of the study that takes files.

    Raises
    ------
    SettingError : no study takes files.
    """
    for name in STUDIES:
        if function := study_class(name).importer:
            return function
    raise SettingError("No study takes files of turns: the folder of the one that does is gone.")


def _make_importable(folder: Path) -> None:
    """Have a folder's packages found here, and by the scripts that this process starts."""
    text = str(folder)
    if text not in sys.path:
        sys.path.append(text)
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if text not in folders:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [text, *folders]))


def named_studies(values: Any) -> list[str]:
    """What a configuration names as studies."""
    named = values.get("studies") if isinstance(values, Mapping) else None
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []


def with_study_models(values: Any) -> Any:
    """A configuration with the studies that have a block, where it names none, and with the files
    of simulated models that the folders of its studies have.
    """
    if not isinstance(values, Mapping):
        return values
    with_blocks = [name for name, block in values.items() if name in STUDIES and block]
    values = {"studies": with_blocks, **values} if with_blocks else values
    named = values.get(MODEL_FILES, {})
    if not isinstance(named, Mapping):
        return values
    taken = {Path(path).resolve() for path in placed([*named.values()]) if isinstance(path, str)}
    files = {name: _own_models(name) for name in named_studies(values) if name in STUDIES}
    found = {
        name: file
        for name, file in files.items()
        if Path(file).is_file() and Path(file).resolve() not in taken
    }
    return {**values, MODEL_FILES: {**found, **named}}


def _own_models(study: str) -> str:
    """Where the simulated models of a study are, if it has a file of them."""
    if study in shipped_folders():
        return str(placed(f"{STUDIES_FOLDER}/{study}/{OWN_MODELS}"))
    return named_file(study_folder(study) / OWN_MODELS)


def complete(values: dict[str, Any]) -> None:
    """Add what dissensus' own config.yaml says to a project's configuration, which comes first.

    Blocks of the studies that dissensus comes with are added where the project runs them. In a
    checkout nothing is added: its configuration is that file.

    Parameters
    ----------
    values : as Snakemake merged it; changed in place.
    """
    if is_checkout():
        return
    left_out = set(shipped_folders()) - set(named_studies(values) or shipped_folders())
    shared = read_settings(home() / "config.yaml")
    values |= merged({name: shared[name] for name in shared if name not in left_out}, values)
