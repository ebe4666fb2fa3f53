"""Debates of the consensus study in one process: who is asked what, and what is measured."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dissensus.llm.call import Message
from dissensus.session.inputs import Inputs, PlaceholderInputs
from dissensus.session.prompt_files import read_prompts
from dissensus.session.protocol import Call, Turn
from dissensus.settings import validate
from dissensus.study.settings import pick
from scripted import ROOT, default_configuration

from ..design import draw
from ..domains import read_statements
from ..learning.block import gather_examples
from ..learning.profiles import profile_agents
from ..learning.tables import FEWSHOT_FILE, PROFILES_FILE
from ..learning.wording import LearningWords
from ..records import measure_all
from ..settings import ConsensusSettings
from ..simulated import speak
from ..study import Consensus

CONFIG: dict[str, Any] = default_configuration()
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
    if block["sanity"]:
        sanity = block["sanity"]
        block["sanity"] = {**sanity, "prompts": str(ROOT / sanity["prompts"])}
    block["learning"]["prompts"] = str(ROOT / block["learning"]["prompts"])
    return Consensus(validate(ConsensusSettings, block, ""))


def drawn_by(made: Consensus) -> dict[str, Any]:
    """The settings that its manifest is drawn by."""
    return pick(made.settings, Consensus.manifest.settings)


def statements() -> dict[str, dict[str, Any]]:
    """The project's own, by their ids."""
    return _statements(tuple(FOLDERS.items()))


# Each session asks for them.
@cache
def _statements(folders: tuple[tuple[str, str], ...]) -> dict[str, dict[str, Any]]:
    return {
        row["statement_id"]: row
        for name, folder in folders
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


@dataclass(frozen=True)
class Tables(PlaceholderInputs):
    """What other stages left, in memory."""

    rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def rows_of(self, artefact: str, schema: Any, where: Any, expected: int = 1) -> Any:
        rows = self.rows[artefact]
        return [row for row in rows if all(row[name] == value for name, value in where.items())]


def play(
    made: Consensus,
    row: Mapping[str, Any],
    say: Say,
    repairs: int = 2,
    inputs: Inputs | None = None,
) -> Played:
    """Run one session's protocol."""
    kind = made.kind_of(row)
    spec = kind.spec(row, statements()[row["statement_id"]])
    played = Played(row)
    protocol = kind.steps(spec, inputs or PlaceholderInputs())()
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
    ran = whole_run(speech, arms, **changes)
    outcomes = [{"session_id": row["session_id"], "compliant": True} for row in ran.manifest]
    turns = {name: [_turn_row(t) for t in one.turns] for name, one in ran.played.items()}
    votes, metrics = measure_all(ran.manifest, statements(), outcomes, turns, embed or one_hot)
    return pd.DataFrame(votes), pd.DataFrame(metrics), ran.manifest


@dataclass
class Ran:
    """A whole study: its sessions by their ids, and what was learned between them."""

    manifest: list[dict[str, Any]]
    played: dict[str, Played] = field(default_factory=dict)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


def whole_run(speech: Mapping[str, Any], arms: Mapping[str, str], **changes: Any) -> Ran:
    """Play every session, in the order of the study's parts, and learn in between."""
    made = study(arms=dict(arms), reference=next(iter(arms)), **changes)
    ran = Ran(draw(statements(), drawn_by(made), 7))
    learning, inputs = made.settings.learning, Tables(rows=ran.tables)
    words = read_prompts(LearningWords, learning.prompts)
    for part in range(4):
        for row in (one for one in ran.manifest if made.kind_of(one).part == part):
            say = simulated(row, speech)
            ran.played[row["session_id"]] = play(made, row, say, inputs=inputs)
        turns = {name: [_turn_row(t) for t in one.turns] for name, one in ran.played.items()}
        if part == 0 and made.settings.learns:
            sizes = learning.examples, learning.characters
            ran.tables[PROFILES_FILE] = profile_agents(
                ran.manifest, statements(), turns, words, *sizes
            )
        if part == 1 and made.settings.learns:
            said = {
                row["domain"]: {(t["speaker"], t["role"]): t["text"] for t in turns[name]}
                for row in ran.manifest
                if (name := row["session_id"]).startswith("reflection")
            }
            ran.tables[FEWSHOT_FILE] = list(gather_examples(ran.tables[PROFILES_FILE], said))
    return ran


def one_hot(texts: Sequence[str]) -> Any:
    """An embedder to which every two texts are at right angles."""
    return np.eye(len(texts), dtype=np.float32)


def by_argument(texts: Sequence[str]) -> Any:
    """An embedder to which texts are the same that give the same reasons for the same interest."""
    keys = [_argument(text) for text in texts]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return np.eye(len(places), dtype=np.float32)[[places[key] for key in keys]]


@cache
def phrases() -> tuple[list[str], list[str]]:
    """The reasons and the interests in the domains' files, without their first letters."""
    files = [
        [row for folder in FOLDERS.values() for row in csv.DictReader(open_text(folder, name))]
        for name in ("reasons.csv", "voices.csv")
    ]
    reasons, interests = (
        [cell[1:] for row in rows for name, cell in row.items() if name[-1].isdigit()]
        for rows in files
    )
    return reasons, interests


def open_text(folder: str, name: str) -> list[str]:
    return (Path(folder) / name).read_text("utf-8").splitlines()


def _argument(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the last line of an explanation gives as reasons, and the interests that it names."""
    reasons, interests = phrases()
    last = text.splitlines()[-1]
    return tuple(c for c in reasons if c in last), tuple(i for i in interests if i in text)


def _turn_row(turn: Turn) -> dict[str, Any]:
    names = ("speaker", "role", "round_label", "text")
    return {name: getattr(turn, name) for name in names}
