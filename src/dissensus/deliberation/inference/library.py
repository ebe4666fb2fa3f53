"""A library of simulated debates in a run's own arms, which the design diagnosis draws from.

To run the debates of one study takes seconds, and a diagnosis wants hundreds of studies. So draws
are run once, some for every topic, from the simulated debaters' words through the real protocol,
repairs and measures to the primary outcome. A simulated study then draws its draws from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from dissensus.deliberation.design.manifest import Drawing, draw_manifest
from dissensus.deliberation.measures.from_turns import metrics_of
from dissensus.deliberation.outcomes import PRIMARY
from dissensus.deliberation.prompts import Note, Topic, Wording
from dissensus.deliberation.protocol import Arm, Cast, deliberate
from dissensus.deliberation.settings import ArmSettings, ControlSettings
from dissensus.design.diagnosis import over_cores
from dissensus.digests import seed_of
from dissensus.llm.journal import NoJournal
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.session.protocol import Decoding
from dissensus.session.runner import Limits, run_session
from dissensus.stats.checks import FloatArray

Row = Mapping[str, Any]

_JUDGE = "judge"
#: Columns of a session's turns that the measures read.
_TURN = ("speaker", "role", "round_label", "model", "text")


def simulate_library(
    topics: Sequence[Row], settings: Mapping[str, Any], seed: int, cores: int = 1
) -> FloatArray:
    """Run and measure the debates of a library.

    Parameters
    ----------
    topics : rows of the artefact topics.
    settings : of the study: rounds, arms, control, the prompt files, protocol, measures, and
        ``diagnosis`` with the simulated debaters, their judge and the draws run for every topic.
    seed : of every random choice.
    cores : processes that share the topics.

    Returns
    -------
    The primary outcome, shape (arms, topics, draws), NaN where a session has none; arms in the
    settings' order.
    """
    of_topic = partial(_run_topic, settings=settings, seed=seed)
    return np.stack(over_cores(of_topic, list(topics), cores), axis=1)


def _run_topic(topic: Row, settings: Mapping[str, Any], seed: int) -> FloatArray:
    """The primary outcome of all draws on a topic, shape (arms, draws)."""
    diagnosis, arms = settings["diagnosis"], list(settings["arms"])
    people = {f"debater-{n}": model for n, model in enumerate(diagnosis["debaters"], start=1)}
    topic_seed = seed_of(seed, "library", topic["topic_id"])
    drawing = Drawing(
        topic_seed, diagnosis["sessions"], 1, settings["rounds"], list(people), [_JUDGE], arms
    )
    models = {
        name: SimulatedModel(name, model)
        for name, model in {**people, _JUDGE: diagnosis["judge"]}.items()
    }
    rows = draw_manifest([topic], drawing)
    played = {row["session_id"]: _turns(row, topic, settings, models) for row in rows}
    turns = {name: of_session for name, of_session in played.items() if of_session}
    study = {name: settings[name] for name in ("arms", "control", "measures")}
    measured = metrics_of(rows, turns, [topic], study)
    outcomes = np.array([row[PRIMARY] for row in measured], dtype=float)
    places = [arms.index(row["arm"]) for row in rows]
    return np.stack([outcomes[np.equal(places, place)] for place in range(len(arms))])


def _turns(
    row: Row, topic: Row, settings: Mapping[str, Any], models: Mapping[str, SimulatedModel]
) -> list[dict[str, Any]]:
    """The turns of a session; none where it failed."""
    arm = ArmSettings(**settings["arms"][row["arm"]])
    protocol = settings["protocol"]
    steps = deliberate(
        Wording.read(settings["prompts"], settings["judging"]),
        Topic.of(topic),
        Cast({f"A{seat}": name for seat, name in enumerate(row["cast"], 1)}, _JUDGE),
        Arm(**arm.protocol(ControlSettings(**settings["control"]))),
        settings["rounds"],
        Note.of(row) if arm.hints else None,
        Decoding.of(protocol),
    )
    session = run_session(row["seed"], steps, models, NoJournal(), Limits.of(protocol))
    ids = {name: row[name] for name in ("session_id", "draw_id", "topic_id", "arm")}
    return [ids | {name: getattr(turn, name) for name in _TURN} for turn in session.turns]
