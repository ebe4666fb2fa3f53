"""Du et al. 2023: agents who read each other's answers, against as many independent samples."""

import re
from collections import Counter

from dissensus.study.experiment import Experiment, assistant, quoted, text, user, whole


def answer(reply):
    """The number that a reply ends with; None where it states none."""
    stated = re.findall(r"answer is (-?\d+)", reply)
    return int(stated[-1]) if stated else None


class MultiAgentDebate(Experiment):
    name = "multi_agent_debate"
    question = "Does reading each other's answers beat as many independent samples?"
    arms = ("sampling", "debate")
    item = {"question": text("The expression."), "truth": whole("Its value.")}
    outcomes = {"accuracy": "1 where the most frequent answer of the last round is right."}

    def items(self, rng):
        while True:
            a, b, c, d, e, f = (int(n) for n in rng.integers(0, 30, 6))
            yield {"question": f"{a}+{b}*{c}+{d}-{e}*{f}", "truth": a + b * c + d - e * f}

    def debate(self, session):
        task = f"What is the result of {session.item.question}? End with: The answer is <number>."
        agents, rounds = (3, 2) if session.arm == "debate" else (6, 1)
        talks = {f"A{n}": [user(task)] for n in range(1, agents + 1)}
        for _ in range(rounds):
            turns = yield [session.call(name, talk, answer) for name, talk in talks.items()]
            for turn in turns:
                others = "\n".join(quoted(other.text) for other in turns if other is not turn)
                update = f"Other agents said:\n{others}\nUsing these, update your answer. {task}"
                talks[turn.speaker] += [assistant(turn.text), user(update)]

    def measure(self, turns, item):
        last = turns[turns["turn"] == turns["turn"].max()]["value"].dropna()
        commonest = Counter(last).most_common(1)
        return {"accuracy": float(bool(commonest) and commonest[0][0] == item.truth)}
