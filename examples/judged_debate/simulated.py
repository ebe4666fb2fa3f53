"""Debaters whose quotations convince when they are right, and judges who weigh what was quoted."""

import math
import re


def check(speech):
    float(speech.get("sharpness", 0.0))


def speak(messages, settings, rng):
    last = messages[-1].content
    if messages[0].role == "system":
        claim = re.search(r"the answer is (\w+)\.", messages[0].content)[1]
        owner = re.search(r"left to (\w+);", messages[0].content)[1]
        return f"I hold it is {claim}. Force {rng.normal(1.0 if claim == owner else 0.4, 0.5):.2f}."
    force = {"A": 0.0, "B": 0.0}
    for side, value in re.findall(r"^([AB]):\n> .*?Force (-?[\d.]+?)\.$", last, re.MULTILINE):
        force[side] += float(value)
    gap = settings["speech"]["sharpness"] * (force["A"] - force["B"])
    return f"Answer: {'A' if rng.random() < 1 / (1 + math.exp(-gap)) else 'B'}"
