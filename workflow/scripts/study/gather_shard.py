"""Put the sessions of one shard side by side: their turns, their calls, and what became of each."""

from pathlib import Path
from typing import Any

from dissensus.session.record import CALLS
from dissensus.study.gather import gather, outcomes_schema, turns_schema
from dissensus.study.jobs import shards
from dissensus.study.registry import ids_of
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import concatenate, read_rows, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    shard, study = Path(outputs.turns).parent.name, Path(inputs.manifest).parent
    ids = ids_of(study.name)
    names = [row["session_id"] for row in shards(read_rows(inputs.manifest))[shard]]
    turns, outcomes = gather([study / f"transcripts/{name}.parquet" for name in names], ids)
    calls = concatenate([study / f"calls/{name}.parquet" for name in names], CALLS)
    write(outputs.turns, turns_schema(ids), turns, stage.provenance)
    write(outputs.outcomes, outcomes_schema(ids), outcomes, stage.provenance)
    write(outputs.calls, CALLS, calls, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
