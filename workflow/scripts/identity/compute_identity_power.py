"""Compute how many questions an identity bias needs, and which bias so many questions find."""

from typing import Any

from dissensus.identity.inference.power import POWER, power_rows
from dissensus.identity.measures.metrics import METRICS
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    confidence = stage.settings["inference"]["confidence"]
    rows = power_rows(read(inputs.metrics, METRICS), confidence)
    write(outputs.power, POWER, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
