"""Put the sessions of one shard side by side: their turns, their calls, and how each ended."""

from pathlib import Path
from typing import Any

from dissensus.study.gather import GATHERED_CALLS, gather, outcomes_schema, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    folder = Path(inputs.manifest).parent
    ids, names = stage.function.pick(*stage.settings["ids"]), stage.settings["sessions"]
    turns, outcomes, calls = gather(folder, names, ids)
    write(outputs.turns, turns_schema(ids), turns, stage.provenance)
    write(outputs.outcomes, outcomes_schema(ids), outcomes, stage.provenance)
    write(outputs.calls, GATHERED_CALLS, calls, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
