"""Embed every turn of one block of sessions."""

from pathlib import Path
from typing import Any

from dissensus.fingerprint import digest
from dissensus.language.measures.embed import (
    EMBEDDING_CALLS,
    EMBEDDINGS,
    call_rows,
    embed_block,
    read_sessions,
)
from dissensus.stage import Stage, run
from dissensus.tables.artefact import write
from dissensus.text.embeddings import UnitEmbedder, embedder, is_own


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    folder, block = Path(outputs.embeddings).parents[1], Path(outputs.embeddings).stem
    embedders, remote = [], []
    for name in stage.settings["embedders"]:
        if is_own(name):
            embedders.append(embedder(name))
        else:
            journal = folder / "journal" / "embeddings" / f"{block}-{digest(name)[:8]}.jsonl"
            remote.append(stage.switchboard.embedder(name, journal))
            embedders.append(UnitEmbedder(name, remote[-1].encode))
    rows = embed_block(read_sessions(inputs.transcripts), embedders)
    write(outputs.embeddings, EMBEDDINGS, rows, stage.provenance)
    write(outputs.calls, EMBEDDING_CALLS, call_rows(int(block), remote), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
