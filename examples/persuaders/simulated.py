"""Agents who take up what another argues for by a chance, which differs for what is right."""

import re


def check(speech):
    for name in ("right", "taken_right", "taken_wrong"):
        if not 0 <= float(speech[name]) <= 1:
            raise ValueError(f"{name} is {speech[name]}; it must be a chance from 0 to 1")


def speak(messages, settings, rng):
    chance, prompt = settings["speech"], messages[-1].content
    a, b = map(int, re.findall(r"What is (\d+) times (\d+)", prompt)[0])
    own = re.findall(r"You answered (\d+)", prompt)
    for said in map(int, re.findall(r"> .*Answer: (\d+)", prompt)):
        if rng.random() < chance["taken_right" if said == a * b else "taken_wrong"]:
            return f"You have me convinced. Answer: {said}"
    if own:
        return f"I worked it out. Answer: {own[0]}"
    return f"Answer: {a * b if rng.random() < chance['right'] else a * b - 10}"
