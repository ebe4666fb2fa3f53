"""The numbers of docs/real-run.md, from the crate of the released run and nothing else.

Usage: python docs/real_run.py, which `make real` ends with.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import pandas as pd

from dissensus.report.markdown import line, paragraphs

ROOT = Path(__file__).resolve().parents[1]
CRATE, PAGE = ROOT / "released/paragraphs.zip", ROOT / "docs/real-run.md"
BEGIN, END = "<!-- docs/real_run.py writes what follows -->", "<!-- and ends here -->"
_STUDY = "published/paragraphs"
#: Kinds of sentences in findings.parquet -> what stands before them.
_SAID = {"headline": "Found", "floor": "Noise floor", "against": "Against it", "lost": "Lost"}


def block(crate: Path) -> str:
    """What the crate says of its run, in Markdown."""
    with ZipFile(crate) as packed:
        frames = {
            name: pd.read_parquet(io.BytesIO(packed.read(f"{_STUDY}/{name}.parquet")))
            for name in ("findings", "turns", "outcomes", "spending", "contrasts")
        }
        verdict = packed.read("VERDICT.md").decode()
        entities = json.loads(packed.read("ro-crate-metadata.json"))["@graph"]
    (run,) = [each for each in entities if each["@id"] == "#run"]
    parts = [
        _size(frames["outcomes"], frames["spending"], run),
        verdict.partition("## Replies\n\n")[2].partition("\n\n## ")[0],
        "\n".join(_findings(frames["findings"])),
        "\n".join(_beside(frames["contrasts"])),
        "\n\n".join(_example(frames["turns"])),
    ]
    return "\n\n".join(parts)


def _size(outcomes: pd.DataFrame, spending: pd.DataFrame, run: dict[str, str]) -> str:
    begun, ended = (datetime.fromisoformat(run[name]) for name in ("startTime", "endTime"))
    total = spending[["calls", "input_tokens", "output_tokens"]].sum()
    return (
        f"The run was made on {begun:%-d %B %Y}, in {(ended - begun).total_seconds() / 60:.0f} "
        f"minutes: {len(outcomes)} sessions, {total['calls']:,} calls, "
        f"{total['input_tokens']:,} tokens of prompts and {total['output_tokens']:,} of replies."
    )


def _findings(findings: pd.DataFrame) -> Iterator[str]:
    for kind, words in _SAID.items():
        for sentence in findings.loc[findings["kind"] == kind, "sentence"]:
            yield f"- *{words}*: {line(sentence)}"


def _beside(contrasts: pd.DataFrame) -> Iterator[str]:
    """Every outcome and what temperature changes, one row each."""
    robust = contrasts[(contrasts["method"] == "cluster_robust") & (contrasts["reference"] != "")]
    yield "| what | compared | estimate | 95% interval | p after Holm |"
    yield "|---|---|---|---|---|"
    for row in robust.sort_values(["outcome", "contrast"]).itertuples():
        adjusted = "" if pd.isna(row.p_adjusted) else f"{row.p_adjusted:.3f}"
        yield (
            f"| {row.outcome} | {line(row.contrast)} | {row.estimate:+.3f} "
            f"| [{row.ci_low:.3f}, {row.ci_high:.3f}] | {adjusted} |"
        )


def _example(turns: pd.DataFrame) -> Iterator[str]:
    """The first draw: what the peer wrote, and what was written after it was shown."""
    draw = turns[turns["draw_id"] == turns["draw_id"].iloc[0]]
    peer, own = draw[draw["arm"] == "shown"]["text"]
    for who, said in (("The peer", peer), ("The author who was shown that", own)):
        yield f"{who}:"
        yield paragraphs(said, "> ")


def written(page: str, crate: Path) -> str:
    """The page with its block as the crate has it."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{block(crate)}\n\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8"), CRATE), encoding="utf-8")
