"""An agent that says rather what is for its own favourite, and chooses by the facts it has read."""

import re
from collections import Counter


def check(speech):
    for name in ("favourite", "other", "prompted"):
        if not 0 <= float(speech[name]) <= 1:
            raise ValueError(f"{name} is {speech[name]}; it must be a chance from 0 to 1")


def speak(messages, settings, rng):
    chance, prompt = settings["speech"], messages[-1].content
    facts = list(dict.fromkeys(re.findall(r"(\w+) is (\w+)\.", prompt)))
    count = Counter(name for name, _ in facts)
    if "I choose" in prompt:
        top = sorted(name for name in count if count[name] == max(count.values()))
        return f"I choose {rng.choice(top)}."
    favourite = max(count, key=lambda name: count[name])
    other = chance["prompted" if "may not know" in prompt else "other"]
    said = [
        f"{name} is {trait}."
        for name, trait in facts
        if rng.random() < (chance["favourite"] if name == favourite else other)
    ]
    return " ".join(said) or "I have nothing to add."
