"""Add up what every session and every block has cost, and what its models reported."""

from collections.abc import Iterator
from typing import Any

from dissensus.study.spending import CONDUCT, SPENDING, conduct, spending
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    blocks = {row["session_id"]: row["block"] for row in read(inputs.manifest).to_pylist()}

    def rows(paths: list[str]) -> Iterator[dict[str, Any]]:
        # A shard at a time: a large run has millions of calls.
        for path in paths:
            yield from read(path).to_pylist()

    calls, embeddings = inputs.calls, inputs.embedding_calls
    spent = spending(rows(calls), rows(embeddings), blocks)
    write(outputs.spending, SPENDING, spent, stage.provenance)
    write(outputs.conduct, CONDUCT, conduct(rows(calls), rows(embeddings)), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
