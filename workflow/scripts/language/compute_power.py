"""Compute power and the smallest detectable effect, before and after the study."""

from typing import Any

from dissensus.language.inference.power import POWER, power_table
from dissensus.language.measures.homogeneity import METRICS
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = power_table(
        read(inputs.metrics, METRICS).to_pandas(use_threads=False),
        stage.settings["reference"],
        f"hi_{stage.settings['primary']}",
        stage.settings["draws"],
        stage.settings["effects"],
        stage.settings["confidence"],
    )
    write(outputs.power, POWER, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
