"""Why answers flip: asked again, told a peer's stance, or told the peer's reasons, from one first answer."""

import re

from dissensus.study.experiment import Experiment, Outcome, quoted, text, whole

AGAIN = "You answered {own} before.{heard} What is your answer now? End with 'Answer: ' and the number."


def answer(reply):
    """The number that a reply gives as its answer; None where it gives none."""
    given = re.findall(r"Answer: (\d+)", reply)
    return int(given[-1]) if given else None


class Flips(Experiment):
    name = "flips"
    question = "Do agents change their answer for a peer's stance, for its reasons, or by themselves?"
    arms = ("asked_again", "stance", "reasons")
    contrasts = {
        "instability and stance": ("stance", "asked_again"),
        "reasons beyond stance": ("reasons", "stance"),
    }
    item = {"asked": text("The question."), "truth": whole("Its answer."), "peers": whole("A peer's answer.")}
    outcomes = {
        "flip": Outcome("1 where the last answer is not the first.", "Flips", is_share=True),
        "to_peer": Outcome("1 where the last answer is the peer's.", "Flips to the peer", is_share=True),
        "right": Outcome("1 where the last answer is right.", "Right", is_share=True),
    }

    def items(self, rng):
        for a, b in rng.integers(10, 40, (60, 2)):
            yield {"asked": f"What is {a} times {b}?", "truth": int(a * b), "peers": int(a * b + 10)}

    def opening(self, session):
        yield session.call("A1", f"{session.item.asked} End with 'Answer: ' and the number.", answer)

    def debate(self, session):
        (first,) = session.opening
        item, said = session.item, f"Answer: {session.item.peers}"
        if session.arm == "reasons":
            said = f"I multiplied the tens and the ones, and added them. {said}"
        heard = "" if session.arm == "asked_again" else f" A peer says:\n{quoted(said)}\n"
        yield session.call("A1", f"{item.asked} {AGAIN.format(own=first.value, heard=heard)}", answer)

    def measure(self, turns, item):
        first, last = turns["value"]
        if first is None or last is None:
            return {"flip": None, "to_peer": None, "right": None}
        return {"flip": last != first, "to_peer": last == item.peers, "right": last == item.truth}
