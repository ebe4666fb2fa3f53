"""A small experiment in topics, whose simulated agent names a level with heavy tails."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np

from dissensus.study.experiment import text, whole
from noisy_study import Noisy

ITEMS, TOPICS = 120, 60


class Topics(Noisy):
    """An agent is told something, or not; the items of a topic answer alike to it."""

    name = "topics"
    item: ClassVar = {"level": whole("What it would say."), "topic": text("What it is about.")}
    cluster = "topic"

    def items(self, rng: np.random.Generator) -> Any:
        for number in range(ITEMS):
            yield {"level": int(rng.integers(0, 100)), "topic": f"t{number % TOPICS:02d}"}

    def debate(self, session: Any) -> Any:
        item, told = session.item, " Told." if session.arm == "told" else ""
        asked = f"Level {item.level}. Topic {item.topic[1:]}.{told}"
        yield session.call("A", asked, float, expected="1")


def speak(messages: Any, settings: Any, rng: np.random.Generator) -> str:
    """The level with noise of Student's t; where it is told, the effect, and the topic's own.

    A topic's own effect is above 0 in every second topic, and as far below in the others.
    """
    asked, speech = messages[-1].content, settings["speech"]
    level, topic = re.findall(r"Level (\d+)\. Topic (\d+)", asked)[0]
    said = float(level) + speech["noise"] * rng.standard_t(speech["tails"])
    if "Told" in asked:
        said += speech["effect"] + speech["of_topic"] * (1 if int(topic) % 2 else -1)
    return f"{said:.6f}"
