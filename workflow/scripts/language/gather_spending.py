"""Add up what every session and every block has cost, and what its models reported."""

from typing import Any

from dissensus.debate.record import CALLS
from dissensus.language.design.manifest import read_manifest
from dissensus.language.measures.embed import EMBEDDING_CALLS
from dissensus.language.spending import CONDUCT, SPENDING, conduct, spending
from dissensus.stage import Stage, run
from dissensus.tables.artefact import concatenate, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    blocks = {name: row["block"] for name, row in read_manifest(inputs.manifest).items()}
    calls = concatenate(inputs.calls, CALLS).to_pylist()
    embedding_calls = concatenate(inputs.embedding_calls, EMBEDDING_CALLS).to_pylist()
    rows = spending(calls, embedding_calls, blocks)
    write(outputs.spending, SPENDING, rows, stage.provenance)
    write(outputs.conduct, CONDUCT, conduct(calls, embedding_calls), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
