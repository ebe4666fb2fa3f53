"""An agent who seldom knows the cards, and takes up what is right of what it hears."""

import re


def check(speech):
    for name in ("knows", "taken"):
        if not 0 <= float(speech[name]) <= 1:
            raise ValueError(f"{name} is {speech[name]}; it must be a chance from 0 to 1")


def speak(messages, settings, rng):
    chance, prompt = settings["speech"], messages[-1].content
    you, hand = re.search(r"You are (\w+)\. Cards: ([A-Z0-9, ]+)\.", prompt).groups()
    cards = hand.split(", ")
    right = [card for card in cards if card in "AEIOU13579"]
    wrong = [card for card in cards if card not in right]
    said = dict(re.findall(r"(\w+) would turn (\w+)\.", prompt))
    keeps = said.get(you) == "".join(right)
    knows = keeps or rng.random() < chance["knows"]
    follows = "".join(right) in said.values() and rng.random() < chance["taken"]
    chosen = right if knows or follows else sorted([right[-1], str(rng.choice(wrong))])
    return f"Answer: {', '.join(chosen)}"
