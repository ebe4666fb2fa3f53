"""The whole configuration: read, validated, and handed out as typed settings."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, field_validator, model_validator

from dissensus.errors import SettingError
from dissensus.language.settings import LanguageStudy, Rate
from dissensus.settings_base import Settings, validate


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
        except (ImportError, ValueError, AttributeError):
            raise ValueError(
                f"behaviour {self.behaviour!r} must be an importable module such as "
                "dissensus.language.simulated"
            ) from None
        except SettingError as error:
            raise ValueError(str(error).split("\n")[0].rstrip(".")) from None
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

    @field_validator("models")
    @classmethod
    def _one_kind(cls, models: dict[str, Any]) -> dict[str, Any]:
        for name in models:
            if not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
                raise ValueError(f"the model name {name!r} may have letters, digits, - _ and . only")
        return models

    @model_validator(mode="after")
    def _panel_is_known(self) -> Configuration:
        known = ", ".join(self.models)
        for name in self.language.panel:
            if name not in self.models:
                raise ValueError(f"language.panel names {name!r}; models has {known}")
        kinds = {self.models[name].provider == "simulated" for name in self.language.panel}
        if len(kinds) > 1:
            raise ValueError(
                "language.panel mixes simulated and real models; a run has the one or the other"
            )
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
    known = {name: value for name, value in values.items() if name in Configuration.model_fields}
    unknown = sorted(set(values) - set(known))
    if unknown:
        options = ", ".join(Configuration.model_fields)
        raise SettingError(f"{where}: {unknown[0]} is no setting; known here are {options}.")
    configuration = validate(Configuration, known, where)
    study = configuration.language
    files = [(f"language.languages.{name}.prompts", c.prompts) for name, c in study.languages.items()]
    files += [
        (f"language.pool.{name}", getattr(study.pool, name))
        for name in ("motions", "codebook", "coder_a", "coder_b", "adjudication")
    ]
    for path, file in files:
        if not Path(file).is_file():
            raise SettingError(f"{where}: {path} holds {file!r}; there is no such file.")
    return configuration


def load_file(path: Path) -> Configuration:
    """Read and validate a configuration file by itself, outside Snakemake."""
    with path.open(encoding="utf-8") as file:
        return load(yaml.safe_load(file), str(path))
