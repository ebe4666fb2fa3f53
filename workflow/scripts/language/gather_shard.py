"""Put the sessions of one shard side by side: their turns, their calls, and what became of each."""

from pathlib import Path
from typing import Any

from dissensus.debate.jobs import shards
from dissensus.debate.record import CALLS
from dissensus.language.design.manifest import read_manifest
from dissensus.language.gather import OUTCOMES, TURNS, gather
from dissensus.stage import Stage, run
from dissensus.tables.artefact import concatenate, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    shard, study = Path(outputs.turns).parent.name, Path(inputs.manifest).parent
    names = [row["session_id"] for row in shards(read_manifest(inputs.manifest).values())[shard]]
    turns, outcomes = gather([study / f"transcripts/{name}.parquet" for name in names])
    calls = concatenate([study / f"calls/{name}.parquet" for name in names], CALLS)
    write(outputs.turns, TURNS, turns, stage.provenance)
    write(outputs.outcomes, OUTCOMES, outcomes, stage.provenance)
    write(outputs.calls, CALLS, calls, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
