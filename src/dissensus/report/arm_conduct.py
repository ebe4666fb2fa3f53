"""What was lost, asked again or unread in every arm: rows, table, and what they speak against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import Any

from dissensus.report.labels import MISSING, listed, number, p_clause, p_value
from dissensus.report.tables import Table, make
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, text
from dissensus.tables.common import number as numbers

#: What is counted of a session, in which words.
MEASURES = {
    "lost": "sessions that failed for good",
    "reruns": "attempts at the whole session after the first",
    "repairs": "repairs of a turn",
    "unread": "turns that could not be read after the last repair, votes among them",
}
#: Those that are counted for each turn of a session, since sessions may differ in length.
PER_TURN = ("repairs", "unread")
#: What a mean is for each of, by whether it is counted for each turn.
_EACH = {False: "each session", True: "each turn of the roles that all arms have"}

ARM_CONDUCT = Schema(
    name="arm_conduct",
    row="kind of session, what is counted, and arm",
    columns={
        "kind": text("Kind of session, where a study has several; empty where it has one."),
        "measure": text("lost, reruns, repairs or unread."),
        "arm": text("Arm of the study."),
        "sessions": count("Sessions of the arm, lost ones included."),
        "total": count(
            "Of these sessions together; of lost ones, reruns alone; repairs and unread of the "
            "turns that are counted."
        ),
        "turns": Column(
            "int?",
            "Turns that are counted: of roles that all sessions of a draw have, and in which it "
            "happens at all. Missing for lost and reruns.",
            "count",
        ),
        "mean": numbers(
            "Mean over sessions: lost and reruns for each session, repairs and unread for each "
            "of the turns that are counted, a role with the same weight in all arms of a draw.",
            "a session or a turn",
        ),
        **common("p_value?", "simulation_error?", "p_adjusted?", "n", "n_clusters"),
    },
    key=("kind", "measure", "arm"),
)


def differing_conduct(rows: Iterable[Mapping[str, Any]], alpha: float) -> list[str]:
    """A sentence on each number in which arms differ: a difference between them may be attrition.

    Parameters
    ----------
    rows : of :data:`ARM_CONDUCT`.
    alpha : level of the tests, after adjustment.
    """
    differing: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        if _is_number(row["p_adjusted"]) and row["p_adjusted"] < alpha:
            differing.setdefault((row["kind"], row["measure"]), []).append(row)
    return [
        f"Arms differ in {MEASURES[measure]} ({p_clause(arms[0]['p_adjusted'])} after Holm): for "
        f"{_EACH[measure in PER_TURN]}, {_range(arms)}. What arms are compared on may differ for "
        "that reason alone."
        for (_, measure), arms in differing.items()
    ]


def _is_number(value: float | None) -> bool:
    """Whether a cell holds a number; a frame has NaN where rows have None."""
    return value is not None and not isnan(value)


def _range(arms: Sequence[Mapping[str, Any]]) -> str:
    ordered = sorted((row for row in arms if _is_number(row["mean"])), key=lambda row: row["mean"])
    low, high = ordered[0], ordered[-1]
    return listed(f"{number(row['mean'], 2)} in {row['arm']}" for row in (low, high))


def table_arm_conduct(
    rows: Sequence[Mapping[str, Any]], simulated: bool, words: Mapping[str, str] | None = None
) -> Table:
    """What was lost, asked again and unread, by arm: for each session, and whether arms differ.

    Parameters
    ----------
    rows : of :data:`ARM_CONDUCT`.
    words : arm -> what it is called for readers; by default its name.
    """
    by_kind: dict[str, dict[str, dict[str, Mapping[str, Any]]]] = {}
    for row in rows:
        by_kind.setdefault(row["kind"], {}).setdefault(row["arm"], {})[row["measure"]] = row
    cells = []
    for kind, arms in by_kind.items():
        named = [kind] if len(by_kind) > 1 else []
        for arm, counted in arms.items():
            sessions = str(counted["lost"]["sessions"])
            means = (number(counted[measure]["mean"], 3) for measure in MEASURES)
            cells.append((*named, (words or {}).get(arm, arm), sessions, *means))
        first = next(iter(arms.values()))
        tested = (p_value(first[measure]["p_adjusted"]) for measure in MEASURES)
        cells.append((*named, "p (Holm), all arms", MISSING, *tested))
    note = (
        "Means over sessions. Lost: sessions that failed for good. Reruns: attempts at the whole "
        "session after the first. For each turn of sessions that ran to the end, of roles that all "
        "arms of a draw have and in which it happens: repairs, and turns that could not be read "
        "after the last repair, votes among them; a role has the same weight in all arms. p: of no "
        "difference between all arms, which change places in whole clusters, or in draws where "
        "clusters are fewer than six; Holm's adjustment is over the columns. A dash: nothing to "
        "compare. Where arms differ, a difference in any outcome may be attrition. Totals and "
        "p-values before adjustment are in arm_conduct.parquet."
    )
    heads = (
        *(["Kind"] if len(by_kind) > 1 else []),
        "Arm",
        "Sessions",
        *map(str.capitalize, MEASURES),
    )
    title = "What was lost, asked again and unread, by arm"
    return make("table_arm_conduct", title, heads, cells, note, simulated)
