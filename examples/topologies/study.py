"""Who hears whom: opinions of five agents over rounds, all of all, round a star, or in a ring."""

import re

from dissensus.study.experiment import Experiment, Outcome, quoted, text

NAMES = ("A1", "A2", "A3", "A4", "A5")


def estimate(reply):
    """The number that a reply ends with; None where it has none."""
    numbers = re.findall(r"-?\d+(?:\.\d+)?", reply)
    return float(numbers[-1]) if numbers else None


def heard_by(arm, place):
    """The places of those whom the agent at a place hears."""
    others = [other for other in range(len(NAMES)) if other != place]
    if arm == "star":
        return [0] if place else others
    return others if arm == "complete" else [place - 1, (place + 1) % len(NAMES)]


class Topologies(Experiment):
    name = "topologies"
    question = "How fast does disagreement go where not all agents hear each other?"
    arms = ("complete", "star", "ring")
    item = {"asked": text("What is asked.")}
    outcomes = {
        "spread": Outcome("Standard deviation of the last estimates.", "Spread", "metres"),
        "course": Outcome("The same after each round.", "Spread", "metres", by="round"),
        "moved": Outcome("How far each is from its first.", "Moved", by=("round", "agent")),
    }

    def items(self, rng):
        for number in range(1, self.settings.draws + 1):
            yield {"asked": f"How long is bridge {number}, in metres?"}

    def opening(self, session):
        ask = f"{session.item.asked} End with your estimate."
        yield [session.call(name, ask, estimate, expected="It is 500.0") for name in NAMES]

    def debate(self, session):
        turns, item = session.opening, session.item
        for _ in range(4):
            calls = []
            for place, turn in enumerate(turns):
                heard = [quoted(turns[n].text) for n in heard_by(session.arm, place)]
                words = f"You said {turn.value}. Others said:\n" + "\n".join(heard)
                ask = f"{item.asked} {words}\nEnd with your estimate now."
                calls.append(session.call(turn.speaker, ask, estimate, expected="It is 500.0"))
            turns = yield calls

    def measure(self, turns, item):
        turns = turns.assign(round=turns["turn"] - 1, value=turns["value"].astype(float))
        table = turns.pivot(index="round", columns="speaker", values="value")
        spread = table.std(axis=1)
        moved = (table - table.iloc[0]).abs().stack()
        return {"spread": spread.iloc[-1], "course": spread.to_dict(), "moved": moved.to_dict()}
