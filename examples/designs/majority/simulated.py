"""An agent that goes towards the estimate of a group, by a share for each of its people."""

import re


def speak(messages, settings, rng):
    asked, speech = messages[-1].content, settings["speech"]
    before = re.search(r"You said (\d+)", asked)
    guess = float(before[1]) if before else rng.normal(500, 20)
    told = re.search(r"A group of (\d) (people|experts) says (\d+)", asked)
    if told:
        share = speech["share"] * int(told[1]) * (speech["experts"] if told[2] == "experts" else 1)
        guess += share * (int(told[3]) - guess)
    return f"I would say {guess:.0f}"
