"""A library of simulated draws, from texts to components: what the design diagnosis studies are of.

To hold a study of 60 draws takes seconds, and a diagnosis wants hundreds of studies. So sessions
are run once, some for every motion, language and planted effect, through the real debaters,
protocol, repairs and losses; rendered in the other language; and measured by the real measures. A
simulated study then draws its sessions from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.design.diagnosis import over_cores
from dissensus.design.manifest import stream
from dissensus.llm.journal import NoJournal
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.session.protocol import Decoding
from dissensus.session.runner import Limits, run_session

from ..measures.components import plain_components
from ..prompts import Prompts
from ..protocol import debate
from ..settings import ROLES
from ..simulated_parallel import NoParallel, render_debate

Array = NDArray[np.float64]

#: Lexical and semantic similarity: what the index is made of.
PARTS = 2


@dataclass(frozen=True)
class Conditions:
    """How the sessions of a library are run and measured.

    Attributes
    ----------
    languages : language -> ``prompts``, ``motion`` and ``script``; the reference first.
    debaters : settings of the simulated models that are cast.
    recycle : name of a planted effect -> probability of recycling in the second language.
    protocol, measures : the study's settings.
    """

    languages: Mapping[str, Mapping[str, str]]
    debaters: Sequence[Mapping[str, Any]]
    recycle: Mapping[str, float]
    protocol: Mapping[str, Any]
    measures: Mapping[str, Any]


@dataclass(frozen=True)
class Library:
    """Components of draws, u for each motion.

    Attributes
    ----------
    motions : ids, m of them.
    domains : the domain of each motion, shape (m,).
    reference : shape (m, u, 2, 2): of the session in the reference language and its rendering in
        the other one, both similarities. NaN where a session was lost or has no rendering.
    treated : planted effect -> the same of the sessions in the other language.
    """

    motions: tuple[str, ...]
    domains: NDArray[np.int64]
    reference: Array
    treated: Mapping[str, Array]


def simulate_library(
    pool: Sequence[Mapping[str, Any]],
    conditions: Conditions,
    draws: int,
    seed: int,
    cores: int = 1,
) -> Library:
    """Hold and measure the draws of a library.

    Parameters
    ----------
    pool : rows of the motion pool, of which those with ``drawable`` are taken.
    conditions : how.
    draws : for each motion.
    seed : of every random choice.
    cores : processes that share the motions.
    """
    motions = [row for row in pool if row["drawable"]]
    hold = partial(_hold_motion, conditions=conditions, draws=draws, seed=seed)
    values = np.stack(over_cores(hold, motions, cores))
    return Library(
        tuple(str(row["motion_id"]) for row in motions),
        np.array([row["domain_id"] for row in motions], dtype=np.int64),
        values[:, 0],
        {name: values[:, place] for place, name in enumerate(conditions.recycle, start=1)},
    )


def _hold_motion(motion: Mapping[str, Any], conditions: Conditions, draws: int, seed: int) -> Array:
    """Shape (1 + effects, draws, 2, 2): of the reference, then of each planted effect."""
    reference, language = list(conditions.languages)[:2]
    arms: list[tuple[str, str, float | None]] = [(reference, "", None)]
    arms += [(language, name, p) for name, p in conditions.recycle.items()]
    parts = np.full((len(arms), draws, 2, PARTS), np.nan)
    for number in range(draws):
        rng = stream("library", seed, motion["motion_id"], number)
        cast = rng.permutation(len(conditions.debaters))[: len(ROLES)].tolist()
        for place, (spoken, name, recycle) in enumerate(arms):
            other = language if spoken == reference else reference
            models = _models(conditions, cast, language, recycle)
            session_seed = int(stream(seed, motion["motion_id"], number, name).integers(2**31))
            parts[place, number] = _hold(motion, conditions, models, spoken, other, session_seed)
    return parts


def _models(
    conditions: Conditions, cast: Sequence[int], language: str, recycle: float | None
) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Role -> name and settings of its model, with what is planted."""
    settings_of: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for role, index in zip(ROLES, cast, strict=True):
        settings = dict(conditions.debaters[index])
        if recycle is not None:
            speech = settings["speech"]
            planted = {**speech["recycle"], language: recycle}
            settings["speech"] = {**speech, "recycle": planted}
        settings_of[role] = (f"debater-{index}", settings)
    return settings_of


def _hold(
    motion: Mapping[str, Any],
    conditions: Conditions,
    models: Mapping[str, tuple[str, Mapping[str, Any]]],
    language: str,
    other: str,
    seed: int,
) -> Array:
    """Shape (2, 2): a session's similarities as it was run, and rendered in the other language."""
    condition, protocol = conditions.languages[language], conditions.protocol
    topic = motion[condition["motion"]]
    steps = debate(
        Prompts.read(condition["prompts"], language),
        topic,
        {role: name for role, (name, _) in models.items()},
        script=condition["script"],
        words_per_sentence=protocol["words_per_sentence"],
        system_message=protocol["system_message"],
        decoding=Decoding.of(protocol),
    )
    providers = {name: SimulatedModel(name, settings) for name, settings in models.values()}
    session = run_session(seed, steps, providers, NoJournal(), Limits.of(protocol))
    parts = np.full((2, PARTS), np.nan)
    if session.failure:
        return parts
    turns = [{"speaker": t.speaker, "model": t.model, "text": t.text} for t in session.turns]
    sources = {name: settings["speech"] for name, settings in models.values()}
    parts[0] = plain_components(turns, conditions.measures)
    try:
        texts = render_debate(turns, sources, topic, language, other)
    except NoParallel:
        return parts
    rendered = [{**turn, "text": text} for turn, text in zip(turns, texts, strict=True)]
    parts[1] = plain_components(rendered, conditions.measures)
    return parts
