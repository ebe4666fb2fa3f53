"""Whole ensembles of debates between simulated people, run in memory.

A test plants how strong speakers are and how judges are biased. What it reads back has gone the way
of every run: prompts, replies, parsing, blinding, measures, estimates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from dissensus.llm.call import Message
from dissensus.llm.journal import NoJournal
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.session.inputs import Row
from dissensus.session.runner import CallFailed, Limits, Session, run_session
from dissensus.study.given import stage_settings
from dissensus.tables.artefact import Schema

from .. import simulated
from ..design.manifest import draw
from ..measures.records import Tables, drawn_by, reconstruct
from ..prompts import Spoken
from ..replies import Style
from ..settings import UnionSettings
from ..study import Union
from ..tables import IDS, MANIFEST, RECORDS
from .union_sessions import MOTION, ORDER, PROMPTS, PROTOCOL, turns_of
from .union_texts import claim_text

#: What is planted unless a test says otherwise: nothing but quality, read without an error.
ROLES: dict[str, dict[str, Any]] = {
    "speaker": {"role": "speaker", "off_length_rate": 0.0},
    "assistant": {"role": "assistant", "rises": 0.4},
    "annotator": {
        **{"role": "annotator", "missed": 0.0, "wrong_kind": 0.0, "wrong_answer": 0.0},
        "bad_ranks_rate": 0.0,
    },
    "judge": {"role": "judge", "sharpness": 0.17},
    "coach": {"role": "coach"},
}
STYLE = Style.model_validate(
    {
        **{"register": "plain", "opening_patterns": ["Well."], "devices": ["figures"]},
        **{"disagreement_style": "counts", "signature_phrases": ["take it slowly"]},
        "closing_patterns": ["So."],
    }
)
JUDGES = ("judge-1", "judge-2", "judge-3")
ALL_LAYERS = ["panel", "annotation", "rubric", "audit"]
INFERENCE = {"confidence": 0.95, "resamples": 499}
#: Passages of each speaker, and sentences of each.
_POOL, _SENTENCES = 8, 6
_SUBJECTS = ("a court", "the clerk", "an assembly", "the register", "a town", "the committee")
_VERBS = ("counts", "keeps", "forgets", "carries", "refuses", "answers")
_OBJECTS = ("every promise", "each mistake", "all the letters", "the long account", "a fair share")


@cache
def passage_of(speaker: str, number: int, motion: str) -> str:
    """A passage of sentences that nobody else says; every second one has a number in it."""
    place = ORDER.index(speaker)
    return " ".join(
        f"In matter {_word(place)} {_word(number)} {_word(sentence)} of {motion}, "
        f"{_SUBJECTS[(place + sentence) % 6]} {_VERBS[(number + sentence) % 6]} "
        f"{_OBJECTS[(place + number + sentence) % 5]} "
        + (f"in {10 + number} cases of the year." if sentence % 2 else "for those who come after.")
        for sentence in range(_SENTENCES)
    )


def _word(number: int) -> str:
    return ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")[number]


@dataclass
class Memory:
    """Inputs of a session from what is in memory; see :class:`dissensus.session.inputs.Inputs`.

    ``corpora``: speaker -> the texts of its passages, in place of the usual ones.
    """

    transcripts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    corpora: Mapping[str, Sequence[str]] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    def texts(self, session_id: str, speakers: list[str], expected: str = "") -> list[str]:
        found = {turn["speaker"]: turn["text"] for turn in self.turns(session_id)}
        return [found[name] for name in speakers]

    def turns(self, session_id: str, expected: Sequence[Row] = ()) -> Sequence[Row]:
        self.read.append(session_id)
        if not self.transcripts[session_id]:
            raise CallFailed(f"{session_id}, which it reads, failed")
        return self.transcripts[session_id]

    def rows_of(
        self, artefact: str, schema: Schema, where: Row, expected: int = 1
    ) -> Sequence[Row]:
        name, motion = where["speaker"], where.get("motion_id", MOTION["motion_id"])
        texts = self.corpora.get(name) or [
            passage_of(name, number, motion) for number in range(_POOL)
        ]
        return [{"text": text, **where} for text in texts]

    def text_of(self, artefact: str) -> str:
        raise AssertionError(artefact)


@dataclass
class Ensemble:
    """What an ensemble left behind: every session, and what it was run from."""

    study: Union
    manifest: dict[str, dict[str, Any]]
    motions: dict[str, dict[str, Any]]
    sessions: dict[str, Session]
    memory: Memory

    def tables(self, layers: Sequence[str] = ALL_LAYERS) -> Tables:
        """The measures of all debates."""
        protocol = self.study.settings.protocol.model_dump()
        ended = {name: turns for name, turns in self.memory.transcripts.items() if turns}
        return reconstruct(ended, self.manifest, self.motions, layers, drawn_by(protocol))

    @cached_property
    def frames(self) -> dict[str, pd.DataFrame]:
        """The same as the estimates get them."""
        found = self.tables()
        return {
            name: pd.DataFrame(getattr(found, name), columns=list(schema.columns))
            for name, schema in RECORDS.items()
        }

    @property
    def drawn(self) -> pd.DataFrame:
        """The manifest as a frame."""
        return pd.DataFrame([*self.manifest.values()], columns=list(MANIFEST.columns))

    @property
    def debates(self) -> dict[str, Session]:
        return {
            name: session
            for name, session in self.sessions.items()
            if self.manifest[name]["kind"] == "debate"
        }


def planted(role: str, **speech: Any) -> dict[str, Any]:
    """A model of a role, with what a test plants in it."""
    kind = "judge" if role.startswith("judge") else role
    return {
        "provider": "simulated",
        "behaviour": "dissensus_studies.union.simulated",
        "speech": {**ROLES[kind], **speech},
    }


#: Of the settings, what no run depends on.
DIAGNOSIS: dict[str, Any] = {
    **{"simulations": 5, "pairs": 2, "coached": [0.0], "gains": [0.0]},
    "people": {
        **{role: planted(role) for role in ("speaker", "assistant", "annotator", "coach")},
        "judges": [planted("judge")],
    },
}


def settings(
    epochs: int = 1, runs: int = 10, arms: Sequence[str] = ("control",), **protocol: Any
) -> UnionSettings:
    return UnionSettings(
        **{"motions": "motions.yaml", "speakers": "speakers", **PROMPTS},
        **{"epochs": epochs, "runs": runs, "arms": [*arms]},
        **{"extractor": "assistant", "interjector": "assistant", "annotator": "annotator"},
        **{"speaker_model": "speaker", "judges": [*JUDGES], "coach": "coach", "layers": ALL_LAYERS},
        corpus={
            **{"chunk": 1000, "overlap": 200, "largest_mb": 20.0, "pool": _POOL},
            **{"embedder": "use-multilingual", "diversity": 0.5},
        },
        protocol={**PROTOCOL, "words": 420, **protocol},
        inference=INFERENCE,
        map={"projection": "pca", "neighbors": 15, "min_dist": 0.1, "min_cluster": 5},
        diagnosis=DIAGNOSIS,
    )


def run(
    study: UnionSettings | None = None,
    *,
    seed: int = 1,
    motions: Sequence[Mapping[str, Any]] = (MOTION,),
    corpora: Mapping[str, Sequence[str]] | None = None,
    **speech: Mapping[str, Any],
) -> Ensemble:
    """Run every session of an ensemble.

    Parameters
    ----------
    study : its settings.
    seed : of the manifest.
    motions : rows of the artefact motions.
    corpora : see :class:`Memory`.
    speech : role -> what is planted; ``judge`` for all seats, ``judge_2`` for one alone.
    """
    chosen = Union(study or settings())
    named = {one["motion_id"]: dict(one) for one in motions}
    rows = draw(named, stage_settings(chosen, chosen.manifest), seed)
    manifest = {row["session_id"]: row for row in rows}
    names = ("speaker", "assistant", "annotator", "coach", *JUDGES)
    models = {}
    for name in names:
        own = speech.get(name.replace("-", "_"), {})
        shared = speech.get("judge", {}) if name in JUDGES else {}
        models[name] = SimulatedModel(name, planted(name, **shared, **own))
    made = Ensemble(chosen, manifest, named, {}, Memory(corpora=corpora or {}))
    for name in sorted(manifest, key=lambda name: _when(manifest[name])):
        _play(made, name, models)
    return made


def _when(row: Row) -> tuple[int, bool]:
    """Styles first; in each epoch memos before debates."""
    return row["epoch"], row["kind"] == "debate"


def _play(made: Ensemble, name: str, models: Mapping[str, SimulatedModel]) -> None:
    row, study = made.manifest[name], made.study
    protocol = study.settings.protocol.model_dump()
    kind = study.kind_of(row)
    needed = kind.needs(row).sessions
    assert all(one in made.memory.transcripts for one in needed)
    steps = kind.steps(kind.spec(row, made.motions[row["motion_id"]]), made.memory)
    asked = {one: models[one] for one in kind.cast(row)}
    made.sessions[name] = run_session(row["seed"], steps, asked, NoJournal(), Limits.of(protocol))
    ids = {column: row[column] for column in IDS}
    made.memory.transcripts[name] = [{**ids, **turn} for turn in turns_of(made.sessions[name])]


def say(role: str, prompt: str, seed: int = 1, **speech: Any) -> str:
    """What a simulated person of a role says to a prompt."""
    rng = np.random.default_rng(seed)
    return simulated.speak([Message("user", prompt)], planted(role, **speech), rng)


def speech_with(name: str, number: int, claims: int = 2, **more: str) -> Spoken:
    """A speech of some claims of a kind."""
    kind = more.get("kind", "principled")
    side = "proposition" if ORDER.index(name) % 2 == 0 else "opposition"
    text = "\n\n".join(
        claim_text(kind, f"Claim {n} of speech {number} is that the register keeps promises.")
        for n in range(claims)
    )
    return Spoken(number, name, side, text)
