"""Put all turns into one table, and what became of all sessions into another."""

from typing import Any

from dissensus.language.gather import OUTCOMES, TURNS
from dissensus.stage import Stage, run
from dissensus.tables.artefact import concatenate, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    write(outputs.turns, TURNS, concatenate(inputs.turns, TURNS), stage.provenance)
    write(outputs.outcomes, OUTCOMES, concatenate(inputs.outcomes, OUTCOMES), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
