"""Measure every session: its rounds, its agents, the whole of it, and every two models."""

from typing import Any

from dissensus.deliberation.design.manifest import IDS, MANIFEST
from dissensus.deliberation.design.topics import TOPICS
from dissensus.deliberation.measures.records import (
    CLAIMS,
    ENGAGEMENTS,
    INFLUENCE,
    JUDGEMENTS,
    METRICS,
    PAIRS,
    ROUNDS,
    STANCES,
)
from dissensus.deliberation.measures.sessions import Inputs, measure
from dissensus.study.gather import outcomes_schema, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    schemas = {
        "manifest": MANIFEST,
        "topics": TOPICS,
        "outcomes": outcomes_schema(IDS),
        "turns": turns_schema(IDS),
        "claims": CLAIMS,
        "engagements": ENGAGEMENTS,
        "stances": STANCES,
        "judgements": JUDGEMENTS,
    }
    tables = {name: read(getattr(inputs, name), schema) for name, schema in schemas.items()}
    rows = {name: table.to_pylist() for name, table in tables.items()}
    measured = measure(Inputs(**rows), stage.settings)
    write(outputs.rounds, ROUNDS, measured.rounds, stage.provenance)
    write(outputs.metrics, METRICS, measured.metrics, stage.provenance)
    write(outputs.influence, INFLUENCE, measured.influence, stage.provenance)
    write(outputs.pairs, PAIRS, measured.pairs, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
