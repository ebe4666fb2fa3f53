"""An author who takes each sentence from the paragraph that is shown, by a known chance."""

import re

SENTENCES, WORDS = 8, 10


def check(speech):
    if not 0 <= float(speech["taken"]) <= 1:
        raise ValueError(f"taken is {speech['taken']}; it must be a chance from 0 to 1")


def speak(messages, settings, rng):
    quoted = re.findall(r"(?m)^> (.+)$", messages[-1].content)
    shown = re.findall(r"\w[^.]+", " ".join(quoted))
    made = []
    for place in range(SENTENCES):
        own = " ".join(f"w{number}" for number in rng.integers(0, 10**6, WORDS))
        taken = shown and rng.random() < settings["speech"]["taken"]
        made.append(shown[place] if taken else own)
    return " ".join(f"{sentence.strip()}." for sentence in made)
