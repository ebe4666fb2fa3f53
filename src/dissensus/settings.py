"""The whole configuration: read, validated, and handed out as typed settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, field_validator, model_validator

from dissensus.errors import SettingError
from dissensus.language.settings import LanguageStudy, Rate
from dissensus.settings_base import Faults, Settings, fault, validate, without_nulls


class SimulatedModelSettings(Settings):
    provider: Literal["simulated"]
    behaviour: str
    """Importable module that composes the model's words."""
    timeout_rate: Rate = 0.0
    """Share of calls that end in a (simulated) time-out."""
    empty_rate: Rate = 0.0
    """Share of calls that come back empty."""
    speech: dict[str, Any] = Field(default_factory=dict)
    """The behaviour's own settings."""

    @model_validator(mode="after")
    def _speech_is_valid(self) -> SimulatedModelSettings:
        try:
            behaviour = import_module(self.behaviour)
            behaviour.check(self.speech)
        except SettingError as error:
            raise Faults(*str(error).split("\n")) from None
        except (ImportError, ValueError, AttributeError):
            may = "it must be an importable module such as dissensus.language.simulated"
            raise Faults(fault("behaviour", self.behaviour, may)) from None
        return self


class OpenAIModelSettings(Settings):
    provider: Literal["openai"]
    model: str | None = None
    """The provider's name for the model; the name used here unless set."""
    base_url: str | None = None
    """Address of a compatible server; OpenAI's own unless set."""
    key_from: str = "OPENAI_API_KEY"
    """Environment variable that holds the key."""
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    retries: Annotated[int, Field(ge=0)] = 5
    """The client's own retries of a call, with backoff."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Parameters to send besides, or null to leave one out that a model does not take."""


ModelSettings = Annotated[
    SimulatedModelSettings | OpenAIModelSettings, Field(discriminator="provider")
]


class Configuration(Settings):
    """All that a run is told."""

    run: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """The run's name: its folder under results/."""
    seed: Annotated[int, Field(ge=0)]
    """The one seed that every random choice derives from."""
    models: Annotated[dict[str, ModelSettings], Field(min_length=1)]
    language: LanguageStudy

    @field_validator("models", mode="before")
    @classmethod
    def _leave_out(cls, models: Any) -> Any:
        return without_nulls(models)

    @field_validator("models")
    @classmethod
    def _one_kind(cls, models: dict[str, Any]) -> dict[str, Any]:
        for name in models:
            if not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
                may = "it may have letters, digits, - _ and . only"
                raise Faults(f"{name} cannot be a model's name; {may}.")
        return models

    @model_validator(mode="after")
    def _panel_is_known(self) -> Configuration:
        known = ", ".join(self.models)
        for name in self.language.panel:
            if name not in self.models:
                raise Faults(fault("language.panel", name, f"models has {known}"))
        kinds = {self.models[name].provider == "simulated" for name in self.language.panel}
        if len(kinds) > 1:
            may = "it mixes simulated and real models, and a run has the one or the other"
            raise Faults(fault("language.panel", self.language.panel, may))
        return self

    @property
    def simulated(self) -> bool:
        """Whether the debaters are simulated models."""
        return self.models[self.language.panel[0]].provider == "simulated"


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
