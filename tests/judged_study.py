"""A small experiment whose judge errs in a known way, and where people can read what is so."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dissensus.study.experiment import Experiment, ExperimentSettings, Model, Outcome, quoted, whole


def verdict(reply: str) -> str | None:
    """Yes or no, as a reply ends; None for anything else."""
    last = reply.rpartition(" ")[2].strip(".")
    return last if last in ("yes", "no") else None


class Judged(Experiment):
    """Someone argues, and a judge says whether it is sound."""

    name = "judged"
    question = "Are arguments sounder in debate?"
    arms: ClassVar[tuple[str, ...]] = ("alone", "debate")
    item: ClassVar = {"number": whole("What is argued about.")}
    outcomes: ClassVar = {"sound": Outcome("1 where the argument is sound.", is_share=True)}

    class Settings(ExperimentSettings):
        speaker: Model
        judge: Model
        items: int = 150

    def items(self, rng: np.random.Generator) -> Any:
        for number in range(self.settings.items):
            yield {"number": number}

    def debate(self, session: Any) -> Any:
        ask = f"Argue about {session.item.number} in the arm {session.arm}."
        turn = yield session.call("S", ask, by="speaker", expected="So it follows.")
        ask = f"Is this sound?\n{quoted(turn.text)}\nEnd with yes or no."
        yield session.call("J", ask, verdict, by="judge", expected="It is yes")

    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, float | None]:
        (said,) = turns.loc[turns["speaker"] == "J", "value"]
        return {"sound": None if said is None else float(said == "yes")}


def is_sound(text: str) -> bool:
    """What anybody who reads an argument can tell."""
    return "it does not follow" not in text


def speak(messages: Any, settings: Any, rng: np.random.Generator) -> str:
    """An argument that is sound by a chance; a verdict that is wrong by a chance where it is loud.

    ``alone`` and ``debate`` are the chances of a sound argument. ``fooled`` is that of a loud one
    which is not sound to pass for sound; arguments are loud in debate.
    """
    asked, speech = messages[-1].content, settings["speech"]
    if asked.startswith("Argue"):
        arm = "debate" if "arm debate" in asked else "alone"
        loud = "Loudly: " if arm == "debate" else ""
        return f"{loud}so it {'follows' if rng.random() < speech[arm] else 'does not follow'}."
    is_fooled = "Loudly" in asked and rng.random() < speech["fooled"]
    return f"I say {'yes' if is_sound(asked) or is_fooled else 'no'}."
