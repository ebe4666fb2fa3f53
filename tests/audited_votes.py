"""Votes that tests audit, and what is found in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dissensus.audit.biases import Row
from dissensus.audit.report import Audit, audit_votes
from dissensus.audit.votes import read_votes
from simulated_votes import write_votes

GRADER = ["judge=grader"]


def audited(path: Path, rows: list[dict[str, Any]], *mapped: str) -> Audit:
    return audit_votes(read_votes(write_votes(path / "votes.csv", rows), list(mapped)))


def row_of(audit: Audit, judge: str, statistic: str) -> Row:
    (row,) = [row for row in audit.rows if (row.judge, row.statistic) == (judge, statistic)]
    return row


def untold(audit: Audit) -> dict[str, str]:
    return {about: why for about, _, why in (line.partition(": ") for line in audit.untold)}


def votes_of(*cells: str, columns: str = "item,judge,a,b,winner") -> list[dict[str, Any]]:
    names = columns.split(",")
    return [dict(zip(names, row.split(","), strict=True)) for row in cells]
