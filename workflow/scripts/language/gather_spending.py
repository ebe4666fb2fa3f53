"""Add up what every session and every block has cost, and what its models reported."""

from collections.abc import Iterator
from typing import Any

from dissensus.debate.record import CALLS
from dissensus.language.design.manifest import read_manifest
from dissensus.language.measures.embed import EMBEDDING_CALLS
from dissensus.language.spending import CONDUCT, SPENDING, conduct, spending
from dissensus.stage import Stage, run
from dissensus.tables.artefact import Schema, read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    blocks = {name: row["block"] for name, row in read_manifest(inputs.manifest).items()}

    def rows(paths: list[str], schema: Schema) -> Iterator[dict[str, Any]]:
        # A shard at a time: a large run has millions of calls.
        for path in paths:
            yield from read(path, schema).to_pylist()

    calls, embeddings = (inputs.calls, CALLS), (inputs.embedding_calls, EMBEDDING_CALLS)
    spent = spending(rows(*calls), rows(*embeddings), blocks)
    write(outputs.spending, SPENDING, spent, stage.provenance)
    write(outputs.conduct, CONDUCT, conduct(rows(*calls), rows(*embeddings)), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
