"""Votes of simulated judges, with biases that are known."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = ("debate", "grader", "first", "second", "pro", "con", "words_a", "words_b", "winner")
#: The judges of examples/votes/votes.csv.
EXAMPLE: Mapping[str, Mapping[str, float]] = {
    "fair": {},
    "first": {"place": 1.2},
    "wordy": {"length": 1.0},
    "pro": {"side": 1.2},
}


def simulate(
    judges: Mapping[str, Mapping[str, float]],
    items: int,
    seed: int,
    tie: float = 0.0,
    lean: float = 0.0,
) -> list[dict[str, Any]]:
    """Votes on items of which each judge sees two orders and both sides.

    A judge votes for what is shown first with probability logistic(quality + place + side s +
    length w / 100), s being 1 where the first argues for and -1 where it does not, w the words
    by which it is longer; it ties with probability ``tie``.
    ``lean`` is the spread of what motions lend to pro, for all judges alike, about 0.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        names = [f"{name}{item:03}" for name in "pq"]
        quality = rng.normal()
        words = dict(zip(names, rng.integers(150, 450, 2).tolist(), strict=True))
        easier = lean * rng.normal() if lean else 0.0
        for judge, bias in judges.items():
            for turned in (False, True):
                for exchanged in (False, True):
                    a, b = names[::-1] if turned else names
                    pro, con = names[::-1] if exchanged else names
                    logit = (-quality if turned else quality) + bias.get("place", 0.0)
                    logit += (bias.get("side", 0.0) + easier) * (1.0 if a == pro else -1.0)
                    logit += bias.get("length", 0.0) * (words[a] - words[b]) / 100.0
                    won = "A" if rng.logistic() < logit else "B"
                    winner = "tie" if tie and rng.random() < tie else won
                    cells = (item, judge, a, b, pro, con, words[a], words[b], winner)
                    rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


def write_votes(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A CSV of votes."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path
