"""A solver who is right with a known chance, and takes up a right answer that another shows it."""

import re


def check(speech):
    float(speech["skill"]), float(speech["insight"])


def speak(messages, settings, rng):
    speech, last = settings["speech"], messages[-1].content
    truth = eval(re.findall(r"result of ([-+*\d]+)\?", last)[-1], {"__builtins__": {}})
    shown = [int(n) for n in re.findall(r"> .*?answer is (-?\d+)", last)]
    before = [message.content for message in messages if message.role == "assistant"]
    if not before:
        answer = truth if rng.random() < speech["skill"] else truth + int(rng.choice([-10, 10]))
    else:
        answer = int(re.findall(r"answer is (-?\d+)", before[-1])[-1])
        if truth in shown and rng.random() < speech["insight"]:
            answer = truth
    return f"I worked it out. The answer is {answer}."
