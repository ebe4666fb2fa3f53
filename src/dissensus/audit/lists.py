"""Rankings and scores of several things, as votes between each two."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dissensus.errors import ResourceError
from dissensus.stats.checks import FloatArray

PRO, CON = "pro", "con"
#: Stands between parts of a name, and in no cell.
PARTING = "\x1f"
#: Pairs that a file may come to; more would not be held in memory.
_MOST = 5_000_000


def pairs_of_options(
    table: pd.DataFrame, better: FloatArray, more: Mapping[str, FloatArray]
) -> pd.DataFrame:
    """Votes between each two options that a judge gives a number on one item.

    Parameters
    ----------
    table : ``item``, ``judge``, ``cluster``, and ``option`` and ``side`` where there are any.
    better : shape (n,); more is better; NaN for none.
    more : ``position`` and ``length`` of each option, where they are known.

    Raises
    ------
    ResourceError : a judge rates an option twice, or there are more pairs than memory holds.
    """
    rows = table[["item", "judge", "cluster"]].assign(better=better, at=np.arange(len(table)))
    rows["option"] = table.get("option", "")
    words = table["side"].str.lower() if "side" in table else pd.Series("", index=table.index)
    rows["side"] = words.where(words.isin((PRO, CON)), "")
    for name in ("position", "length"):
        rows[name] = more.get(name, np.full(len(table), np.nan))
    if "option" not in table:
        rows = rows.iloc[:0]
    rows["order"] = table.get("order", "")
    key = ["item", "judge", "order"]
    twice = rows.duplicated([*key, "option"])
    if twice.any():
        item, judge, _, option = rows[twice][[*key, "option"]].iloc[0]
        raise ResourceError(
            f"{judge!r} rates {option!r} of {item.rpartition(PARTING)[2]!r} twice; keep one, or "
            "name the column that tells the passes apart with --column order=NAME."
        )
    sizes = rows.groupby(key)["at"].size()
    if (sizes * (sizes - 1) // 2).sum() > _MOST:
        raise ResourceError(
            f"The file comes to more than {_MOST:,} pairs of options; give each judge's vote on "
            "an item an item of its own."
        )
    both = rows.merge(rows, on=key, suffixes=("", "_b"))
    both = both[(both["at"] < both["at_b"]) & (both["option"] != both["option_b"])]
    both = both.reset_index(drop=True)
    ahead = (both["better"] - both["better_b"]).to_numpy()
    for_a = np.where(np.isnan(ahead), np.nan, (np.sign(ahead) + 1.0) / 2.0)
    later = (both["position_b"] - both["position"]).to_numpy()
    first = np.where(np.isnan(later) | (later == 0.0), np.nan, (np.sign(later) + 1.0) / 2.0)
    a_side = both["side"].where(both["side"] != both["side_b"], "")
    longer = (both["length"] - both["length_b"]).to_numpy()
    return oriented(both, both["option"], both["option_b"], for_a, first, a_side, longer)


def pairs_of_rankings(path: str, table: pd.DataFrame) -> pd.DataFrame:
    """Votes between each two of what a cell ranks, such as ``b > a = c``, the best first.

    Raises
    ------
    ResourceError : a cell that names nothing, or one thing twice; by row.
    """
    records = []
    for item, judge, cluster, cell, row in table[
        ["item", "judge", "cluster", "ranking", "row"]
    ].itertuples(index=False):
        named: set[str] = set()
        for place, level in enumerate(cell.split(">") if cell else ()):
            for name in map(str.strip, level.split("=")):
                if not name or name in named:
                    raise ResourceError(
                        f"{path}, row {row}: the ranking {cell[:60]!r} names "
                        f"{'nothing somewhere' if not name else f'{name!r} twice'}; write it as "
                        "b > a = c."
                    )
                named.add(name)
                records.append((item, judge, cluster, name, -float(place)))
    flat = pd.DataFrame(records, columns=["item", "judge", "cluster", "option", "better"])
    return pairs_of_options(flat, flat["better"].to_numpy(dtype=float), {})


def oriented(
    table: pd.DataFrame,
    a: pd.Series,
    b: pd.Series,
    for_a: FloatArray,
    a_first: FloatArray,
    a_side: pd.Series,
    longer: FloatArray,
) -> pd.DataFrame:
    """Votes between x and y, by name, from votes between a and b."""
    kept = (a <= b).to_numpy()
    side = np.where(kept, a_side, _other_side(a_side))
    return pd.DataFrame(
        {
            "item": table["item"].to_numpy(),
            "judge": table["judge"].to_numpy(),
            "cluster": table["cluster"].to_numpy(),
            "x": np.where(kept, a, b),
            "y": np.where(kept, b, a),
            "for_x": np.where(kept, for_a, 1.0 - for_a),
            "x_first": np.where(kept, a_first, 1.0 - a_first),
            "x_side": side,
            "longer": np.where(kept, longer, -longer),
        }
    )


def _other_side(side: pd.Series) -> pd.Series:
    return side.map({PRO: CON, CON: PRO, "": ""})
