"""The whole configuration: read, validated, and handed out as typed settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, model_validator

from dissensus.errors import SettingError
from dissensus.language.settings import LanguageStudy
from dissensus.settings_base import Count, Faults, fault, validate
from dissensus.talk.settings import Talk
from dissensus.talk.switchboard import Switchboard
from dissensus.text.embeddings import is_own


class Configuration(Talk):
    """All that a run is told."""

    run: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """The run's name: its folder under results/."""
    seed: Annotated[int, Field(ge=0)]
    """The one seed that every random choice derives from."""
    sessions_per_job: Count | None = None
    """Most sessions that one job holds; null for one, or 100 on a cluster and in large runs."""
    sessions_on: Literal["nodes", "login"] = "nodes"
    """Which machines of a cluster hold the sessions: its nodes, or the one that submits jobs."""
    language: LanguageStudy

    @model_validator(mode="after")
    def _panel_is_known(self) -> Configuration:
        known = ", ".join(self.models)
        for name in self.language.panel:
            if name not in self.models:
                raise Faults(fault("language.panel", name, f"models has {known}"))
        if len({self.is_simulated(name) for name in self.language.panel}) > 1:
            may = "it mixes simulated and real models, and a run has the one or the other"
            raise Faults(fault("language.panel", self.language.panel, may))
        return self

    @model_validator(mode="after")
    def _batches_have_time(self) -> Configuration:
        hosts = {self.models[name].provider for name in self.language.panel} & set(self.providers)
        deadline = self.language.protocol.session_deadline_s
        if deadline is not None and any(self.providers[host].batch for host in hosts):
            may = "it must be null where a provider has batch: true, since a batch takes hours"
            raise Faults(fault("language.protocol.session_deadline_s", deadline, may))
        return self

    @model_validator(mode="after")
    def _embedders_are_known(self) -> Configuration:
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
        """Whether the debaters are simulated models."""
        return self.is_simulated(self.language.panel[0])

    def switchboard(self, folder: Path, stage: str, used: Sequence[str] = ()) -> Switchboard:
        """The models of a run that keeps its results in a folder.

        Parameters
        ----------
        stage : the one that asks them.
        used : those that it may ask, besides embedders.
        """
        embedders = [name for _, name in self.language.measures.named_embedders()]
        return Switchboard(
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
    study = configuration.language
    files = [
        (f"language.languages.{name}.prompts", c.prompts) for name, c in study.languages.items()
    ]
    files += [
        (f"language.pool.{name}", getattr(study.pool, name))
        for name in ("motions", "codebook", "coder_a", "coder_b", "adjudication")
    ]
    files += [("prices", configuration.prices)] if configuration.prices else []
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
    """The JSON schema of a configuration, for editors: ``python -m dissensus.settings``."""
    return json.dumps(Configuration.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(schema(), end="")
