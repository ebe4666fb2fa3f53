"""An agent that thinks again where it is shown any words, and takes up a right answer in them."""

import re


def check(speech):
    for name in ("right", "again", "taken"):
        if not 0 <= float(speech[name]) <= 1:
            raise ValueError(f"{name} is {speech[name]}; it must be a chance from 0 to 1")


def speak(messages, settings, rng):
    chance, prompt = settings["speech"], messages[-1].content
    a, b = map(int, re.findall(r"^What is (\d+) times (\d+)", prompt, re.MULTILINE)[-1])
    heard = [int(said) for said in re.findall(r"> .*Answer: (\d+)", prompt)]
    is_right = rng.random() < chance["right"]
    is_right |= bool(heard) and rng.random() < chance["again"]
    is_right |= a * b in heard and rng.random() < chance["taken"]
    return f"I multiply {a} by {b}. Answer: {a * b if is_right else a * b - 10}"
