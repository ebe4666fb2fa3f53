"""Personas who rate a topic in private before and after each round of saying what they think."""

import re

from dissensus.study.experiment import Experiment, Outcome, quoted, text, texts

NAMES = ("A1", "A2", "A3")
RATE, SPEAK = "Rate it in private.", "Tell the others."


def rating(reply):
    """The rating that a reply gives, from 0 to 100; None where it gives none."""
    given = re.findall(r"Rating: (\d+)", reply)
    return int(given[-1]) if given and int(given[-1]) <= 100 else None


class Personas(Experiment):
    name = "personas"
    question = "Do personas move together in private too, or only in what they say?"
    arms = ("silent", "talk")
    item = {"topic": text("What is rated."), "views": texts("How far each is for it, 0 to 100.")}
    outcomes = {
        "spread": Outcome("Standard deviation of the last private ratings.", "Spread", "points"),
        "words_closer": Outcome("By how much the last words differ less.", unit="points", null=0),
        "course": Outcome("The spread after each round.", "Spread", "points", by="round"),
    }

    def items(self, rng):
        for n in range(self.settings.draws):
            views = [str(view) for view in rng.integers(5, 95, 3)]
            yield {"topic": f"Plan {n + 1} for the town", "views": views}

    def _ask(self, session, what, told, label):
        for name, view in zip(NAMES, session.item.views, strict=True):
            system = f"You are a person who is for it by {view} of 100."
            ask = f"{session.item.topic}. {told[name]}{what} End with 'Rating: ' and 0 to 100."
            more = {"system": system, "role": what, "label": label, "expected": "Rating: 50"}
            yield session.call(name, ask, rating, **more)

    def opening(self, session):
        yield [*self._ask(session, RATE, dict.fromkeys(NAMES, ""), "round 0")]

    def debate(self, session):
        rated, heard = session.opening, ""
        for label in ("round 1", "round 2", "round 3"):
            before = f"Before, all said:\n{heard}\n" if heard else ""
            told = {each.speaker: f"You rated it {each.value}.\n{before}" for each in rated}
            if session.arm == "talk":
                said = yield [*self._ask(session, SPEAK, told, label)]
                heard = "\n".join(quoted(turn.text) for turn in said)
                told = {name: f"{words}Now all said:\n{heard}\n" for name, words in told.items()}
            rated = yield [*self._ask(session, RATE, told, label)]

    def measure(self, turns, item):
        turns["round"], turns["value"] = turns["round_label"].str[-1], turns["value"].astype(float)
        spread = turns.groupby(["role", turns["round"].astype(int)])["value"].std()
        rated, said = spread[RATE], spread.get(SPEAK)
        closer = None if said is None else rated.iloc[-1] - said.iloc[-1]
        return {"spread": rated.iloc[-1], "words_closer": closer, "course": rated.to_dict()}
