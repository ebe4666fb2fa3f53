"""An agent whose opinion goes towards the mean of those that it hears, by a share (DeGroot)."""

import re
from statistics import fmean


def check(speech):
    if not 0 <= float(speech["pull"]) <= 1:
        raise ValueError(f"pull is {speech['pull']}; it must be a share from 0 to 1")


def speak(messages, settings, rng):
    prompt = messages[-1].content
    own = re.search(r"You said (-?[\d.]+)\. Others", prompt)
    if own is None:
        return f"I would say {rng.normal(500, 50):.1f}"
    heard = [float(said) for said in re.findall(r"^> .*?(-?[\d.]+)$", prompt, re.MULTILINE)]
    opinion = float(own[1])
    opinion += settings["speech"]["pull"] * (fmean(heard) - opinion) + rng.normal(0, 2)
    return f"Having heard you, I say {opinion:.1f}"
