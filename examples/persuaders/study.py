"""A persuader and an adversary in one debate: one message replaced, only the tail asked again."""

import re

from dissensus.measures import transitions
from dissensus.study.experiment import Experiment, Fork, Outcome, quoted, text, whole

END = "Reason, and end with 'Answer: ' and the number."


def answer(reply):
    """The number that a reply gives as its answer; None where it gives none."""
    given = re.findall(r"Answer: (\d+)", reply)
    return int(given[-1]) if given else None


class Persuaders(Experiment):
    name = "persuaders"
    question = "How far does one agent move a group that argues for the right, or a wrong answer?"
    arms = ("group", "again", "persuader", "adversary")
    forks = {arm: Fork("group", turn=2) for arm in arms[1:]}
    item = {
        "asked": text("The question."),
        "truth": whole("Its answer."),
        "wrong": whole("What the adversary argues for."),
    }
    outcomes = {
        "right": Outcome("Share of the others who are right in the end.", "Right", is_share=True),
        "won": Outcome("Share who go from wrong to right.", "Wrong to right", is_share=True),
        "lost": Outcome("Share who go from right to wrong.", "Right to wrong", is_share=True),
    }

    def items(self, rng):
        for a, b in rng.integers(10, 40, (self.settings.draws, 2)):
            yield {"asked": f"What is {a} times {b}?", "truth": a * b, "wrong": a * b + 10}

    def opening(self, session):
        ask = f"{session.item.asked} {END}"
        yield [session.call(name, ask, answer, expected="Answer: 1") for name in ("A1", "A2", "A3")]

    def debate(self, session):
        asked, (one, two, third) = session.item.asked, session.opening
        ask = f"{asked} You answered {third.value}. Argue for it. {END}"
        argued = yield session.call("A3", ask, answer, expected="Answer: 1")
        heard = f"A3 says:\n{quoted(argued.text)}\nWhat is it now? {END}"
        asks = {each.speaker: f"{asked} You answered {each.value}.\n{heard}" for each in (one, two)}
        yield [session.call(name, ask, answer) for name, ask in asks.items()]

    def replacement(self, session, turn):
        claims = {"persuader": session.item.truth, "adversary": session.item.wrong}
        claim = claims.get(str(session.arm))
        return turn.text if claim is None else f"I have checked each step. Answer: {claim}"

    def measure(self, turns, item):
        others = turns[turns["speaker"].isin(["A1", "A2"])].groupby("speaker")["value"]
        moved = transitions([*others.first()], [*others.last()], [item.truth] * 2)
        right = moved.right_right + moved.wrong_right
        return {"right": right, "won": moved.wrong_right, "lost": moved.right_wrong}
