"""The manifest: topics, seats, hints and the order of arms, drawn once before any debate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from dissensus.design.manifest import (
    check_block_filled,
    in_random_order,
    rows_of_draw,
    stream,
)
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, text, texts

from .topics import TOPICS

MANIFEST = Schema(
    name="manifest",
    row="session",
    columns={
        **common("session_id", "draw_id", "block"),
        **TOPICS.pick("topic_id"),
        "arm": text("Name of the arm in the configuration; all where arms are pooled."),
        "arm_order": text("Order in which the arms of the draw are run, as in a>b>c."),
        **common("position"),
        "cast": texts("Models in the seats A1, A2, ..."),
        "judge": text("Model that judges the debate; empty where no arm needs one."),
        "hint": text("Kind of hint that the draw has: valid, invalid or none."),
        "hint_option": text("Option that the hint speaks for; empty without a hint."),
        "hint_round": Column("int", "Round in which the hint is given; 0 without a hint."),
        **common("agents"),
        "rounds": count("How many rounds the debate has."),
        **common("seed"),
    },
    key=("session_id",),
)

#: The columns that name a session.
IDS = MANIFEST.pick("session_id", "draw_id", "topic_id", "arm")

#: A hint for the truth, and one for another option.
HINTS = ("valid", "invalid")


@dataclass(frozen=True)
class Drawing:
    """What the manifest is drawn from besides the topics.

    Attributes
    ----------
    seed : of the run.
    draws, block_size, rounds : of the study.
    panel, judges : models; ``judges`` may be empty where no arm needs one.
    arms : their names.
    stop : the setting; None where the study cannot stop before its end.
    """

    seed: int
    draws: int
    block_size: int
    rounds: int
    panel: Sequence[str]
    judges: Sequence[str]
    arms: Sequence[str]
    stop: Mapping[str, Any] | None = None


def draw(
    topics: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int
) -> list[dict[str, Any]]:
    """The manifest of a run; see :class:`dissensus.study.study.Manifest`."""
    names = ("draws", "block_size", "rounds", "panel", "judges", "arm_names", "stop")
    drawing = Drawing(seed, *(settings[name] for name in names))
    rows = draw_manifest(list(topics.values()), drawing)
    if drawing.stop:
        check_block_filled(rows, "deliberation", drawing.stop["most"], drawing.block_size)
    return rows


def draw_manifest(topics: Sequence[Mapping[str, Any]], drawing: Drawing) -> list[dict[str, Any]]:
    """Draw every session of the drawing.

    Topics are drawn without replacement until all have been used, then all over again. Per draw,
    models are assigned to the seats A1, A2, ... and the arms put in an order, both uniformly at
    random and both the same for the draw's sessions; the judges take turns. Of every two draws
    whose topic has a truth, one gets a valid and one an invalid hint, in random order, for a round
    drawn uniformly from the second to the last but one (the second where that is the last). Draws
    have random streams of their own, so that the first are the same whatever their number; a
    further arm changes nothing but the orders, and in which order the arms are named changes
    nothing. Of a study that may stop, the draws of a topic stand together, in one block, and topics
    come in random order; another number of draws is another study then.

    Parameters
    ----------
    topics : rows of the topics artefact.
    drawing : how many draws, of what, from which seed.

    Returns
    -------
    One row per session, in the order of their ids; ``position`` is the order in which the sessions
    of a draw run. The hint is the draw's, given only in the arms with hints.
    """
    rows: list[dict[str, Any]] = []
    hinting, arms = _Hinting(drawing), sorted(drawing.arms)
    placed = _placed(topics, drawing)
    for index, (topic, block) in enumerate(placed):
        rng = np.random.default_rng([drawing.seed, index])
        cast = [drawing.panel[int(seat)] for seat in rng.permutation(len(drawing.panel))]
        hint = hinting.draw(topic, rng)
        # Last, since it takes as many random numbers as there are arms.
        order = [arms[int(place)] for place in rng.permutation(len(arms))]
        shared = {
            "block": block,
            "topic_id": topic["topic_id"],
            "arm_order": ">".join(order),
            "cast": cast,
            "judge": drawing.judges[index % len(drawing.judges)] if drawing.judges else "",
            **hint,
            "agents": len(cast),
            "rounds": drawing.rounds,
        }
        rows += rows_of_draw(index, len(placed), order, drawing.seed, shared, letter="t")
    return sorted(rows, key=lambda row: str(row["session_id"]))


def _placed(
    topics: Sequence[Mapping[str, Any]], drawing: Drawing
) -> list[tuple[Mapping[str, Any], int]]:
    """The topic of each draw, in order, and its block."""
    size = drawing.block_size
    dealt = list(islice(_topics_in_turn(topics, drawing.seed), drawing.draws))
    if drawing.stop is None:
        return [(topic, index // size + 1) for index, topic in enumerate(dealt)]
    clusters = [topic["topic_id"] for topic in dealt]
    order = in_random_order(clusters, size, drawing.stop["most"], drawing.seed)
    return [(dealt[place], block) for place, block in order]


class _Hinting:
    """Gives draws their hints, balanced over every two that can have one."""

    def __init__(self, drawing: Drawing) -> None:
        self.seed, self.rounds = drawing.seed, drawing.rounds
        self.given = 0

    def draw(self, topic: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        if not topic["truth"] or self.rounds < 2:
            return {"hint": "none", "hint_option": "", "hint_round": 0}
        pair, place = divmod(self.given, len(HINTS))
        self.given += 1
        hint = HINTS[int(stream(self.seed, f"hints {pair}").permutation(len(HINTS))[place])]
        others = [option for option in topic["options"] if option != topic["truth"]]
        other = others[int(rng.integers(len(others)))]
        return {
            "hint": hint,
            "hint_option": topic["truth"] if hint == "valid" else other,
            "hint_round": int(rng.integers(2, max(self.rounds, 3))),
        }


def _topics_in_turn(topics: Sequence[Mapping[str, Any]], seed: int) -> Iterator[Mapping[str, Any]]:
    """Topics without end: all of them in random order, then all of them in another."""
    turn = 0
    while True:
        for place in stream(seed, f"topics {turn}").permutation(len(topics)):
            yield topics[int(place)]
        turn += 1
