"""Put all turns into one table, and how every session ended into another."""

from typing import Any

from dissensus.study.gather import outcomes_schema, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import concatenate, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    ids = stage.function.pick(*stage.settings["ids"])
    turns, outcomes = turns_schema(ids), outcomes_schema(ids)
    write(outputs.turns, turns, concatenate(inputs.turns, turns), stage.provenance)
    write(outputs.outcomes, outcomes, concatenate(inputs.outcomes, outcomes), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
