"""The debates that `debates.py` writes down, as a study: one arm, a call a step."""

import json
from pathlib import Path

from dissensus.study.experiment import Experiment, ExperimentSettings, File, Model, text


class Debates(Experiment):
    name = "spoken"
    question = "How long do these debates take?"
    arms = ("debate",)
    item = {"calls": text("Model and prompt of every call, as JSON.")}
    outcomes = {"turns": "Turns of a session."}

    class Settings(ExperimentSettings):
        panel: list[Model]
        debates: File

    def items(self, rng):
        with Path(self.settings.debates).open(encoding="utf-8") as file:
            for calls in json.load(file).values():
                yield {"calls": json.dumps(calls)}

    def debate(self, session):
        speeches = []
        for number, call in enumerate(json.loads(session.item.calls), start=1):
            prompt = call["prompt"]
            for place, speech in enumerate(speeches):
                prompt = prompt.replace(f"<<{place}>>", speech)
            turn = yield session.call(
                f"S{number}", prompt, model=call["model"], temperature=0.2, max_tokens=512
            )
            speeches.append(turn.text)

    def measure(self, turns, item):
        return {"turns": len(turns)}
