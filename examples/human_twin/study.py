"""Wason's cards: agents who hear each other, or not, in groups like those of people."""

import re

import pandas as pd

from dissensus.measures import discovery, transitions
from dissensus.study import experiment as of

TASK = "You are {you}. Cards: {cards}. The rule: behind a vowel is an even number.\n{heard}"
TASK += "Which two cards test it? End with 'Answer: ' and the cards."


def answer(reply):
    """The cards that a reply names, in order; None where it names none."""
    given = re.findall(r"Answer: ([A-Z0-9, ]+)", reply)
    return "".join(sorted(set(given[-1]) - set(", "))) or None if given else None


class HumanTwin(of.Experiment):
    name = "human_twin"
    question = "Do agents who hear each other find the right cards rather than those who do not?"
    arms = ("apart", "group")
    item = {
        "cards": of.text("The four cards that a group of people had."),
        "truth": of.text("The vowel and the odd number of them."),
        "people": of.whole("How many they were; as many agents are asked."),
    }
    outcomes = {
        "right_last": of.Outcome("Share of the agents who end right.", "End right", is_share=True),
        "right_first": of.Outcome("Share who begin right.", "Begin right", is_share=True),
        "discovery": of.Outcome("1 if one ends right though none began right.", is_share=True),
        "gain": of.Outcome("From wrong to right, less from right to wrong.", "Gain", null=0.0),
    }

    class Settings(of.ExperimentSettings):
        model: of.Model
        groups: of.File

    def items(self, rng):
        for row in pd.read_csv(self.settings.groups).itertuples():
            group = {"item_id": str(row.group), "cards": ", ".join(row.cards)}
            yield {**group, "truth": row.right, "people": row.people}

    def debate(self, session):
        names, heard = [f"A{n + 1}" for n in range(session.item.people)], ""
        for _ in range(3):
            asks = {n: TASK.format(you=n, cards=session.item.cards, heard=heard) for n in names}
            said = yield [session.call(n, asks[n], answer, expected="Answer: A, 7") for n in names]
            if session.arm == "group":
                heard = "".join(f"{turn.speaker} would turn {turn.value}.\n" for turn in said)

    def measure(self, turns, item):
        values, right = turns.groupby("speaker")["value"], [item.truth] * item.people
        first, last = [*values.first()], [*values.last()]
        rights = {"right_first": first.count(item.truth), "right_last": last.count(item.truth)}
        flow, found = transitions(first, last, right), discovery([first], [last], right[:1])
        changed = {"discovery": found.found, "gain": flow.wrong_right - flow.right_wrong}
        return changed | {name: count / item.people for name, count in rights.items()}
