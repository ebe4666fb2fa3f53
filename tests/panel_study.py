"""A small experiment for tests: two judges hear a speaker."""

from __future__ import annotations

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
    assistant,
    text,
    user,
    whole,
)


class Panel(Experiment):
    """Two judges hear a speaker, who is told to be brief or not."""

    name = "panel"
    question = "Do judges agree more with the brief?"
    arms = ("long", "brief")
    item: ClassVar = {"topic": text("What is spoken of."), "truth": whole("Its value.")}
    outcomes: ClassVar = {"score": Outcome("Mean score.", "mean score", "points", null=5.0)}
    factors: ClassVar = {"side": ("for", "against")}
    cluster = "topic"

    class Settings(ExperimentSettings):
        speaker: Model
        judges: list[Model]
        topics: File | None = None
        words: int = 50

    def items(self, rng: np.random.Generator) -> Any:
        for truth in range(self.settings.words):
            yield {"topic": f"topic {truth // 2}", "truth": truth}

    def debate(self, session: Any) -> Any:
        turn = yield session.call("S", session.item.topic, by="speaker", system=session.arm)
        turns = yield [
            session.call(name, f"{turn.text}?", int, by="judges", model=name, temperature=0.0)
            for name in session.settings.judges
        ]
        talk = [user("why?"), assistant(turns[0].text), user("why?")]
        yield [session.call("S", talk, by="speaker", label="after", required=False)]

    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, float]:
        return {"score": float(turns["value"].iloc[1:3].astype(float).mean())}


def panel(cls: type[Panel] = Panel, **more: Any) -> Panel:
    given = {"speaker": "s", "judges": ["j1", "j2"], **more}
    return cls(cls.Settings.model_validate(given))


def declared(**wrong: Any) -> type[Experiment]:
    """An experiment with a declaration that is changed."""
    good: dict[str, Any] = {
        "name": "x",
        "arms": ("a", "b"),
        "item": {"topic": text("t")},
        "outcomes": {"y": "z"},
        "__module__": __name__,
    }
    return type("Wrong", (Experiment,), {**good, **wrong})
