"""Do agents follow a group, and the more the larger it is?"""

import re

from dissensus.study.experiment import Experiment, Factor, Outcome, text, whole


def last_number(reply):
    """The number that a reply ends with; None where it has none."""
    numbers = re.findall(r"\d+", reply)
    return int(numbers[-1]) if numbers else None


class Majority(Experiment):
    name = "majority"
    question = "Do agents follow a group, and the more the larger it is?"
    arms = ("alone", "crowd", "experts")
    contrasts = {
        "told": {"crowd": 0.5, "experts": 0.5, "alone": -1},
        "named": ("experts", "crowd"),
    }
    factors = {
        "size": Factor((1, 3, 6), "crossed"),
        "first": Factor(("question", "group"), "balanced"),
    }
    item = {"question": text("What is asked."), "other": whole("The estimate of the group.")}
    outcomes = {
        "distance": Outcome("How far the last estimates are from the group's.", unit="metres"),
        "course": Outcome(
            "The same of each estimate.", "Distance", "metres", by=("round", "agent")
        ),
    }

    def items(self, rng):
        for number, other in enumerate(rng.integers(600, 900, 12), start=1):
            yield {"question": f"How long is bridge {number}, in metres?", "other": int(other)}

    def debate(self, session):
        who = {"crowd": "people", "experts": "experts"}.get(str(session.arm))
        told = f"A group of {session.factors.size} {who} says {session.item.other}." if who else ""
        order = [session.item.question, told]
        task = " ".join(order if session.factors.first == "question" else reversed(order))
        said = {"A1": "", "A2": ""}
        for number in range(3):
            turns = yield [
                session.call(name, f"{task} {before} End with a number.", last_number,
                             label=f"round {number}", expected="I would say 500")
                for name, before in said.items()
            ]  # fmt: skip
            said = {turn.speaker: f"You said {turn.value}." for turn in turns}

    def measure(self, turns, item):
        each = turns.assign(round=turns["turn"] - 1, agent=turns["speaker"])
        each["value"] = (each["value"].astype(float) - item.other).abs()
        last = each[each["round"] == each["round"].max()]
        return {"distance": last["value"].mean(), "course": each[["round", "agent", "value"]]}
