"""Measure lexical and semantic similarity and reuse in one block of sessions."""

from typing import Any

from dissensus.language.measures.block import measure_block
from dissensus.language.measures.components import COMPONENTS
from dissensus.language.measures.embed import EMBEDDINGS, read_sessions
from dissensus.language.measures.reuse import REUSE
from dissensus.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    sessions = read_sessions(inputs.transcripts)
    embeddings = read(inputs.embeddings, EMBEDDINGS).to_pylist()
    components, reuse = measure_block(sessions, embeddings, **stage.settings)
    write(outputs.components, COMPONENTS, components, stage.provenance)
    write(outputs.reuse, REUSE, reuse, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
