"""The numbers of captions of what is no figure, counted anew from a study's artefacts."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from dissensus.tables.artefact import read

#: Tables of what was spent, which have a page of their own, and of a target of its own.
OTHER_TABLES = {
    *("table_spending", "table_arm_spending", "table_models", "table_arm_conduct"),
    "table_diagnosis",
}


def caption_numbers(folder: Path, name: str, template: str) -> dict[str, str]:
    """What a caption says in the place of each name of its template."""
    text = " ".join((folder / f"captions/{name}.rst").read_text("utf-8").split())
    parts = re.split(r"\{(\w+)\}", " ".join(template.split()))
    pattern = "".join(
        f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts)
    )
    whole = re.fullmatch(rf"{pattern}(?: \*Simulated models: .*)?", text)
    assert whole is not None, text
    return whole.groupdict()


def counted_anew(folder: Path, name: str) -> dict[str, str]:
    """The same from the artefacts, by arithmetic of this file."""
    return {
        "spending": _spending,
        "tables": _tables,
        "map": _map,
        "recycled_speeches": _recycled_speeches,
    }[name](folder)


def _frame(folder: Path, name: str) -> pd.DataFrame:
    frame: pd.DataFrame = read(folder / f"{name}.parquet").to_pandas()
    return frame


def _spending(folder: Path) -> dict[str, str]:
    return {"calls": str(int(_frame(folder, "spending")["calls"].sum()))}


def _tables(folder: Path) -> dict[str, str]:
    tables = {path.stem for path in (folder / "tables").glob("*.csv")} - OTHER_TABLES
    outcomes = _frame(folder, "outcomes")
    manifest = _frame(folder, "manifest")
    if "kind" in manifest:
        debates = manifest.loc[manifest["kind"] == "debate", "session_id"]
        outcomes = outcomes[outcomes["session_id"].isin(debates)]
    ended = f"{int(outcomes['complete'].sum())} of {len(outcomes)}"
    return {"tables": str(len(tables)), "attrition": ended}


def _map(folder: Path) -> dict[str, str]:
    claims, clusters = _frame(folder, "map"), _frame(folder, "clusters")
    significant = int((clusters["p_adjusted"] < 0.05).sum())
    return {
        "claims": f"{len(claims):,}",
        "debates": str(claims["session_id"].nunique()),
        "clusters": str(len(clusters)),
        "alone": f"{100 * (claims['cluster'] < 0).mean():.1f}".removesuffix(".0") + "%",
        "found": f"{significant} of {len(clusters)}",
    }


def _recycled_speeches(folder: Path) -> dict[str, str]:
    reuse = _frame(folder, "reuse").sort_values("characters", kind="stable")
    ends = {"least": reuse.iloc[0], "most": reuse.iloc[-1]}
    spoken = {
        name: f"{row['draw_id']}, {row['speaker']}, {row['characters']:.3f} by character"
        for name, row in ends.items()
    }
    return {**spoken, "pairs": f"{len(reuse):,}"}
