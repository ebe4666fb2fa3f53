"""The manifest: both stages of randomisation, drawn once from a seed before any debate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.design.manifest import check_block_filled, in_random_order, rows_of_draw
from dissensus.digests import seed_of
from dissensus.tables.artefact import Schema, read
from dissensus.tables.common import common, text

from ..settings import ROLES
from .instrument import rendered_draws, rendering_id, renderings_of
from .pool import POOL

MANIFEST = Schema(
    name="manifest",
    row="session",
    columns={
        **common("session_id", "draw_id", "block"),
        **POOL.pick("domain_id", "motion_id"),
        "language": text("Language of the debate, as the configuration names it."),
        "rendered_from": text(
            "Language of the debate that the session is a translation of; empty for a debate."
        ),
        "language_order": text("Order in which the draw's languages are run, as in a>b."),
        **common("position"),
        "P1": text("Model that speaks first for the motion."),
        "P2": text("Model that speaks second for the motion."),
        "O1": text("Model that speaks first against the motion."),
        "O2": text("Model that speaks second against the motion."),
        **common("seed"),
    },
    key=("session_id",),
)

#: The columns that name a session.
IDS = MANIFEST.pick("session_id", "draw_id", "language", "rendered_from")


@dataclass(frozen=True)
class Drawing:
    """What the manifest is drawn from besides the pool.

    Attributes
    ----------
    reference : the language that the others are compared with.
    translated : draws whose debates a model translates; None: all, 0: none.
    stops : whether the study may stop: then blocks are of whole motions, in random order.
    most : draws that such a study takes at most; None for all.
    """

    seed: int
    draws: int
    block_size: int
    languages: Sequence[str]
    panel: Sequence[str]
    reference: str = ""
    translated: int | None = 0
    stops: bool = False
    most: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any], seed: int) -> Drawing:
        """From the settings that the study's manifest declares."""
        instrument, stop = settings["instrument"], settings.get("stop")
        return cls(
            seed,
            settings["draws"],
            settings["block_size"],
            settings["language_names"],
            settings["panel"],
            settings["reference"],
            instrument["draws"] if instrument["translator"] else 0,
            bool(stop),
            stop["most"] if stop else None,
        )


def read_manifest(path: str | Path) -> dict[str, dict[str, Any]]:
    """The manifest artefact as session_id -> row, in the order of ids."""
    return {row["session_id"]: row for row in read(path, MANIFEST).to_pylist()}


def draw(
    pool: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int
) -> list[dict[str, Any]]:
    """The manifest of a run; see :class:`dissensus.study.study.Manifest`."""
    rows = draw_manifest(list(pool.values()), Drawing.of(settings, seed))
    if settings.get("stop"):
        check_block_filled(rows, "language", settings["stop"]["most"], settings["block_size"])
    return rows


def draw_manifest(pool: Sequence[Mapping[str, Any]], drawing: Drawing) -> list[dict[str, Any]]:
    """Draw every session of the drawing.

    Stage 1, per draw: a domain uniformly over the domains that have motions, then a motion
    uniformly, with replacement, within it. Stage 2, per draw: one assignment of distinct models
    to the roles P1, P2, O1, O2, the same in every language, and a uniformly random order of the
    languages. Draws have random streams of their own, so that the first hundred draws are the
    same whether a hundred or a thousand are made. Where the study may stop, the same draws come in
    other blocks: the draws of a motion together.

    Parameters
    ----------
    pool : rows of the motion pool, of which those with ``drawable`` are drawn from.
    drawing : how many draws, of what, from which seed.

    Returns
    -------
    One row per session, in the order of their ids; ``position`` is the order in which the
    sessions of a draw run, debates first, and then their translations.
    """
    by_domain: dict[int, list[str]] = {}
    for row in pool:
        if row["drawable"]:
            by_domain.setdefault(row["domain_id"], []).append(row["motion_id"])
    domains = sorted(by_domain)
    rows = []
    for index in range(drawing.draws):
        rng = np.random.default_rng([drawing.seed, index])
        domain = domains[int(rng.integers(len(domains)))]
        motion = by_domain[domain][int(rng.integers(len(by_domain[domain])))]
        cast = [drawing.panel[int(i)] for i in rng.permutation(len(drawing.panel))[: len(ROLES)]]
        order = [list(drawing.languages)[int(i)] for i in rng.permutation(len(drawing.languages))]
        shared = {
            "domain_id": domain,
            "motion_id": motion,
            "rendered_from": "",
            "language_order": ">".join(order),
            **dict(zip(ROLES, cast, strict=True)),
        }
        rows += rows_of_draw(
            index,
            drawing.draws,
            order,
            drawing.seed,
            shared,
            arm="language",
            block_size=drawing.block_size,
        )
    if drawing.stops:
        rows = _in_random_order(rows, drawing)
    rows += translations(rows, drawing)
    return sorted(rows, key=lambda row: row["session_id"])


def _in_random_order(
    debates: Sequence[Mapping[str, Any]], drawing: Drawing
) -> list[dict[str, Any]]:
    """The debates that a study which may stop takes at most, in blocks of whole motions."""
    motions = {row["draw_id"]: row["motion_id"] for row in debates}
    draws = list(motions)
    placed = in_random_order([*motions.values()], drawing.block_size, drawing.most, drawing.seed)
    blocks = {draws[place]: block for place, block in placed}
    return [{**row, "block": blocks[row["draw_id"]]} for row in debates if row["draw_id"] in blocks]


def translations(debates: Sequence[Mapping[str, Any]], drawing: Drawing) -> list[dict[str, Any]]:
    """The sessions that put debates into another language, in both directions of every contrast.

    Parameters
    ----------
    debates : rows of the manifest.
    drawing : with the number of draws whose debates are translated.

    Returns
    -------
    Rows of the manifest, in the order of the debates.
    """
    pairs = renderings_of(drawing.languages, drawing.reference)
    chosen = rendered_draws((row["draw_id"] for row in debates), drawing.translated, drawing.seed)
    rows = []
    for row in debates:
        for number, (language, into) in enumerate(pairs, start=1):
            if row["draw_id"] in chosen and row["language"] == language:
                name = rendering_id(row["draw_id"], language, into)
                rows.append(
                    {
                        **row,
                        "session_id": name,
                        "language": into,
                        "rendered_from": language,
                        "position": len(drawing.languages) + number,
                        # As of a debate: not of the width of the draw's id.
                        "seed": seed_of(row["seed"], "translation", into),
                    }
                )
    return rows
