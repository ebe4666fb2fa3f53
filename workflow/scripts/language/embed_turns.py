"""Embed every turn of one block of sessions."""

from typing import Any

from dissensus.language.measures.embed import EMBEDDINGS, embed_block, read_sessions
from dissensus.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = embed_block(read_sessions(inputs.transcripts), stage.settings["embedders"])
    write(outputs.embeddings, EMBEDDINGS, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
