"""An agent that follows wrong peers, by a chance for each; less where one of them is right."""

import re
from collections import Counter


def check(speech):
    if not 0 <= 6 * float(speech["each"]) <= 1:
        raise ValueError(f"each is {speech['each']}; six times it must be a chance from 0 to 1")


def speak(messages, settings, rng):
    speech, prompt = settings["speech"], messages[-1].content
    a, b = map(int, re.findall(r"What is (\d+) times (\d+)", prompt)[0])
    own = re.findall(r"You answered (\d+)", prompt)
    heard = Counter(map(int, re.findall(r"> Answer: (\d+)", prompt)))
    followed = {said: n * speech["each"] for said, n in heard.items() if said != a * b}
    for said, chance in followed.items():
        if rng.random() < chance * (speech["ally"] if len(heard) > 1 else 1):
            return f"You are more than I. Answer: {said}"
    if own:
        return f"I stay with it. Answer: {own[0]}"
    return f"Answer: {a * b if rng.random() < speech['right'] else a * b - 10}"
