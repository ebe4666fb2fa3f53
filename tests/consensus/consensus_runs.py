"""Debates of the consensus study in one process: who is asked what, and what is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import yaml

from dissensus.consensus.design import draw
from dissensus.consensus.domains import read_statements
from dissensus.consensus.records import measure_all
from dissensus.consensus.settings import ConsensusSettings
from dissensus.consensus.simulated import speak
from dissensus.consensus.study import Consensus
from dissensus.llm.call import Message
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.protocol import Call, Turn
from dissensus.settings import validate
from dissensus.study.study import pick
from scripted import ROOT

CONFIG: dict[str, Any] = yaml.safe_load((ROOT / "config.yaml").read_text("utf-8"))
FOLDERS = {name: str(ROOT / folder) for name, folder in CONFIG["consensus"]["domains"].items()}
#: Speech settings in which nothing moves an agent, and every reply is in order.
STILL: dict[str, Any] = {
    "domains": FOLDERS,
    **{"disagreement": 1.1, "noise": 0.3, "stubbornness": 0.0, "conformity": 0.0, "drift": 0.0},
    **{"meets": {}, "susceptibility": {}, "repeats": 1.0, "unreadable_rate": 0.0, "leak_rate": 0.0},
}


def study(**changes: Any) -> Consensus:
    """The study with the default settings but for some."""
    block = {**CONFIG["consensus"], "domains": FOLDERS, "variants": {}, **changes}
    block["prompts"] = str(ROOT / block["prompts"])
    block["learning"] = dict(block["learning"])
    block["learning"]["prompts"] = str(ROOT / block["learning"]["prompts"])
    return Consensus(validate(ConsensusSettings, block, ""))


def statements() -> dict[str, dict[str, Any]]:
    """The project's own, by their ids."""
    return {
        row["statement_id"]: row
        for name, folder in FOLDERS.items()
        for row in read_statements(name, folder)
    }


@dataclass
class Played:
    """A session that ran: its turns, and every prompt in the order in which it was made."""

    row: Mapping[str, Any]
    turns: list[Turn] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    steps: list[list[str]] = field(default_factory=list)

    def of(self, role: str) -> list[Call]:
        return [call for call in self.calls if call.role == role]

    def prompt(self, label: str, speaker: str) -> str:
        """All that a speaker was sent under a label."""
        found = [c for c in self.calls if (c.round_label, c.speaker) == (label, speaker)]
        return "\n".join(message.content for message in found[0].messages)


Say = Callable[[Call, Sequence[Message]], str]


def play(made: Consensus, row: Mapping[str, Any], say: Say, repairs: int = 2) -> Played:
    """Run one session's protocol."""
    spec = made.spec(row, statements()[row["statement_id"]])
    spec["protocol"] = made.settings.protocol.model_dump()
    played = Played(row)
    protocol = made.steps(spec, PlaceholderInputs())()
    step = next(protocol, None)
    while step is not None:
        turns = []
        played.steps.append([call.speaker for call in step])
        for call in step:
            text = say(call, call.messages)
            parsed = call.format.read(text)
            tries = 0
            while parsed.problems and tries < repairs:
                tries += 1
                text = say(call, call.again(parsed.problems))
                parsed = call.format.read(text)
            turns.append(call.turn(text, parsed.value, parsed.problems, tries))
            played.calls.append(call)
        played.turns += turns
        try:
            step = protocol.send(turns)
        except StopIteration:
            step = None
    return played


def simulated(row: Mapping[str, Any], speech: Mapping[str, Any]) -> Say:
    """What simulated models with some speech settings say in a session."""
    rng = np.random.default_rng(row["seed"])
    return lambda call, messages: speak(messages, {"speech": dict(speech)}, rng)


def run(
    speech: Mapping[str, Any], arms: Mapping[str, str], embed: Any = None, **changes: Any
) -> tuple[pd.DataFrame, pd.DataFrame, list[dict[str, Any]]]:
    """Votes, metrics and manifest of a whole study, from the replies' texts."""
    reference = next(iter(arms))
    made = study(arms=dict(arms), reference=reference, **changes)
    manifest = draw(statements(), pick(made.settings, Consensus.manifest.settings), 7)
    turns = {
        row["session_id"]: [_turn_row(t) for t in play(made, row, simulated(row, speech)).turns]
        for row in manifest
    }
    outcomes = [{"session_id": row["session_id"], "compliant": True} for row in manifest]
    votes, metrics = measure_all(manifest, statements(), outcomes, turns, embed or one_hot)
    return pd.DataFrame(votes), pd.DataFrame(metrics), manifest


def one_hot(texts: Sequence[str]) -> Any:
    """An embedder to which every two texts are at right angles."""
    return np.eye(len(texts), dtype=np.float32)


def _turn_row(turn: Turn) -> dict[str, Any]:
    names = ("speaker", "role", "round_label", "text")
    return {name: getattr(turn, name) for name in names}
