"""A library of simulated debates, which the design diagnosis draws its studies from.

To hold the debates of one study takes seconds, and a diagnosis wants hundreds of studies. So pairs
of debates are held once, some for every motion: from the simulated people's words through the real
protocol, annotation and judging to the columns of ``verdicts.parquet``. A simulated study then
draws its pairs from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.design.diagnosis import over_cores
from dissensus.llm.journal import NoJournal
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.session.inputs import Row
from dissensus.session.protocol import Decoding
from dissensus.session.runner import Limits, run_session
from dissensus.tables.artefact import Schema
from dissensus.union.design.manifest import draw
from dissensus.union.measures.debate import read_debate
from dissensus.union.measures.records import debate_tables, drawn_by
from dissensus.union.outcomes import OUTCOMES
from dissensus.union.prompts import Wording
from dissensus.union.protocol import Coaching, Draw, Models, Rules, coach, debate, describe, exact
from dissensus.union.protocol.floor import SEATS
from dissensus.union.tables import COACHED, CONTROL, LAYERS, SIDES

Array = NDArray[np.float64]

#: Debates that a memo is written from.
_READ = 2
#: Passages of each speaker, beyond those that a debate gives them, and sentences of each.
_SPARE, _SENTENCES = 2, 6
_SUBJECTS = ("a court", "the clerk", "an assembly", "the register", "a town", "the committee")
_VERBS = ("counts", "keeps", "forgets", "carries", "refuses", "answers")
_OBJECTS = ("every promise", "each mistake", "all the letters", "the long account", "a fair share")


@dataclass(frozen=True)
class Conditions:
    """How the debates of a library are held.

    Attributes
    ----------
    wording : of the prompts.
    protocol : settings of the protocol.
    people : simulated models, as in the configuration: ``speaker``, ``assistant``, ``annotator``,
        ``coach``, and a list of ``judges``.
    coached : what a coach's advice adds to a student's strength, in logits; each is an arm.
    """

    wording: Wording
    protocol: Mapping[str, Any]
    people: Mapping[str, Any]
    coached: Sequence[float]


@dataclass(frozen=True)
class Library:
    """Outcomes of pairs of debates, u for each of m motions.

    Attributes
    ----------
    control : shape (m, u, outcomes), in the order of
        :data:`~dissensus.union.outcomes.OUTCOMES`. NaN where a debate has none.
    coached : what advice adds -> the same of the debates of the same draws in the coached arm.
    """

    control: Array
    coached: Mapping[float, Array]


def simulate_library(
    motions: Sequence[Row], conditions: Conditions, pairs: int, seed: int, cores: int = 1
) -> Library:
    """Hold and measure the debates of a library.

    Parameters
    ----------
    motions : rows of the artefact motions.
    conditions : how.
    pairs : draws for each motion; each has a debate in control and one for each planted gain.
    seed : of every random choice.
    cores : processes that share the motions.
    """
    hold = partial(_hold_motion, conditions=conditions, pairs=pairs, seed=seed)
    values = np.stack(over_cores(hold, list(motions), cores))
    treated = {gain: values[:, place] for place, gain in enumerate(conditions.coached, start=1)}
    return Library(values[:, 0], treated)


def _hold_motion(motion: Row, conditions: Conditions, pairs: int, seed: int) -> Array:
    """Shape (1 + gains, pairs, outcomes): of the control arm, then of each planted gain.

    Memos are written from control debates, as those of the first epoch are.
    """
    room = _Room(motion, conditions)
    design = {"epochs": 2, "runs": pairs, "arms": [COACHED, CONTROL], "map.namer": None}
    rows = {row["session_id"]: row for row in draw({"": motion}, design, seed)}
    style, memo = (next(r for r in rows.values() if r["kind"] == k) for k in ("style", "memo"))
    room.describe(style)
    first = [row for row in rows.values() if (row["epoch"], row["arm"]) == (1, COACHED)][:_READ]
    for row in first:
        room.debate(row, style, None, 0.0)
    room.coach(memo, first)
    later = [row for row in rows.values() if row["kind"] == "debate" and row["epoch"] == 2]
    control, coached = ([row for row in later if row["arm"] == arm] for arm in (CONTROL, COACHED))
    outcomes = [[room.debate(row, style, None, 0.0) for row in control]]
    outcomes += [
        [room.debate(row, style, memo, gain) for row in coached] for gain in conditions.coached
    ]
    return np.array(outcomes, dtype=np.float64)


@dataclass
class _Room:
    """Where the sessions of a motion are held; its transcripts and its made-up corpora are inputs.

    See :class:`dissensus.session.inputs.Inputs`.
    """

    motion: Row
    conditions: Conditions
    transcripts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def texts(self, session_id: str, speakers: list[str], expected: str = "") -> list[str]:
        text_of = {turn["speaker"]: turn["text"] for turn in self.transcripts[session_id]}
        return [text_of[name] for name in speakers]

    def turns(self, session_id: str, expected: Sequence[Row] = ()) -> Sequence[Row]:
        return self.transcripts[session_id]

    def rows_of(
        self, artefact: str, schema: Schema, where: Row, expected: int = 1
    ) -> Sequence[Row]:
        """Passages that nobody else has: what is said in them bears on no outcome."""
        place = [name for side in SIDES for name in self.motion[side]].index(where["speaker"])
        count = expected + _SPARE
        return [{"text": _passage(place, number), **where} for number in range(count)]

    def text_of(self, artefact: str) -> str:
        raise KeyError(artefact)

    def describe(self, row: Row) -> None:
        """Describe how the speakers speak."""
        speakers = sorted(name for side in SIDES for name in self.motion[side])
        decoding = exact(self.conditions.protocol)
        self._run(row, describe(self.conditions.wording, speakers, "assistant", decoding, self))

    def coach(self, row: Row, debates: Sequence[Row]) -> None:
        """Write the students' memos from debates."""
        read = Coaching(self.motion, [debate["session_id"] for debate in debates])
        decoding = Decoding.of(self.conditions.protocol)
        self._run(row, coach(self.conditions.wording, read, "coach", decoding, self))

    def debate(self, row: Row, style: Row, memo: Row | None, gain: float) -> list[float]:
        """Hold a debate; its outcomes, NaN where it has none."""
        protocol = self.conditions.protocol
        memos = memo["session_id"] if memo else ""
        drawn = Draw.of(row, self.motion, protocol["passages"], style["session_id"], memos)
        judges = tuple(f"judge-{seat}" for seat in range(SEATS))
        models = Models("speaker", "assistant", "assistant", "annotator", judges)
        steps = debate(self.conditions.wording, drawn, models, Rules.of(protocol), self)
        turns = self._run(row, steps, gain)
        if not turns:
            return [np.nan] * len(OUTCOMES)
        tables = debate_tables(read_debate(row, self.motion, turns), LAYERS, drawn_by(protocol))
        (verdict,) = tables.verdicts
        return [np.nan if verdict[name] is None else verdict[name] for name in OUTCOMES]

    def _run(self, row: Row, steps: Any, gain: float = 0.0) -> list[dict[str, Any]]:
        """The turns of a session; none where it failed."""
        protocol, people = self.conditions.protocol, self._people(gain)
        session = run_session(row["seed"], steps, people, NoJournal(), Limits.of(protocol))
        turns = [
            {"speaker": t.speaker, "role": t.role, "text": t.text, "model": t.model}
            for t in session.turns
        ]
        self.transcripts[row["session_id"]] = turns
        return turns

    def _people(self, gain: float) -> dict[str, SimulatedModel]:
        people = {**self.conditions.people}
        judges = people.pop("judges")
        people |= {f"judge-{seat}": judges[seat % len(judges)] for seat in range(SEATS)}
        speaker = people["speaker"]
        people["speaker"] = {**speaker, "speech": {**speaker["speech"], "coached": gain}}
        return {name: SimulatedModel(name, settings) for name, settings in people.items()}


def _passage(place: int, number: int) -> str:
    """A passage of sentences that nobody else says; every second one has a number in it."""
    return " ".join(
        f"In matter {place + 1} of chapter {number + 1}, "
        f"{_SUBJECTS[(place + sentence) % 6]} {_VERBS[(number + sentence) % 6]} "
        f"{_OBJECTS[(place + number + sentence) % 5]} "
        + (f"in {10 + number} cases of the year." if sentence % 2 else "for those who come after.")
        for sentence in range(_SENTENCES)
    )
