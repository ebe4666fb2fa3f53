"""Put all turns into one table, and how every session ended into another."""

from typing import Any

from dissensus.study.gather import (
    check_sessions,
    check_some_complete,
    outcomes_schema,
    turns_schema,
)
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import concatenate, read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    ids = stage.function.pick(*stage.settings["ids"])
    turns = concatenate(inputs.turns, turns_schema(ids))
    outcomes = concatenate(inputs.outcomes, outcomes_schema(ids))
    sessions = read(inputs.manifest, stage.function)["session_id"].to_pylist()
    check_sessions(inputs.manifest, sessions, turns, outcomes)
    check_some_complete(inputs.manifest, outcomes)
    write(outputs.turns, turns_schema(ids), turns, stage.provenance)
    write(outputs.outcomes, outcomes_schema(ids), outcomes, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
