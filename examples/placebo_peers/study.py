"""Peers' reasons against a placebo: as many words of peers, but on another question."""

import re

from dissensus.study.experiment import Experiment, Material, Outcome, quoted, text, whole

END = "Reason, and end with 'Answer: ' and the number."


def answer(reply):
    """The number that a reply gives as its answer; None where it gives none."""
    given = re.findall(r"Answer: (\d+)", reply)
    return int(given[-1]) if given else None


class PlaceboPeers(Experiment):
    name = "placebo_peers"
    question = "Do peers help by what they say, or would any words of peers do?"
    arms = ("alone", "placebo", "peers")
    contrasts = {
        "any words of peers": ("placebo", "alone"),
        "what peers say": ("peers", "placebo"),
    }
    material = {
        "on_this": Material("alone", to=("peers",), item="same", count=2),
        "on_another": Material("alone", to=("placebo",), item="other", count=2),
    }
    item = {"asked": text("The question."), "truth": whole("Its answer.")}
    outcomes = {"right": Outcome("1 where the answer is right.", "Right", is_share=True)}

    def items(self, rng):
        for a, b in rng.integers(10, 40, (self.settings.draws, 2)):
            yield {"asked": f"What is {a} times {b}?", "truth": a * b}

    def debate(self, session):
        shown = {"peers": "on_this", "placebo": "on_another"}.get(str(session.arm))
        said = getattr(session.material, shown) if shown else []
        heard = "".join(f"A peer said:\n{quoted(turns[-1].text)}\n" for turns in said)
        yield session.call("A1", f"{heard}{session.item.asked} {END}", answer, expected="Answer: 1")

    def measure(self, turns, item):
        (given,) = turns["value"]
        return {"right": None if given is None else given == item.truth}
