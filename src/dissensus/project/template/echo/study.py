"""Does an agent that is shown another's estimate move towards it?"""

import re
from pathlib import Path

from dissensus.study.experiment import Experiment, ExperimentSettings, File, Model, text, whole


def last_number(reply):
    """The number that a reply ends with; None where it has none."""
    numbers = re.findall(r"\d+", reply)
    return int(numbers[-1]) if numbers else None


class Echo(Experiment):
    name = "echo"
    question = "Does an agent that is shown another's estimate move towards it?"
    arms = ("alone", "shown")
    item = {"question": text("What is asked."), "other": whole("The estimate of another.")}
    outcomes = {"distance": "How far the estimate is from the other's."}

    class Settings(ExperimentSettings):
        model: Model
        prompt: File

    def items(self, rng):
        for number, other in enumerate(rng.integers(100, 900, 30), start=1):
            yield {"question": f"How long is bridge {number}, in metres?", "other": int(other)}

    def debate(self, session):
        shown = f" Another says {session.item.other}." if session.arm == "shown" else ""
        prompt = Path(session.settings.prompt).read_text(encoding="utf-8").strip()
        yield session.call(
            "A1", prompt.format(question=session.item.question, shown=shown), last_number
        )

    def measure(self, turns, item):
        estimate = turns["value"].iloc[-1]
        return {"distance": None if estimate is None else abs(estimate - item.other)}
