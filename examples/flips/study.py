"""Why answers flip: asked again, a peer's stance, or its reasons, from one first answer."""

import re

from dissensus.study.experiment import Experiment, Outcome, quoted, text, whole

END = "End with 'Answer: ' and the number."


def answer(reply):
    """The number that a reply gives as its answer; None where it gives none."""
    given = re.findall(r"Answer: (\d+)", reply)
    return int(given[-1]) if given else None


class Flips(Experiment):
    name = "flips"
    question = "Do agents change an answer for a peer's stance, for its reasons, or by themselves?"
    arms = ("asked_again", "stance", "reasons")
    contrasts = {
        "stance beyond being asked again": ("stance", "asked_again"),
        "reasons beyond stance": ("reasons", "stance"),
    }
    item = {
        "asked": text("The question."),
        "truth": whole("Its answer."),
        "peers": whole("A peer's answer, which is wrong."),
    }
    outcomes = {
        "flip": Outcome("1 where the last answer is not the first.", "Flips", is_share=True),
        "to_peer": Outcome("1 where the last answer is the peer's.", "To the peer", is_share=True),
        "right": Outcome("1 where the last answer is right.", "Right", is_share=True),
    }

    def items(self, rng):
        for a, b in rng.integers(10, 40, (60, 2)):
            yield {"asked": f"What is {a} times {b}?", "truth": a * b, "peers": a * b + 10}

    def opening(self, session):
        yield session.call("A1", f"{session.item.asked} {END}", answer, expected="Answer: 1")

    def debate(self, session):
        item, (first,) = session.item, session.opening
        said = {
            "asked_again": "",
            "stance": f"A peer says:\n{quoted(f'Answer: {item.peers}')}\n",
            "reasons": f"A peer says:\n{quoted(f'I added the parts. Answer: {item.peers}')}\n",
        }[str(session.arm)]
        prompt = f"{item.asked} You answered {first.value}. {said}What is your answer now? {END}"
        yield session.call("A1", prompt, answer, expected="Answer: 2")

    def measure(self, turns, item):
        first, last = turns["value"]
        if first is None or last is None:
            return {"flip": None, "to_peer": None, "right": None}
        return {"flip": last != first, "to_peer": last == item.peers, "right": last == item.truth}
