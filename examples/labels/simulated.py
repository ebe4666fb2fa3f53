"""An agent that follows an answer by whose it is said to be, and else works out one of its own."""

import re


def check(speech):
    for name in ("right", "own", "another", "expert"):
        if not 0 <= float(speech[name]) <= 1:
            raise ValueError(f"{name} is {speech[name]}; it must be a chance from 0 to 1")


def speak(messages, settings, rng):
    chance, prompt = settings["speech"], messages[-1].content
    a, b = map(int, re.findall(r"What is (\d+) times (\d+)", prompt)[0])
    (shown,) = re.findall(r"^> Answer: (\d+)", prompt, re.MULTILINE)
    followed = chance["own" if "You said before" in prompt else "another"]
    # Rank counts for another's answer alone.
    if "as an expert" in prompt and "Another agent" in prompt:
        followed += chance["expert"]
    if rng.random() < followed:
        return f"That is what I find. Answer: {shown}"
    return f"I find another. Answer: {a * b if rng.random() < chance['right'] else a * b - 10}"
