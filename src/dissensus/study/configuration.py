"""The whole configuration: read, validated, and handed out as typed settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, create_model, field_validator, model_validator

from dissensus.errors import SettingError
from dissensus.llm.model_files import ModelFiles
from dissensus.llm.registry import ModelRegistry
from dissensus.llm.settings import LlmSettings
from dissensus.setting_faults import Faults, fault
from dissensus.settings import UNDOTTED, Count, Entries, Once, Spelled, names, validate
from dissensus.shipped import offered_studies
from dissensus.study.jobs import MOST_SHARDS
from dissensus.study.panels import (
    LONGEST_RUN,
    PART_OF,
    SETTING,
    panel_faults,
    panel_values,
    with_first_panel,
)
from dissensus.study.registry import (
    STUDIES,
    complete,
    named_studies,
    package_of,
    register,
    register_installed,
    study_class,
    with_study_models,
)
from dissensus.study.run_settings import (
    ConfirmSettings,
    CreatorSettings,
    EligibleSettings,
    Licence,
    RegistrationSettings,
)
from dissensus.study.study import ModelUse, Study
from dissensus.text.embeddings import is_own
from dissensus.user_files import read_settings

#: What Snakemake's report would run, or lose itself in: settings stand in its scripts as they are.
_SCRIPT = re.compile("</?script|<!--", re.IGNORECASE)
_NO_SCRIPT = "Snakemake's report would run it; leave out <script, </script and <!--"


#: The name of a run.
RunName = Annotated[
    str,
    Spelled(
        r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        "it names a folder: plain letters (a to z, A to Z), digits, . - and _ only, a letter "
        "or digit first",
    ),
    Field(max_length=LONGEST_RUN),
]


class Configuration(LlmSettings):
    """All that a run is told. Each known study adds a block of its name, see :func:`load`."""

    run: RunName
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    shards: Count = MOST_SHARDS
    sessions_on: Literal["nodes", "login"] = "nodes"
    studies: Annotated[list[str], Field(min_length=1), Once]
    """Which studies are run, in the order in which sessions begin; all that have a block, unless it
    is set.
    """
    study_folders: Entries[str] = Field(default_factory=dict)
    replay: str | None = None
    creator: list[CreatorSettings] = Field(default_factory=list)
    registration: Annotated[Entries[RegistrationSettings], names("a study's name")] = Field(
        default_factory=dict
    )
    license: Licence | None = None
    private: bool = False
    eligible: EligibleSettings | None = None
    confirms: ConfirmSettings | None = None
    panels: Annotated[Entries[Entries[str]], names("a panel's name", UNDOTTED)] = Field(
        default_factory=dict
    )
    part_of: str | None = None
    """The run that this one is a panel of, and whose budget, limits and lock it shares. A run with
    panels writes it.
    """
    _parts: tuple[Configuration, ...] = PrivateAttr(default=())

    @property
    def parts(self) -> tuple[Configuration, ...]:
        """The runs that this one is made of: that of each panel, or itself alone."""
        return self._parts or (self,)

    @property
    def panel(self) -> str:
        """The name of the panel that this is the run of; "" where it is of none."""
        return self.run.removeprefix(f"{self.part_of}.") if self.part_of else ""

    @property
    def results(self) -> Path:
        """The run's folder."""
        return Path("results") / self.run

    def home(self, results: Path) -> Path:
        """Where a run keeps its ledger, its lock and the state of its limits.

        Parameters
        ----------
        results : its folder; a panel's is beside that of the whole run.
        """
        return results.parent / self.part_of if self.part_of else results

    def study(self, name: str) -> Study[Any]:
        """A study of the run, with its settings."""
        return study_class(name)(getattr(self, name))

    def model_uses(self, study: str) -> list[ModelUse]:
        """The models that a study's settings name."""
        return self.study(study).models()

    def purposes(self, study: str) -> dict[str, list[str]]:
        """Purpose of calls -> the models that are asked for it, each once."""
        models: dict[str, list[str]] = {}
        for use in self.model_uses(study):
            models[use.purpose] = list(dict.fromkeys([*models.get(use.purpose, []), *use.models]))
        return models

    @property
    def used(self) -> list[str]:
        """The models that the run's studies ask."""
        return list(dict.fromkeys(name for _, name in self._named()))

    def models_of(self, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Some models with their settings, as plain data."""
        return {name: self.models[name].model_dump() for name in names}

    def _named(self) -> Iterator[tuple[str, str]]:
        """Every setting of the run's studies that names a model, and the model."""
        for study in self.studies:
            for use in self.model_uses(study):
                yield from ((f"{study}.{use.setting}", name) for name in use.models)

    @field_validator(SETTING, mode="before")
    @classmethod
    def _no_panels(cls, panels: Any) -> Any:
        """Null takes those of a file below away, which an empty block would leave."""
        return {} if panels is None else panels

    @field_validator("studies")
    @classmethod
    def _studies_are_known(cls, studies: list[str]) -> list[str]:
        lost = [name for name in studies if name not in STUDIES]
        if lost:
            may = f"it may be one of {', '.join(STUDIES)}, or one that study_folders has"
            raise ValueError(f"{lost[0]!r} is no study; {may}")
        return studies

    @model_validator(mode="after")
    def _studies_have_settings(self) -> Configuration:
        lost = [name for name in self.studies if getattr(self, name, None) is None]
        if lost:
            raise Faults(f"{lost[0]} is missing; studies names it, so it needs its block.")
        return self

    @model_validator(mode="after")
    def _panels_are_known(self) -> Configuration:
        if not self.panels:
            return self
        for name in ("replay", PART_OF):
            if value := getattr(self, name):
                raise Faults(fault(name, value, f"a run with {SETTING} has none; leave one out"))
        named = list(dict.fromkeys(name for _, name in self._named()))
        if wrong := [*panel_faults(self.run, self.panels, list(self.models), named)]:
            raise Faults(*wrong)
        return self

    @model_validator(mode="after")
    def _models_are_known(self) -> Configuration:
        model_names = ", ".join(self.models)
        kinds: dict[bool, tuple[str, str]] = {}
        for where, name in self._named():
            if not self.models:
                raise Faults(fault("models", {}, f"it needs an entry: {where} names {name!r}"))
            if name not in self.models:
                raise Faults(fault(where, name, f"models has {model_names}"))
            kinds.setdefault(self.is_simulated(name), (where, name))
        # Each panel is looked at by itself.
        if len(kinds) > 1 and not self.panels:
            (where, name), (_, other) = kinds[True], kinds[False]
            may = (
                f"{other} is a real model, and a run has simulated models or real ones; leave a "
                "study out (studies), or give it models of the other kind"
            )
            raise Faults(fault(where, name, may))
        return self

    @model_validator(mode="after")
    def _imports_are_alone(self) -> Configuration:
        asks = {name: bool(self.model_uses(name)) for name in self.studies}
        if len(set(asks.values())) > 1:
            imports = next(name for name, is_asking in asks.items() if not is_asking)
            may = f"{imports} asks no model, and is a run of its own; leave the others out, or it"
            raise Faults(fault("studies", self.studies, may))
        return self

    @model_validator(mode="after")
    def _batches_have_time(self) -> Configuration:
        for study in self.studies:
            named = (name for use in self.model_uses(study) for name in use.models)
            hosts = {self.models[name].provider for name in named} & set(self.providers)
            deadline = getattr(self, study).protocol.session_deadline_s
            if deadline is not None and any(self.providers[host].batch for host in hosts):
                may = "it must be null where a provider has batch: true, since a batch takes hours"
                raise Faults(fault(f"{study}.protocol.session_deadline_s", deadline, may))
        return self

    @model_validator(mode="after")
    def _embedders_are_known(self) -> Configuration:
        for where, name in self._embedders():
            if is_own(name):
                continue
            host, _, model = name.partition(":")
            provider = self.providers.get(host)
            if provider is None or not model:
                local = "use-multilingual, sentence-transformers:<name>"
                embedders = ", ".join([local, *(f"{p}:<model>" for p in self.providers)])
                raise Faults(fault(where, name, f"it may be one of {embedders}"))
            if provider.simulated and not self.simulated:
                may = "simulated embeddings of real debates would pass for real ones"
                raise Faults(fault(where, name, may))
        return self

    def _embedders(self) -> Iterator[tuple[str, str]]:
        """Every setting of the run's studies that names an embedder, and the embedder."""
        for study in self.studies:
            for path, name in self.study(study).embedders():
                yield f"{study}.{path}", name

    @property
    def waits(self) -> bool:
        """Whether sessions wait for models, or compute their words themselves."""
        return any(
            part.models[name].provider != "simulated" for part in self.parts for name in part.used
        )

    @property
    def simulated(self) -> bool:
        """Whether the run's models are simulated, or those of the sessions that it imports."""
        if not self.used:
            return any(self.study(name).simulated for name in self.studies)
        return self.is_simulated(self.used[0])

    def registry(self, folder: Path, stage: str, used: Sequence[str] = ()) -> ModelRegistry:
        """The models of a run that keeps its results in a folder.

        Parameters
        ----------
        stage : the one that asks them.
        used : those that it may ask, besides embedders.
        """
        return ModelRegistry(
            {name: model.model_dump() for name, model in self.models.items()},
            {name: provider.model_dump() for name, provider in self.providers.items()},
            folder=self.home(folder),
            stage=stage,
            used=used,
            embedders=[name for _, name in self._embedders()],
            budget_usd=self.budget_usd,
            prices=Path(self.prices) if self.prices else None,
            thought=Path(self.thought) if self.thought else None,
        )


@lru_cache
def with_blocks(studies: tuple[str, ...], checked: tuple[str, ...]) -> type[Configuration]:
    """The configuration with an optional block for each study; those of ``checked`` are checked.

    To import the others takes longer than all else that is read of a configuration.
    """
    blocks: dict[str, Any] = dict.fromkeys(studies, (Any, None))
    blocks |= {name: (study_class(name).Settings | None, None) for name in checked}
    return create_model("Configuration", __base__=Configuration, **blocks)


def _run_studies(values: Any) -> tuple[str, ...]:
    """The studies that a configuration runs; all where it does not name them as it should."""
    named = named_studies(values)
    return tuple(name for name in STUDIES if name in named) or tuple(STUDIES)


def load(values: Mapping[str, Any], where: str = "config.yaml") -> Configuration:
    """Validate a configuration as Snakemake merged it, with the models in the files that it names.

    Blocks of studies that are not run are not looked at.

    Raises
    ------
    SettingError : one line for each wrong setting.
    """
    folders = values.get("study_folders") if isinstance(values, Mapping) else None
    if isinstance(folders, Mapping):
        register({name: place for name, place in folders.items() if isinstance(place, str)})
    if isinstance(values, Mapping):
        register_installed(offered_studies(values))
    models = ModelFiles.of(with_study_models(values), where, package_of)
    told = models.merged
    model = with_blocks(tuple(STUDIES), _run_studies(told))
    configuration = validate(model, with_first_panel(told), models.place)
    texts = _texts(told)
    wrong = [fault(path, text, _NO_SCRIPT) for path, text in texts if _SCRIPT.search(text)]
    if wrong:
        raise SettingError("\n".join(f"{models.place(line)}: {line}" for line in wrong))
    tables = {"prices": configuration.prices, "thought": configuration.thought}
    files = [(name, file) for name, file in tables.items() if file]
    for study in configuration.studies:
        named: Mapping[str, str] = getattr(configuration, study).files()
        files += [(f"{study}.{path}", file) for path, file in named.items()]
    lost = [
        fault(path, file, "there is no such file")
        for path, file in files
        if not Path(file).is_file()
    ]
    if lost:
        raise SettingError("\n".join(f"{where}: {line}" for line in lost))
    configuration._parts = tuple(_of_panels(told, configuration, where))
    return configuration


def _of_panels(
    values: Mapping[str, Any], whole: Configuration, where: str
) -> Iterator[Configuration]:
    """The configuration of each panel.

    Raises
    ------
    SettingError : one is wrong, or simulated where another is real.
    """
    first = None
    for name in whole.panels:
        try:
            part = load(panel_values(values, name, whole.panels[name]), where)
        except SettingError as error:
            lines = str(error).splitlines()
            raise SettingError(
                "\n".join(f"{line} So it is with {SETTING}.{name}." for line in lines)
            ) from None
        first = first or part
        if part.simulated != first.simulated:
            kinds = "has simulated models", "has real ones"
            may = (
                f"it {kinds[not part.simulated]}, and {SETTING}.{first.panel} "
                f"{kinds[part.simulated]}; give each kind a run of its own"
            )
            line = fault(f"{SETTING}.{name}", dict(whole.panels[name]), may)
            raise SettingError(f"{where}: {line}")
        yield part


def _texts(values: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every name and text of a configuration, by its path."""
    if isinstance(values, str):
        yield path, values
    elif isinstance(values, Mapping):
        for name, value in values.items():
            yield path or "it", str(name)
            yield from _texts(value, f"{path}.{name}" if path else str(name))
    elif isinstance(values, list):
        for number, value in enumerate(values):
            yield from _texts(value, f"{path}.{number}")


def check_keys(files: Iterable[str | Path]) -> None:
    """Read configuration files strictly: Snakemake takes the last of two equal keys, and 010 for 8.

    Raises
    ------
    ResourceError : a key stands twice, is no text, or a number is taken for another; by file and
        line.
    """
    for file in files:
        read_settings(file)


def load_file(path: Path) -> Any:
    """Read and validate a configuration file by itself, outside Snakemake."""
    values = read_settings(path)
    complete(values)
    return load(values, str(path))
