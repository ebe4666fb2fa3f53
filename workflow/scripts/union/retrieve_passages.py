"""Find the passages that each speaker may draw on in each motion."""

from pathlib import Path
from typing import Any

from dissensus.study.embedding import call_rows, stage_embedder
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write
from dissensus.union.passages import PASSAGE_CALLS, Search, retrieve
from dissensus.union.tables import CHUNKS, MOTIONS, PASSAGES


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    corpus = stage.settings["corpus"]
    journals = Path(outputs.passages).parent / "journal/embeddings"
    used, paid = stage_embedder(stage, corpus["embedder"], journals, "passages")
    motions, chunks = read(inputs.motions, MOTIONS), read(inputs.chunks, CHUNKS)
    search = Search(used.embed, corpus["pool"], corpus["diversity"])
    found = retrieve(motions.to_pylist(), chunks.to_pylist(), search)
    write(outputs.passages, PASSAGES, found, stage.provenance)
    write(outputs.calls, PASSAGE_CALLS, call_rows(0, paid), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
