"""The whole configuration: read, validated, and handed out as typed settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, model_validator

from dissensus.deliberation.settings import DeliberationStudy
from dissensus.errors import SettingError
from dissensus.identity.settings import IdentityStudy
from dissensus.language.settings import LanguageStudy
from dissensus.llm.registry import ModelRegistry
from dissensus.llm.settings import LlmSettings
from dissensus.settings import Count, Faults, fault, validate
from dissensus.text.embeddings import is_own

Study = Literal["language", "identity", "deliberation"]


class Configuration(LlmSettings):
    """All that a run is told."""

    run: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """The run's name: its folder under results/."""
    seed: Annotated[int, Field(ge=0)]
    """The one seed that every random choice derives from."""
    sessions_per_job: Count | None = None
    """Most sessions that one job holds; null for one, or 100 on a cluster and in large runs."""
    sessions_on: Literal["nodes", "login"] = "nodes"
    """Which machines of a cluster hold the sessions: its nodes, or the one that submits jobs."""
    studies: Annotated[list[Study], Field(min_length=1)]
    """Which of the studies below are run."""
    language: LanguageStudy
    identity: IdentityStudy
    deliberation: DeliberationStudy

    def models_of(self, study: Study) -> dict[str, list[str]]:
        """Setting that names some -> the models of a study that it names."""
        if study == "language":
            return {"panel": self.language.panel}
        if study == "identity":
            return {f"teams.{name}.model": [t.model] for name, t in self.identity.teams.items()}
        return {"panel": self.deliberation.panel, "judges": self.deliberation.judges}

    def asked(self, study: Study) -> dict[str, list[str]]:
        """Stage (see :mod:`dissensus.study.call_plan`) -> the models that it asks, each once."""
        found: dict[str, list[str]] = {}
        for setting, names in self.models_of(study).items():
            stage = "judge_session" if setting == "judges" else "run_session"
            found[stage] = list(dict.fromkeys([*found.get(stage, []), *names]))
        return found

    @property
    def used(self) -> list[str]:
        """The models that the run's studies ask."""
        named = (models for study in self.studies for models in self.models_of(study).values())
        return list(dict.fromkeys(name for models in named for name in models))

    @model_validator(mode="after")
    def _models_are_known(self) -> Configuration:
        known = ", ".join(self.models)
        kinds: dict[bool, tuple[str, str]] = {}
        for study in self.studies:
            for setting, names in self.models_of(study).items():
                for name in names:
                    if name not in self.models:
                        raise Faults(fault(f"{study}.{setting}", name, f"models has {known}"))
                    kinds.setdefault(self.is_simulated(name), (f"{study}.{setting}", name))
        if len(kinds) > 1:
            (where, name), (_, other) = kinds[True], kinds[False]
            may = (
                f"{other} is a real model, and a run has simulated models or real ones; leave a "
                "study out (studies), or give it models of the other kind"
            )
            raise Faults(fault(where, name, may))
        return self

    @model_validator(mode="after")
    def _batches_have_time(self) -> Configuration:
        for study in self.studies:
            named = (name for names in self.models_of(study).values() for name in names)
            hosts = {self.models[name].provider for name in named} & set(self.providers)
            deadline = getattr(self, study).protocol.session_deadline_s
            if deadline is not None and any(self.providers[host].batch for host in hosts):
                may = "it must be null where a provider has batch: true, since a batch takes hours"
                raise Faults(fault(f"{study}.protocol.session_deadline_s", deadline, may))
        return self

    @model_validator(mode="after")
    def _embedders_are_known(self) -> Configuration:
        if "language" not in self.studies:
            return self
        for path, name in self.language.measures.named_embedders():
            if is_own(name):
                continue
            where = f"language.measures.{path}"
            host, _, model = name.partition(":")
            provider = self.providers.get(host)
            if provider is None or not model:
                own = "use-multilingual, sentence-transformers:<name>"
                known = ", ".join([own, *(f"{p}:<model>" for p in self.providers)])
                raise Faults(fault(where, name, f"it may be one of {known}"))
            if provider.simulated and not self.simulated:
                may = "simulated embeddings of real debates would pass for real ones"
                raise Faults(fault(where, name, may))
        return self

    @property
    def simulated(self) -> bool:
        """Whether the run's models are simulated."""
        return self.is_simulated(self.used[0])

    def registry(self, folder: Path, stage: str, used: Sequence[str] = ()) -> ModelRegistry:
        """The models of a run that keeps its results in a folder.

        Parameters
        ----------
        stage : the one that asks them.
        used : those that it may ask, besides embedders.
        """
        measures = [self.language.measures] if "language" in self.studies else []
        embedders = [name for each in measures for _, name in each.named_embedders()]
        return ModelRegistry(
            {name: model.model_dump() for name, model in self.models.items()},
            {name: provider.model_dump() for name, provider in self.providers.items()},
            folder=folder,
            stage=stage,
            used=used,
            embedders=embedders,
            budget_usd=self.budget_usd,
            prices=Path(self.prices) if self.prices else None,
        )


def load(values: Mapping[str, Any], where: str = "config.yaml") -> Configuration:
    """Validate a configuration as Snakemake merged it.

    Raises
    ------
    SettingError : one line for each wrong setting.
    """
    configuration = validate(Configuration, values, where)
    files = [("prices", configuration.prices)] if configuration.prices else []
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
    return configuration


def load_file(path: Path) -> Configuration:
    """Read and validate a configuration file by itself, outside Snakemake."""
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SettingError(f"{path} cannot be read as YAML in UTF-8 ({error}).") from None
    return load(values, str(path))


def schema() -> str:
    """The JSON schema for editors: ``python -m dissensus.study.configuration``."""
    from dissensus.study.editor_schema import Described

    made = Configuration.model_json_schema(schema_generator=Described)
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(schema(), end="")
