"""A small experiment whose simulated agent names a level, with what is planted in one arm."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dissensus.study.experiment import Experiment, Factor, Outcome, whole


class Noisy(Experiment):
    """An agent is told something, or not."""

    name = "noisy"
    question = "Does it say more when it is told?"
    arms: ClassVar[tuple[str, ...]] = ("plain", "told")
    item: ClassVar = {"level": whole("What it would say.")}
    outcomes: ClassVar = {"said": Outcome("What it says.", null=50.0)}

    def items(self, rng: np.random.Generator) -> Any:
        for level in rng.integers(0, 100, 12):
            yield {"level": int(level)}

    def debate(self, session: Any) -> Any:
        told = " Told." if session.arm == "told" else ""
        yield session.call("A", f"Level {session.item.level}.{told}", float, expected="1")

    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, float]:
        return {"said": turns["value"].iloc[-1]}


class Three(Noisy):
    """Two arms that could differ from the first; the last does not."""

    name = "three"
    arms = ("plain", "told", "alike")


class Dosed(Noisy):
    """One arm, in which a dose is what the study is about."""

    name = "dosed"
    arms = ("told",)
    factors: ClassVar = {"dose": Factor((0, 2), "crossed")}

    def debate(self, session: Any) -> Any:
        dose = f" Told {session.factors.dose}." if session.factors.dose else ""
        yield session.call("A", f"Level {session.item.level}.{dose}", float, expected="1")


class Alone(Noisy):
    """One arm, and its mean."""

    name = "alone"
    arms = ("plain",)

    def debate(self, session: Any) -> Any:
        yield session.call("A", f"Level {session.item.level}.", float, expected="1")


def speak(messages: Any, settings: Any, rng: np.random.Generator) -> str:
    """The level with noise; where it is told, the effect, and what is skewed about 0."""
    asked, speech = messages[-1].content, settings["speech"]
    said = float(re.findall(r"Level (\d+)", asked)[0]) + rng.normal(0, speech["noise"])
    if "Told" in asked:
        said += speech["effect"] + speech["skew"] * (rng.exponential() - 1.0)
    return f"{said:.6f}"
