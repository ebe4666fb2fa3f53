"""An agent whose guess moves towards an estimate that it is shown, by a known share."""

import re


def check(speech):
    float(speech["pull"])


def speak(messages, settings, rng):
    guess = rng.normal(500, 20)
    for shown in re.findall(r"Another says (\d+)", messages[-1].content):
        guess += settings["speech"]["pull"] * (int(shown) - guess)
    return f"I would say {guess:.0f}"
