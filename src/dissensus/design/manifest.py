"""What the manifests of all studies have alike: ids, order and seeds of the sessions of a draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from dissensus.digests import digest, seed_of
from dissensus.errors import SettingError


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


def in_random_order(
    clusters: Sequence[str], block_size: int, most: int | None, seed: int
) -> list[tuple[int, int]]:
    """Draws in the random order in which a study that may stop takes them.

    The order is of whole clusters, which no block divides, since the draws of one are not
    independent. It is drawn of all that there are: the first ones are the same, however many of
    them a study takes.

    Parameters
    ----------
    clusters : of each draw, as draws are dealt.
    block_size : draws that a block has at least, but for the last.
    most : how many draws are taken at most, in whole blocks; None for all.
    seed : the run's.

    Returns
    -------
    The place of each draw that is taken among those that are dealt, and its block, from 1; none
    where ``most`` fills no block.
    """
    places: dict[str, list[int]] = {}
    for place, cluster in enumerate(clusters):
        places.setdefault(cluster, []).append(place)
    groups = list(places.values())
    ordered = [groups[int(place)] for place in stream(seed, "stop").permutation(len(groups))]
    blocks = in_blocks([len(group) for group in ordered], block_size)
    placed = [
        (place, block) for group, block in zip(ordered, blocks, strict=True) for place in group
    ]
    # A look at part of a block would be another once the block is whole.
    sizes = Counter(block for _, block in placed)
    filled = dict(zip(sizes, accumulate(sizes.values()), strict=True))
    return [each for each in placed if most is None or filled[each[1]] <= most]


def check_block_filled(rows: Sequence[Any], study: str, most: int | None, block_size: int) -> None:
    """Refuse a study that may stop after so few draws that these are no block.

    Parameters
    ----------
    rows : of its manifest.
    study : its name.
    most, block_size : its settings.

    Raises
    ------
    SettingError : with the mend.
    """
    if not rows:
        raise SettingError(
            f"{study}.stop.most holds {most}, and a block has at least {block_size} draws; set it "
            f"higher, or {study}.block_size lower."
        )


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
