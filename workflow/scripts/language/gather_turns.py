"""Put all transcripts into one table, and say of each session what became of it."""

from typing import Any

from dissensus.language.gather import OUTCOMES, TURNS, gather
from dissensus.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    turns, outcomes = gather(inputs.transcripts)
    write(outputs.turns, TURNS, turns, stage.provenance)
    write(outputs.outcomes, OUTCOMES, outcomes, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
