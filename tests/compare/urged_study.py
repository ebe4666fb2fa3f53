"""A study of one's own, whose simulated models say what is planted in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

STUDY = """
from dissensus.study.experiment import Experiment, Outcome, text


def number(reply):
    return float(reply)


class Mine(Experiment):
    name = "mine"
    question = "Does a word matter?"
    arms = ("plain", "urged")
    item = {"asked": text("The question.")}
    outcomes = {"size": Outcome("The number that is said.", "Size")}

    def items(self, rng):
        for number in range(24):
            yield {"asked": f"Question {number}?"}

    def debate(self, session):
        urge = "A large one!" if str(session.arm) == "urged" else ""
        yield session.call("A1", f"Say a number. {session.item.asked} {urge}", number, expected="1")

    def measure(self, turns, item):
        return {"size": turns["value"][0]}
"""
MODEL = """
def check(speech):
    float(speech["more"])


def speak(messages, settings, rng):
    more = settings["speech"]["more"] if "large" in messages[-1].content else 0.0
    return f"{rng.normal(more, 0.5):.6f}"
"""


def lay(folder: Path) -> None:
    """Put the study ``mine`` into a project's folder."""
    (folder / "mine").mkdir()
    for name, text in (("study", STUDY), ("simulated", MODEL)):
        (folder / f"mine/{name}.py").write_text(text, encoding="utf-8")


def urged_by(more: float) -> dict[str, Any]:
    """A simulated model to which the word adds so much."""
    return {"provider": "simulated", "behaviour": "mine.simulated", "speech": {"more": more}}
