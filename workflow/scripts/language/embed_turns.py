"""Embed every turn of one shard of sessions."""

from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from dissensus.digests import digest
from dissensus.language.design.manifest import IDS, read_manifest
from dissensus.language.measures.embed import EMBEDDING_CALLS, EMBEDDINGS, embed_block
from dissensus.study.embedding import call_rows
from dissensus.study.gather import by_session, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write
from dissensus.text.embeddings import UnitEmbedder, embedder, is_own


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    sessions = by_session(read(inputs.turns, turns_schema(IDS)))
    names = stage.settings["embedders"]
    tables = [embed_block(sessions, [embedder(name) for name in names if is_own(name)])]
    calls: list[dict[str, Any]] = []
    # Paid ones by block: those journals serve a larger manifest too, which has other shards.
    journals = Path(inputs.manifest).parent / "journal/embeddings"
    blocks = {name: row["block"] for name, row in read_manifest(inputs.manifest).items()}
    for block, group in groupby(sessions, key=blocks.__getitem__):
        some = {name: sessions[name] for name in group}
        remote = [
            stage.registry.embedder(name, journals / f"{block}-{digest(name)[:8]}.jsonl")
            for name in names
            if not is_own(name)
        ]
        tables.append(embed_block(some, [UnitEmbedder(it.name, it.encode) for it in remote]))
        calls += call_rows(block, remote)
    write(outputs.embeddings, EMBEDDINGS, pa.concat_tables(tables), stage.provenance)
    write(outputs.calls, EMBEDDING_CALLS, calls, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
