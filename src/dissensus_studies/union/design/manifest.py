"""The manifest: the sessions of every epoch, and what their draws have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.design.manifest import stream
from dissensus.digests import seed_of

from ..tables import COACHED, SIDES

#: Emphasis lenses, as many as the prompt file has.
LENSES = 8
#: The arm of what both arms read, and of what reads both.
SHARED = "shared"

Row = Mapping[str, Any]


def draw(rows: Mapping[str, Row], settings: Mapping[str, Any], seed: int) -> list[dict[str, Any]]:
    """The manifest of a run; see :class:`dissensus.study.study.Manifest`.

    For each motion: a session that describes the speakers' styles; for each epoch, each run and
    each arm a debate; for each epoch but the first, where an arm is coached, a session that writes
    its memos; and with a namer, one that names the clusters of claims. The debates of a draw, one
    in each arm, have one order of speeches, one lens for each speaker and one ``draw_seed``. What
    is drawn for a debate is of the run's seed, its motion, epoch and run alone: a motion, an epoch,
    a run or an arm more changes nothing in it.

    Parameters
    ----------
    rows : motion_id -> row of the artefact motions.
    settings : ``epochs``, ``runs``, ``arms`` and ``map.namer``.
    seed : of the run.

    Returns
    -------
    Rows in the order of their ids. ``block`` numbers epoch and motion, the styles before epoch 1,
    the names of clusters after the last.
    """
    manifest: list[dict[str, Any]] = []
    arms = sorted(settings["arms"])
    for epoch in range(settings["epochs"] + 1):
        for place, motion in enumerate(rows.values(), start=1):
            shared = {"motion_id": motion["motion_id"], "epoch": epoch}
            shared["block"] = epoch * len(rows) + place
            if epoch == 0:
                manifest.append(_other("style", SHARED, shared, [], seed))
            if epoch > 1 and COACHED in arms:
                manifest.append(_other("memo", COACHED, shared, motion["students"], seed))
            for run in range(1, settings["runs"] + 1 if epoch else 1):
                manifest += _debates(motion, {**shared, "run": run}, arms, seed)
    if settings["map.namer"]:
        manifest += _namings(rows, settings["epochs"] + 1, seed)
    return sorted(manifest, key=lambda row: str(row["session_id"]))


def _namings(rows: Mapping[str, Row], after: int, seed: int) -> list[dict[str, Any]]:
    """The sessions that name clusters; ``after``: epochs before them, that of the styles too."""
    return [
        _other("names", SHARED, {"motion_id": name, "epoch": 0, "block": block}, [], seed)
        for block, name in enumerate(rows, start=after * len(rows) + 1)
    ]


def _other(kind: str, arm: str, shared: Row, order: Sequence[str], seed: int) -> dict[str, Any]:
    """A session that is no debate: a draw of its own."""
    name = f"{shared['motion_id']}-e{shared['epoch']}-{kind}"
    return {
        "session_id": name,
        "draw_id": name,
        **shared,
        "arm": arm,
        "kind": kind,
        "run": 0,
        "position": 1,
        "order": list(order),
        "lenses": [],
        "draw_seed": seed_of(seed, name),
        "seed": seed_of(seed, name, arm),
    }


def _debates(motion: Row, shared: Row, arms: Sequence[str], seed: int) -> list[dict[str, Any]]:
    """The debates of one draw."""
    draw_id = f"{motion['motion_id']}-e{shared['epoch']}-r{shared['run']:02d}"
    draw_seed = seed_of(seed, draw_id)
    order = _order(motion, draw_seed)
    lenses = [str(stream(draw_seed, "lens", name).integers(LENSES)) for name in order]
    return [
        {
            "session_id": f"{draw_id}-{arm}",
            "draw_id": draw_id,
            **shared,
            "arm": arm,
            "kind": "debate",
            "position": position,
            "order": order,
            "lenses": lenses,
            "draw_seed": draw_seed,
            "seed": seed_of(seed, draw_id, arm),
        }
        for position, arm in enumerate(arms, start=1)
    ]


def _order(motion: Row, draw_seed: int) -> list[str]:
    """The speakers of both sides in turn, each side in random order."""
    shuffled = [
        [
            motion[side][place]
            for place in stream(draw_seed, "order", side).permutation(len(motion[side]))
        ]
        for side in SIDES
    ]
    return [name for pair in zip(*shuffled, strict=True) for name in pair]
