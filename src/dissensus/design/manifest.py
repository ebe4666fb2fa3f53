"""What the manifests of all studies have alike: ids, order and seeds of the sessions of a draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.digests import digest, seed_of


def stream(*key: Any) -> np.random.Generator:
    """The random stream of a key: what is drawn for one key changes nothing for another."""
    return np.random.default_rng(int(digest(list(key))[:16], 16))


def rows_of_draw(
    index: int,
    draws: int,
    arms: Iterable[str],
    seed: int,
    shared: Mapping[str, Any],
    *,
    arm: str = "arm",
    letter: str = "d",
    block_size: int = 25,
) -> list[dict[str, Any]]:
    """The sessions of one draw, one in every arm.

    Parameters
    ----------
    index : of the draw, from 0.
    draws : how many there are; ids get as wide as that needs, at least three digits.
    arms : in the order in which the sessions run.
    seed : the run's.
    shared : columns that the sessions of the draw have alike.
    arm : the column of the arm.
    letter : how ids begin.
    block_size : draws that are kept together in one block.

    Returns
    -------
    Rows with ``session_id`` (such as d007-en), ``draw_id``, ``block``, the arm, ``position`` (from
    1), ``seed`` and the shared columns. A session's seed is of the run's seed, the draw's number
    and the arm, and not of the width of the ids, so that a study that grows keeps its sessions.
    """
    draw_id = f"{letter}{index + 1:0{max(3, len(str(draws)))}d}"
    return [
        {
            "session_id": f"{draw_id}-{name}",
            "draw_id": draw_id,
            "block": index // block_size + 1,
            **shared,
            arm: str(name),
            "position": position,
            "seed": seed_of(seed, f"{letter}{index + 1:03d}", str(name)),
        }
        for position, name in enumerate(arms, start=1)
    ]


def in_blocks(sizes: Sequence[int], block_size: int) -> list[int]:
    """The block, from 1, of each of some clusters in their order: whole clusters a block.

    Parameters
    ----------
    sizes : draws of each cluster.
    block_size : draws that a block has at least; the last one may have fewer.
    """
    blocks, block, inside = [], 1, 0
    for size in sizes:
        if inside >= block_size:
            block, inside = block + 1, 0
        blocks.append(block)
        inside += size
    return blocks
