"""The numbers of docs/real-run.md, from the crate of the released run and nothing else.

Usage: python docs/real_run.py, which `make real` ends with.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd

from dissensus.report.markdown import line, paragraphs

ROOT = Path(__file__).resolve().parents[1]
CRATE, PAGE = ROOT / "released/paragraphs.zip", ROOT / "docs/real-run.md"
BEGIN, END = "<!-- docs/real_run.py writes what follows -->", "<!-- and ends here -->"
_STUDY = "published/paragraphs"
#: Kinds of sentences in findings.parquet -> what stands before them.
_SAID = {"headline": "Found: ", "floor": "", "against": "Against it: ", "lost": ""}


def block(crate: Path) -> str:
    """What the crate says of its run, in Markdown."""
    with ZipFile(crate) as packed:
        frames = {
            name: pd.read_parquet(io.BytesIO(packed.read(f"{_STUDY}/{name}.parquet")))
            for name in ("findings", "turns", "outcomes", "spending", "contrasts")
        }
        entities = json.loads(packed.read("ro-crate-metadata.json"))["@graph"]
    (run,) = [each for each in entities if each["@id"] == "#run"]
    parts = [
        _size(frames["outcomes"], frames["spending"], run),
        _replies(frames["turns"]),
        "\n".join(_findings(frames["findings"])),
        "\n".join(_beside(frames["contrasts"])),
        "\n\n".join(_example(frames["turns"])),
    ]
    return "\n\n".join(parts)


def _size(outcomes: pd.DataFrame, spending: pd.DataFrame, run: dict[str, str]) -> str:
    begun, ended = (datetime.fromisoformat(run[name]) for name in ("startTime", "endTime"))
    total = spending[["calls", "input_tokens", "output_tokens"]].sum()
    minutes, lost = (ended - begun).total_seconds() / 60, (~outcomes["complete"]).sum()
    return (
        f"The run was made on {begun:%-d %B %Y}, in {minutes:.0f} minutes: {len(outcomes)} "
        f"sessions, of which {lost} were lost, {total['calls']:,} calls, "
        f"{total['input_tokens']:,} tokens of prompts and {total['output_tokens']:,} of replies."
    )


def _replies(turns: pd.DataFrame) -> str:
    """What became of the turns; those of an opening count once, in its own session."""
    asked = turns[(turns["arm"] == "opening") | (turns["speaker"] == "author")]
    is_read, is_first = asked["compliant"].astype(bool), asked["repairs"] == 0
    counts = {
        "were read at once": (is_read & is_first).sum(),
        "when they were asked for again": (is_read & ~is_first).sum(),
        "never": (~is_read).sum(),
    }
    parts = [f"{n} ({100 * n / len(asked):.1f}%) {words}" for words, n in counts.items()]
    return f"Of {len(asked)} turns, {', '.join(parts[:-1])} and {parts[-1]}."


def _findings(findings: pd.DataFrame) -> Iterator[str]:
    for kind, words in _SAID.items():
        for sentence in findings.loc[findings["kind"] == kind, "sentence"]:
            yield f"- {words}{line(sentence)}"


def _beside(contrasts: pd.DataFrame) -> Iterator[str]:
    """How much is reused at each temperature; then every outcome, and what temperature changes."""
    robust = contrasts[(contrasts["method"] == "cluster_robust") & (contrasts["level"] != "slope")]
    means = robust[(robust["reference"] == "") & (robust["base"] == "") & (robust["factor"] != "")]
    yield "| mean of reuse | estimate | 95% interval | paragraphs |"
    yield "|---|---|---|---|"
    for row in means[means["outcome"] == "reuse"].itertuples():
        yield f"| {line(row.contrast)} | {_limits(row)} | {row.n} |"
    yield ""
    yield "| outcome | compared | difference | 95% interval | p after Holm |"
    yield "|---|---|---|---|---|"
    for row in robust[robust["reference"] != ""].itertuples():
        p = row.p_adjusted
        adjusted = "" if pd.isna(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"
        yield f"| {row.outcome} | {line(row.contrast)} | {_limits(row)} | {adjusted} |"


def _limits(row: Any) -> str:
    return f"{row.estimate:.3f} | [{row.ci_low:.3f}, {row.ci_high:.3f}]"


def _example(turns: pd.DataFrame) -> Iterator[str]:
    """The first draw: what the peer wrote, and what was written after it was shown."""
    draw = turns[turns["draw_id"] == turns["draw_id"].iloc[0]]
    peer, own = draw[draw["arm"] == "shown"]["text"]
    for who, said in (("The peer in the first draw", peer), ("The author who was shown that", own)):
        yield f"{who}:"
        yield paragraphs(said, "> ")


def written(page: str, crate: Path) -> str:
    """The page with its block as the crate has it."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{block(crate)}\n\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8"), CRATE), encoding="utf-8")
