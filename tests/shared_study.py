"""A small experiment whose sessions take from each other, and the model that plays its agents."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dissensus.study.experiment import Experiment, Fork, Material, Outcome, quoted, text


def number(reply: str) -> int | None:
    given = re.findall(r"Answer: (\d+)", reply)
    return int(given[-1]) if given else None


class Shared(Experiment):
    """An agent answers; then it hears nothing, a peer, another text, or other sessions."""

    name = "shared"
    question = "Who moves an agent?"
    arms = ("again", "peer", "swapped", "placebo", "last")
    item: ClassVar = {"question": text("Asked.")}
    outcomes: ClassVar = {"flip": Outcome("1 where the last answer is another.", is_share=True)}
    forks: ClassVar = {"swapped": Fork("peer", turn=2, speaker="P")}
    material: ClassVar = {
        "peers": Material("again", to=("placebo",), item="other", count=2),
        "round": Material("placebo", to=("last",), item="same", count=2),
    }

    def items(self, rng: np.random.Generator) -> Any:
        for n in range(1, 7):
            yield {"question": f"Question {n}?"}

    def opening(self, session: Any) -> Any:
        yield session.call("A", f"{session.item.question} Begin.", number, expected="Answer: 3")

    def debate(self, session: Any) -> Any:
        (first,) = session.opening
        heard = ""
        if session.arm == "peer":
            ask = f"{session.item.question} Peer."
            turns = yield [
                session.call(name, ask, number, expected="Answer: 4") for name in ("P", "Q")
            ]
            heard = "\n".join(quoted(turn.text) for turn in turns)
        elif session.arm == "placebo":
            heard = "\n".join(quoted(turns[-1].text) for turns in session.material.peers)
        elif session.arm == "last":
            heard = "\n".join(quoted(turns[-1].text) for turns in session.material.round)
        ask = f"{session.item.question} You said {first.value}. {heard} Again."
        yield session.call("A", ask, number, expected="Answer: 3")

    def replacement(self, session: Any, turn: Any) -> str:
        return "It is so. Answer: 999"

    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, float | None]:
        answers = turns[turns["speaker"] == "A"]["value"]
        return {"flip": float(answers.iloc[0] != answers.iloc[-1])}


def speak(messages: Any, settings: Any, rng: np.random.Generator) -> str:
    """Takes up the last answer that it is shown; else one of its own."""
    heard = re.findall(r"> .*Answer: (\d+)", messages[-1].content)
    return f"I say. Answer: {heard[-1] if heard else rng.integers(10, 99)}"
