"""Embed every turn of one shard of debates, and of their renderings."""

from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from dissensus.digests import digest
from dissensus.language.design.instrument import is_debate
from dissensus.language.design.manifest import IDS, read_manifest
from dissensus.language.measures.embed import EMBEDDING_CALLS, EMBEDDINGS, embed_block
from dissensus.language.measures.renderings import RENDERED_TURNS
from dissensus.study.embedding import call_rows
from dissensus.study.gather import by_session, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write
from dissensus.text.embeddings import UnitEmbedder, embedder, is_own


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    turns = by_session(read(inputs.turns, turns_schema(IDS)))
    sessions = {name: of_session for name, of_session in turns.items() if is_debate(of_session[0])}
    sessions |= by_session(read(inputs.rendered, RENDERED_TURNS))
    names = stage.settings["embedders"]
    tables = [embed_block(sessions, [embedder(name) for name in names if is_own(name)])]
    calls: list[dict[str, Any]] = []
    # Paid ones by block: those journals serve a larger manifest too, which has other shards.
    journals = Path(inputs.manifest).parent / "journal/embeddings"
    rows = read_manifest(inputs.manifest).values()
    blocks = {row["draw_id"]: row["block"] for row in rows}

    def block_of(name: str) -> int:
        return int(blocks[sessions[name][0]["draw_id"]])

    for block, group in groupby(sorted(sessions, key=block_of), key=block_of):
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
