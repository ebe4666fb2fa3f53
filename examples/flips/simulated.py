"""An agent that flips by itself, and for stance and reasons, with chances that are set."""

import re


def check(speech):
    for name in ("right", "unstable", "stance", "reasons"):
        if not 0 <= float(speech[name]) <= 1:
            raise ValueError(f"{name} is {speech[name]}; it must be a chance from 0 to 1")


def speak(messages, settings, rng):
    chance, prompt = settings["speech"], messages[-1].content
    a, b = map(int, re.findall(r"What is (\d+) times (\d+)", prompt)[0])
    own = re.findall(r"You answered (\d+)", prompt)
    heard = re.findall(r"> .*Answer: (\d+)", prompt)
    moved = chance["reasons"] if "I added the parts" in prompt else chance["stance"]
    if heard and rng.random() < moved:
        return f"I take that up. Answer: {heard[0]}"
    if own and rng.random() >= chance["unstable"]:
        return f"I stay with it. Answer: {own[0]}"
    return f"Answer: {a * b if rng.random() < chance['right'] else a * b - 10}"
