"""Measure lexical and semantic similarity and reuse in the sessions of one shard."""

from typing import Any

from dissensus.language.design.instrument import is_debate
from dissensus.language.design.manifest import IDS
from dissensus.language.measures.block import measure_block
from dissensus.language.measures.components import COMPONENTS
from dissensus.language.measures.embed import EMBEDDINGS
from dissensus.language.measures.renderings import RENDERED_TURNS
from dissensus.language.measures.reuse import REUSE
from dissensus.study.gather import by_session, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    turns = by_session(read(inputs.turns, turns_schema(IDS)))
    sessions = {name: own for name, own in turns.items() if is_debate(own[0])}
    rendered = by_session(read(inputs.rendered, RENDERED_TURNS))
    embeddings = read(inputs.embeddings, EMBEDDINGS).to_pylist()
    components, reuse = measure_block(sessions, rendered, embeddings, **stage.settings)
    write(outputs.components, COMPONENTS, components, stage.provenance)
    write(outputs.reuse, REUSE, reuse, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
