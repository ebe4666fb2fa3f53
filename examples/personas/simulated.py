"""A persona that goes towards what was said: by one share in private, by another in words."""

import re
from statistics import fmean


def check(speech):
    for name in ("private", "words"):
        if not 0 <= float(speech[name]) <= 1:
            raise ValueError(f"{name} is {speech[name]}; it must be a share from 0 to 1")


def speak(messages, settings, rng):
    system, prompt = messages[0].content, messages[-1].content
    before = re.search(r"You rated it (\d+)", prompt)
    opinion = float(before[1] if before else re.search(r"by (\d+) of 100", system)[1])
    heard = [int(said) for said in re.findall(r"^> .*Rating: (\d+)", prompt, re.MULTILINE)][-3:]
    share = settings["speech"]["private" if "in private" in prompt else "words"]
    opinion += (share * (fmean(heard) - opinion) if heard else 0) + rng.normal(0, 2)
    return f"That is what I think. Rating: {min(100, max(0, round(opinion)))}"
