"""A file of votes, whatever its form, as votes between two."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dissensus.audit.columns import DELIMITERS, find_columns, preference
from dissensus.audit.lists import CON, PARTING, PRO, oriented, pairs_of_options, pairs_of_rankings
from dissensus.errors import ResourceError
from dissensus.stats.checks import FloatArray
from dissensus.user_files import read_csv

#: What rows of all judges are called, and no judge may be.
ALL = "all judges"
#: Cells that say that there is no vote.
NO_VOTE = frozenset({"", "na", "n/a", "nan", "none", "null"})
_FOR_A = frozenset({"a", "1", "first", "left", "model_a", "option_a", "response_a", "assistant_a"})
_FOR_B = frozenset(
    {"b", "2", "second", "right", "model_b", "option_b", "response_b", "assistant_b"}
)
#: Numbers beyond it have squares that are none.
_LARGEST = 1e100
_TIES = frozenset({"tie", "draw", "equal", "even", "tie (bothbad)", "both", "neither", "c"})
_PRO_WORDS = frozenset({"pro", "proposition", "affirmative", "for", "government"})
_CON_WORDS = frozenset({"con", "opposition", "negative", "against"})


@dataclass(frozen=True)
class Votes:
    """What a file says.

    Attributes
    ----------
    path : of the file.
    found : field -> column.
    rows : of the file.
    pairs : a row a vote between two things, x and y in the order of their names: ``item``,
        ``judge``, ``cluster``, ``x``, ``y`` (names), ``for_x`` (1, 0, 0.5 of a tie, NaN where it
        cannot be read), ``x_first`` (1, 0; NaN unknown), ``x_side`` (pro or con; empty
        unknown), ``longer`` (by how much x is longer; NaN unknown).
    scores : ``item``, ``judge``, ``cluster``, ``score`` of single things; empty without scores.
    has_names : whether x and y name the same thing in all rows of an item.
    """

    path: str
    found: dict[str, str]
    rows: int
    pairs: pd.DataFrame
    scores: pd.DataFrame
    has_names: bool


def read_votes(path: str | Path, mapped: list[str]) -> Votes:
    """A file of votes.

    Raises
    ------
    ResourceError : it is no CSV, lacks a column, has no rows, or a cell is wrong; by row.
    """
    found = find_columns(path, mapped)
    needed = list(dict.fromkeys(found.values()))
    numbered = read_csv(path, needed, delimiters=DELIMITERS)
    if not numbered:
        raise ResourceError(f"{path} has no votes: there is no row under its header.")
    cells = pd.DataFrame([row for _, row in numbered], dtype=str)
    table = pd.DataFrame({field: cells[name].str.strip() for field, name in found.items()})
    table["row"] = [number for number, _ in numbered]
    for field in ("item", "judge"):
        if field in found and (table[field] == "").any():
            row = table.loc[table[field] == "", "row"].iloc[0]
            raise ResourceError(f"{path}, row {row}: {found[field]} is empty; say which it is.")
    if "judge" in found and (table["judge"] == ALL).any():
        row = table.loc[table["judge"] == ALL, "row"].iloc[0]
        raise ResourceError(
            f"{path}, row {row}: {found['judge']} is {ALL!r}, as rows of all are; rename it."
        )
    if "item" not in found:
        table["item"] = table["row"].astype(str)
    table["judge"] = table["judge"] if "judge" in found else "the judge"
    if "cluster" in found:
        # Items may be numbered anew in each cluster. No cell has this character.
        table["item"] = table["cluster"] + PARTING + table["item"]
    else:
        table["cluster"] = table["item"]
    form = preference(found)
    reader = _Reader(str(path), found, table)
    scores = table.iloc[:0][["item", "judge", "cluster"]].assign(score=0.0)
    if form in ("score", "rank"):
        values = reader.numbers(form)
        if form == "score":
            scores = table[["item", "judge", "cluster"]].assign(score=values)
            option = table["option"] if "option" in found else ""
            scores["item"] = scores["item"] + PARTING + option
        pairs = pairs_of_options(
            table,
            values if form == "score" else -values,
            {name: reader.numbers(name) for name in ("position", "length") if name in found},
        )
    elif form == "ranking":
        pairs = pairs_of_rankings(str(path), table)
    else:
        pairs = reader.wide(form)
    has_names = form in ("score", "rank", "ranking") or reader.has_names
    return Votes(str(path), found, len(table), pairs, scores, has_names)


class _Reader:
    """The cells of a file as numbers and votes."""

    def __init__(self, path: str, found: dict[str, str], table: pd.DataFrame) -> None:
        self.path, self.found, self.table = path, found, table
        self.has_names = {"a", "b"} <= set(found) or {"pro", "con"} <= set(found)
        self.has_names |= "order" in found

    def numbers(self, field: str) -> FloatArray:
        """A column of finite numbers; NaN for cells that say that there is none."""
        cells = self.table[field]
        empty = cells.str.lower().isin(NO_VOTE)
        values = pd.to_numeric(cells.where(~empty), errors="coerce").to_numpy(dtype=float)
        wrong = ~empty.to_numpy() & ~(np.abs(values) < _LARGEST)
        if wrong.any():
            self._refuse(field, int(np.argmax(wrong)), "which is no number to compute with")
        return values

    def wide(self, form: str) -> pd.DataFrame:
        """Votes of rows that have both things."""
        table, found = self.table, self.found
        sides = {"pro", "con"} <= set(found)
        shown = {"a", "b"} <= set(found)
        if shown:
            a, b = table["a"], table["b"]
        elif sides:
            a, b = table["pro"], table["con"]
        elif "order" in found:
            a, b = self._by_order()
        else:
            a, b = (pd.Series(name, index=table.index) for name in "AB")
        if shown or sides:
            same = (a == b).to_numpy()
            if same.any():
                row = int(np.argmax(same))
                self._refuse("a" if shown else "pro", row, "as the other; name two things")
        a_side = pd.Series("", index=table.index)
        if sides:
            a_side = pd.Series(np.where(a == table["pro"], PRO, CON), index=table.index)
            other = ~((a == table["pro"]) & (b == table["con"]))
            other &= ~((a == table["con"]) & (b == table["pro"]))
            if other.any():
                self._refuse("pro", int(np.argmax(other)), "which is neither of the two shown")
        for_a = self._for_a(form, a, b, a_side)
        longer = np.full(len(table), np.nan)
        if {"length_a", "length_b"} <= set(found):
            longer = self.numbers("length_a") - self.numbers("length_b")
        is_first = 1.0 if shown or not sides else np.nan
        return oriented(table, a, b, for_a, np.full(len(table), is_first), a_side, longer)

    def _by_order(self) -> tuple[pd.Series, pd.Series]:
        """Names of what is shown first and second, from a column that has two values."""
        values = sorted(set(self.table["order"]))
        if len(values) > 2:
            raise ResourceError(
                f"{self.path}: the column {self.found['order']!r} has {len(values)} values, and an "
                "order of two things has two; leave it out with --column order=."
            )
        as_first = self.table["order"] == values[0]
        names = np.where(as_first, "1", "2"), np.where(as_first, "2", "1")
        first, second = (pd.Series(each, index=self.table.index) for each in names)
        return first, second

    def _for_a(self, form: str, a: pd.Series, b: pd.Series, a_side: pd.Series) -> FloatArray:
        if form == "score_a":
            ahead = self.numbers("score_a") - self.numbers("score_b")
        elif form in ("margin_a", "margin_pro"):
            ahead = self.numbers(form)
            ahead = np.where(a_side == CON, -ahead, ahead) if form == "margin_pro" else ahead
        else:
            return self._winners(a, b, a_side)
        return np.where(np.isnan(ahead), np.nan, (np.sign(ahead) + 1.0) / 2.0)

    def _winners(self, a: pd.Series, b: pd.Series, a_side: pd.Series) -> FloatArray:
        """1 for A, 0 for B, 0.5 for a tie; names come before words, and NaN is no vote."""
        cells = self.table["winner"]
        words = cells.str.lower()
        for_a = np.full(len(cells), np.nan)
        known = words.isin(NO_VOTE).to_numpy()
        by_words = ((_FOR_A, 1.0), (_FOR_B, 0.0), (_TIES, 0.5))
        for names, value in by_words:
            here = words.isin(names).to_numpy()
            for_a[here], known = value, known | here
        if (a_side != "").any():
            for names, side in ((_PRO_WORDS, PRO), (_CON_WORDS, CON)):
                here = words.isin(names).to_numpy()
                for_a = np.where(here, (a_side == side).astype(float), for_a)
                known |= here
        if {"a", "b"} <= set(self.found) or {"pro", "con"} <= set(self.found):
            for name, value in ((a, 1.0), (b, 0.0)):
                here = (cells == name).to_numpy() & (cells != "").to_numpy()
                for_a[here], known = value, known | here
        if not known.all():
            what = "which is neither A, B, a tie nor one of the two"
            self._refuse("winner", int(np.argmin(known)), what)
        if not {"a", "b"} & set(self.found) and {"pro", "con"} <= set(self.found):
            slots = words.isin(_FOR_A | _FOR_B).to_numpy()
            slots &= ~((cells == a) | (cells == b)).to_numpy()
            if slots.any():
                what = "but no column says which of the two is A; name the columns a and b"
                self._refuse("winner", int(np.argmax(slots)), what)
        return for_a

    def _refuse(self, field: str, at: int, why: str) -> None:
        cell, row = self.table[field].iloc[at], self.table["row"].iloc[at]
        raise ResourceError(
            f"{self.path}, row {row}: {self.found[field]} is {str(cell)[:60]!r}, {why}."
        )
