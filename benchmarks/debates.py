"""The debates that `calls.py` has others run: written down, and run by a bare client.

A file of them is JSON: session -> its calls in order, each with model, prompt and seed; ``<<n>>``
in a prompt stands for the n-th speech of its session.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

Debates = dict[str, list[dict[str, Any]]]


def written(study: Path, prompts_file: Path) -> Debates:
    """The calls of every session that comes first in its draw.

    Parameters
    ----------
    study : folder with the pool and the manifest.
    prompts_file : of the one language that all sessions are in.
    """
    import pyarrow.parquet as pq

    from dissensus.session.protocol import Decoding
    from dissensus_studies.language.prompts import Prompts
    from dissensus_studies.language.protocol import debate

    prompts = Prompts.read(prompts_file)
    pool = pq.read_table(study / "pool.parquet").to_pylist()
    topics = {row["motion_id"]: row["motion_en"] for row in pool}
    rules: Any = {"script": "latin", "words_per_sentence": 50, "system_message": False}
    rules["decoding"] = Decoding(0.2, 512)
    found: Debates = {}
    for row in pq.read_table(study / "manifest.parquet").to_pylist():
        if row["position"] != 1:
            continue
        steps = debate(prompts, topics[row["motion_id"]], row, **rules)()
        calls = found[row["session_id"]] = []
        step = next(steps, None)
        while step is not None:
            (call,) = step
            speech = f"<<{len(calls)}>>"
            seed = 100 * len(found) + len(calls)
            prompt = call.messages[-1].content
            calls.append({"model": call.model, "prompt": prompt, "seed": seed})
            try:
                step = steps.send([call.turn(speech)])
            except StopIteration:
                step = None
    return found


def sessions(study: Path) -> list[str]:
    """The names of the consensus study's debates."""
    import pyarrow.parquet as pq

    manifest = pq.read_table(study / "manifest.parquet", columns=["session_id", "kind"]).to_pylist()
    return [row["session_id"] for row in manifest if row["kind"] == "debate"]


def last_votes(study: Path) -> list[dict[str, Any]]:
    """The consensus study's debates that are complete: statement, last votes and their mode."""
    import pandas as pd

    parts = ("votes", "metrics", "statements")
    votes, metrics, statements = (pd.read_parquet(study / f"{part}.parquet") for part in parts)
    ended = metrics.loc[metrics["complete"], ["session_id", "rounds_lasted", "mode"]]
    last = votes.merge(ended, on="session_id").query("round == rounds_lasted")
    last = last.merge(statements[["statement_id", "statement"]], on="statement_id")
    return [
        {
            "session": session,
            "statement": cast["statement"].iloc[0],
            "votes": cast["vote"].tolist(),
            "mode": int(cast["mode"].iloc[0]),
        }
        for session, cast in last.groupby("session_id")
    ]


async def bare(debates: Debates, base_url: str) -> None:
    """Run debates with the openai package and nothing else."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="none", base_url=base_url)

    async def one(calls: list[dict[str, Any]]) -> None:
        speeches: list[str] = []
        for call in calls:
            prompt = call["prompt"]
            for number, speech in enumerate(speeches):
                prompt = prompt.replace(f"<<{number}>>", speech)
            answer = await client.chat.completions.create(
                model=call["model"],
                messages=[{"role": "user", "content": prompt}],
                temperature=0.2,
                max_tokens=512,
                seed=call["seed"],
            )
            speeches.append(answer.choices[0].message.content or "")

    await asyncio.gather(*(one(calls) for calls in debates.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write")
    write.add_argument("debates", type=Path)
    write.add_argument("study", type=Path)
    write.add_argument("prompts", type=Path)
    for name in ("sessions", "votes"):
        read = commands.add_parser(name)
        read.add_argument("written", type=Path)
        read.add_argument("study", type=Path)
    run = commands.add_parser("run")
    run.add_argument("debates", type=Path)
    run.add_argument("base_url")
    options = parser.parse_args()
    if options.command == "write":
        text = json.dumps(written(options.study, options.prompts))
        options.debates.write_text(text, encoding="utf-8")
    elif options.command in ("sessions", "votes"):
        read_by = {"sessions": sessions, "votes": last_votes}[options.command]
        options.written.write_text(json.dumps(read_by(options.study)), encoding="utf-8")
    else:
        debates = json.loads(options.debates.read_text(encoding="utf-8"))
        asyncio.run(bare(debates, options.base_url))


if __name__ == "__main__":
    main()
