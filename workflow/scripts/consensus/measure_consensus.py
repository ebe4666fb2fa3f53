"""Read the votes out of the turns, and measure every debate."""

from pathlib import Path
from typing import Any

from dissensus.consensus.design import IDS, MANIFEST
from dissensus.consensus.domains import STATEMENTS
from dissensus.consensus.records import EMBEDDING_CALLS, METRICS, VOTES, measure_all
from dissensus.study.embedding import call_rows, stage_embedder
from dissensus.study.gather import by_session, outcomes_schema, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, read_by, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    journals = Path(outputs.votes).parent / "journal/embeddings"
    used, paid = stage_embedder(stage, stage.settings["embedder"], journals, "explanations")
    votes, metrics = measure_all(
        read(inputs.manifest, MANIFEST).to_pylist(),
        read_by(inputs.statements, STATEMENTS, "statement_id"),
        read(inputs.outcomes, outcomes_schema(IDS)).to_pylist(),
        by_session(read(inputs.turns, turns_schema(IDS))),
        used.embed,
    )
    write(outputs.votes, VOTES, votes, stage.provenance)
    write(outputs.metrics, METRICS, metrics, stage.provenance)
    write(outputs.calls, EMBEDDING_CALLS, call_rows(0, paid), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
