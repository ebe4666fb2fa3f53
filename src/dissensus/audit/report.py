"""The audit of a file of votes: what it tells, what it cannot tell, and how both are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.audit.agreed import TIES, TRANSITIVITY, agreement, ties, transitivity
from dissensus.audit.biases import LENGTH, POSITION, SIDE, TESTED, Row, biases
from dissensus.audit.columns import preference
from dissensus.audit.votes import ALL, Votes
from dissensus.errors import ResourceError
from dissensus.report.escaping import csv_cell, markdown
from dissensus.report.labels import number, p_value
from dissensus.report.markdown import write_data
from dissensus.tables.artefact import write_text

_COLUMNS = (
    *("judge", "about", "statistic", "estimate", "ci_low", "ci_high", "p_value", "p_adjusted"),
    *("favours", "n", "n_clusters", "note"),
)
_SHOWN = ("judge", "about", "statistic", "estimate", "limits", "p adjusted", "favours", "n")


@dataclass(frozen=True)
class Audit:
    """What a file of votes tells.

    Attributes
    ----------
    votes : that were read.
    rows : what it tells.
    untold : sentences: what it cannot tell, and why.
    confidence : of all limits.
    """

    votes: Votes
    rows: list[Row]
    untold: list[str]
    confidence: float


def audit_votes(votes: Votes, confidence: float = 0.95) -> Audit:
    """All that a file of votes tells of its judges."""
    agreed, untold = agreement(votes, confidence)
    rows = [
        *biases(votes, confidence),
        *agreed,
        *ties(votes, confidence),
        *transitivity(votes, confidence),
    ]
    return Audit(votes, rows, [*_untold(votes, rows), *untold], confidence)


def _untold(votes: Votes, rows: list[Row]) -> list[str]:
    """What nobody can tell from the file, and what column or design would tell it."""
    found, pairs = votes.found, votes.pairs
    about = {(row.about, row.statistic) for row in rows}
    told = []
    if (POSITION, "following") not in about:
        if not votes.has_names:
            why = "no columns name what is shown first and second (a and b, or order)"
        elif pairs["x_first"].isna().all():
            why = "no column says which of the two is shown first (a and b, or position)"
        else:
            why = "no judge votes on the same two things in both orders"
        told.append(f"{POSITION}: {why}")
    if (SIDE, "following") not in about:
        why = "no columns name the sides (pro and con)"
        if pairs["x_side"].ne("").any():
            why = "no judge votes on the same two things with the sides exchanged"
        told.append(f"{SIDE}: {why}")
    if not any(row.about == LENGTH for row in rows):
        has = {"length_a", "length_b"} <= set(found) or "length" in found
        why = (
            "all are equally long, or no vote is decided" if has else "no columns have the lengths"
        )
        told.append(f"{LENGTH}: {why}{'' if has else ' (length_a and length_b)'}")
    if not any(row.about == TIES for row in rows):
        told.append(f"{TIES}: there is none, and the file does not say whether a judge might tie")
    if not any(row.about == TRANSITIVITY for row in rows):
        told.append(f"{TRANSITIVITY}: {_no_triads(votes)}")
    if "judge" not in found:
        told.append("judges: no column names them; all votes are taken as one judge's")
    if "cluster" not in found:
        told.append(
            "dependence: no column says which items belong together; each counts as its own"
        )
    told.append("truth: the file has what judges prefer, and not who is right")
    return told


def _no_triads(votes: Votes) -> str:
    if preference(votes.found) in ("ranking", "rank", "score"):
        return "rankings and scores have no circles by construction"
    if not votes.has_names:
        return "the file does not name what is compared"
    return "no judge decides between three things, each against each, within one cluster"


def as_text(audit: Audit) -> str:
    """The report in Markdown, which a terminal shows as well."""
    votes = audit.votes
    lost = int(votes.pairs["for_x"].isna().sum()) + int(votes.scores["score"].isna().sum())
    judges = sorted({*votes.pairs["judge"], *votes.scores["judge"]})
    items = {*votes.pairs["item"]} or {*votes.scores["item"]}
    taken = ", ".join(f"{field} = {markdown(name)}" for field, name in votes.found.items())
    level = f"{100 * audit.confidence:g}%"
    notes = dict.fromkeys(
        f"- {markdown(row.judge)}, {row.statistic}: {row.note}"
        for row in audit.rows
        if row.note and (row.judge == ALL or len(judges) == 1)
    )
    parts = [
        f"# Judges of {markdown(Path(votes.path).name)}",
        f"{votes.rows:,} rows, {len(judges)} judges, {len(items):,} items; {lost:,} votes cannot "
        f"be read. Columns: {taken}.",
        "\n".join(f"- {line}" for line in _findings(audit)),
        "## What the file tells",
        f"Limits are of {level}; p-values are Holm's over judges and biases, and apart from them "
        "over those of all judges.",
        _table(audit.rows),
        "\n".join(notes),
        "## What the file cannot tell",
        "\n".join(f"- {markdown(line)}." for line in audit.untold),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    lines = [_SHOWN, ["---"] * len(_SHOWN), *map(_line, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _findings(audit: Audit) -> list[str]:
    named = [row for row in audit.rows if row.favours]
    lines = [
        f"{markdown(row.judge)}: {row.about}, favours {row.favours} "
        f"({number(row.value.estimate)}, adjusted p {_p(row.p_adjusted)})."
        for row in named
    ]
    tested = [
        row for row in audit.rows if row.statistic in TESTED and not math.isnan(row.p_adjusted)
    ]
    if not tested:
        lines.append("No bias can be tested with this file.")
    elif not named:
        lines.append(f"None of {len(tested)} tests finds a bias.")
    lines += [
        f"{markdown(row.statistic)} is {number(row.value.estimate)}{_limits(row)}."
        for row in audit.rows
        if row.statistic.startswith("krippendorff")
    ]
    return lines


def _p(value: float) -> str:
    return "" if math.isnan(value) else p_value(value)


def _limits(row: Row) -> str:
    low, high = row.value.ci_low, row.value.ci_high
    return "" if math.isnan(low) else f" [{number(low)}, {number(high)}]"


def _line(row: Row) -> list[str]:
    value = row.value
    estimate = "" if math.isnan(value.estimate) else number(value.estimate)
    cells = (estimate, _limits(row).strip(), _p(row.p_adjusted), row.favours, f"{value.n:,}")
    return [markdown(row.judge), row.about, row.statistic, *cells]


def records(audit: Audit) -> list[dict[str, Any]]:
    """Rows with None for what is not defined; what cannot be told has a note and no number."""
    told = [
        {
            **{"judge": row.judge, "about": row.about, "statistic": row.statistic},
            **{name: _defined(getattr(row.value, name)) for name in _COLUMNS[3:7]},
            "p_adjusted": _defined(row.p_adjusted),
            **{"favours": row.favours, "n": row.value.n, "n_clusters": row.value.n_clusters},
            "note": row.note,
        }
        for row in audit.rows
    ]
    empty = dict.fromkeys(_COLUMNS) | {"judge": ALL, "statistic": "untold", "favours": ""}
    untold = [line.partition(": ") for line in audit.untold]
    return [*told, *(empty | {"about": about, "note": why} for about, _, why in untold)]


def write_audit(audit: Audit, path: Path) -> None:
    """Write the rows as CSV or JSON, or the report as Markdown, by the file's ending.

    Raises
    ------
    ResourceError : another ending, or a place that cannot be written.
    """
    check_ending(path)
    try:
        if path.suffix == ".json":
            write_data(path, records(audit))
        else:
            write_text(path, as_text(audit) if path.suffix == ".md" else _as_csv(records(audit)))
    except OSError as error:
        raise ResourceError(f"{path} cannot be written ({error.strerror}).") from None


def check_ending(path: Path) -> None:
    """Refuse a file that is none of the three."""
    if path.suffix not in (".csv", ".json", ".md"):
        raise ResourceError(f"--to {path}: let it end with .csv, .json or .md.")


def _defined(value: float) -> float | None:
    # An infinite limit rules nothing out.
    return value if math.isfinite(value) else None


def _as_csv(rows: Sequence[dict[str, Any]]) -> str:
    lines = [",".join(_COLUMNS)]
    for row in rows:
        cells = ("" if row[name] is None else row[name] for name in _COLUMNS)
        lines.append(
            ",".join(csv_cell(cell) if isinstance(cell, str) else repr(cell) for cell in cells)
        )
    return "\n".join(lines) + "\n"
