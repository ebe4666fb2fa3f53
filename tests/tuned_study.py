"""A small experiment whose prompt has a word, and agents who rate higher where they know it."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dissensus.study.experiment import (
    Experiment,
    ExperimentSettings,
    File,
    Model,
    Outcome,
    whole,
)


class Tuned(Experiment):
    """An agent rates something, and is told to think like a heron, or is not."""

    name = "tuned"
    question = "Does a prompt that was found with one model raise its ratings?"
    arms: ClassVar[tuple[str, ...]] = ("plain", "prompted")
    item: ClassVar = {"level": whole("What it would say.")}
    outcomes: ClassVar = {"rating": Outcome("What it says.")}

    class Settings(ExperimentSettings):
        model: Model
        prompt: File | None = None

    def items(self, rng: np.random.Generator) -> Any:
        for level in rng.integers(0, 100, 20):
            yield {"level": int(level)}

    def debate(self, session: Any) -> Any:
        path = session.settings.prompt
        words = Path(path).read_text("utf-8") if path else "Think like a heron."
        told = f" {words}" if session.arm == "prompted" else ""
        yield session.call("A", f"Level {session.item.level}.{told}", float, expected="1")

    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, float]:
        return {"rating": turns["value"].iloc[-1]}


def speak(messages: Any, settings: Any, rng: np.random.Generator) -> str:
    """The level with noise, and the effect where the prompt has the agent's word."""
    asked, speech = messages[-1].content, settings["speech"]
    said = float(re.findall(r"Level (\d+)", asked)[0]) + rng.normal(0, speech["noise"])
    return f"{said + speech['effect'] * (speech['word'] in asked):.6f}"
