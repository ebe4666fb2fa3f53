"""Files of models that a configuration names: what they hold stands as if in ``models``.

Files of shipped studies, and what these were called before, are known here by any of their names.
In the file of a study, a behaviour that begins with a dot, such as ``.simulated``, is a module of
that study's folder, whatever the folder is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dissensus.errors import SettingError
from dissensus.setting_faults import fault
from dissensus.settings import merged
from dissensus.shipped import former_names, placed
from dissensus.user_files import YamlFile

#: The setting that names them.
SETTING = "simulated_models"
#: What the file of a study's simulated models is called in its folder, where none is named.
OWN_MODELS = "simulated.yaml"
_MODELS = "models"
_BEHAVIOUR = "behaviour"
PackageOf = Callable[[str, Path], str]


@dataclass(frozen=True)
class ModelFiles:
    """A configuration, and the files of models that it names.

    Attributes
    ----------
    values : the configuration as its own files have it, with today's names.
    where : these files, for an error.
    files : model -> the file that has it.
    packages : model -> the package of the study whose file it is in.
    former : a sentence for each former name that was read, in any of these files.
    """

    values: Mapping[str, Any]
    where: str
    files: Mapping[str, YamlFile]
    packages: Mapping[str, str] = field(default_factory=dict)
    former: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Any, where: str, package_of: PackageOf) -> ModelFiles:
        """Read the files that a configuration names, which may itself be none.

        Parameters
        ----------
        package_of : from what names a file, and its path, to the package of the study that it is
            of; to "" for none.

        Raises
        ------
        SettingError : a file is not there, holds something else, or a model that another has.
        ResourceError : a file cannot be read, by line.
        """
        former = [*former_names(values)]
        values = placed(values)
        named = values.get(SETTING) if isinstance(values, Mapping) else None
        files: dict[str, YamlFile] = {}
        packages: dict[str, str] = {}
        for name, path in named.items() if isinstance(named, Mapping) else ():
            if not isinstance(path, str):
                continue
            if not Path(path).is_file():
                sentence = fault(f"{SETTING}.{name}", path, "there is no such file")
                raise SettingError(f"{where}: {sentence}")
            file = YamlFile.shared(path)
            former += former_names(file.value)
            for model in _models_of(file):
                if model in files:
                    raise SettingError(
                        f"{file.place(f'{_MODELS}.{model} ')}: {_MODELS}.{model} stands in "
                        f"{files[model].path} already; rename one of them."
                    )
                files[model] = file
                packages[model] = package_of(name, Path(path))
        return cls(values, where, files, packages, tuple(former))

    @property
    def merged(self) -> Any:
        """The configuration with these models; what it says of one of them itself comes first."""
        configured = self.values.get(_MODELS, {}) if self.files else None
        if not isinstance(configured, Mapping):
            return self.values
        entries = {
            name: self._of_package(name, placed(file.value[_MODELS][name]))
            for name, file in self.files.items()
        }
        return {**self.values, _MODELS: merged(entries, configured)}

    def _of_package(self, name: str, entry: Any) -> Any:
        """A model whose behaviour is called by its whole name."""
        behaviour = entry.get(_BEHAVIOUR) if isinstance(entry, Mapping) else None
        if not isinstance(behaviour, str) or not behaviour.startswith("."):
            return entry
        package = self.packages[name]
        if not package:
            path = f"{_MODELS}.{name}.{_BEHAVIOUR}"
            may = (
                "a module of a study's folder is called so, and the file is in no such folder; "
                f"name the file as the study is called, in {SETTING}"
            )
            raise SettingError(f"{self.files[name].place(path)}: {fault(path, behaviour, may)}")
        return {**entry, _BEHAVIOUR: f"{package}{behaviour}"}

    def place(self, sentence: str) -> str:
        """Where what a sentence begins with stands: in a file of models, with its line, or not."""
        for name, file in self.files.items():
            path = f"{_MODELS}.{name}"
            if sentence.startswith((f"{path}.", f"{path} ")) and not _has(self.values, sentence):
                return file.place(sentence)
        return self.where


def _models_of(file: YamlFile) -> Mapping[str, Any]:
    """What a file of models holds."""
    if not isinstance(file.value, Mapping) or set(file.value) != {_MODELS}:
        others = [*file.value] if isinstance(file.value, Mapping) else []
        wrong = next((key for key in others if key != _MODELS), None)
        has = f"it has {wrong!r}" if wrong is not None else "it has none"
        raise SettingError(
            f"{file.place(f'{wrong} ')}: a file of models holds {_MODELS} alone, and {has}; put "
            "each model's block under it, and what else there is into the configuration."
        )
    models = file.value[_MODELS]
    if not isinstance(models, Mapping):
        raise SettingError(
            f"{file.place(f'{_MODELS} ')}: {fault(_MODELS, models, 'it must be a block of models')}"
        )
    return models


def _has(values: Any, sentence: str) -> bool:
    """Whether blocks have the path of keys that a sentence begins with."""
    if not isinstance(values, Mapping):
        return False
    return any(
        sentence.startswith(f"{name} ")
        or (sentence.startswith(f"{name}.") and _has(inner, sentence[len(str(name)) + 1 :]))
        for name, inner in values.items()
    )
