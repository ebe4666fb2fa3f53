"""Run planted effects through the design and the estimators: bias, coverage, power."""

from typing import Any

import pandas as pd

from dissensus.language.design.manifest import Drawing
from dissensus.language.design.pool import read_pool
from dissensus.language.figures.study_tables import table_diagnosis
from dissensus.language.inference.diagnosis import DESIGN_DIAGNOSIS, diagnose
from dissensus.language.settings import DiagnosisSettings
from dissensus.report.tables import write_table
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = diagnose(
        list(read_pool(inputs.pool).values()),
        Drawing(**stage.settings["drawing"]),
        DiagnosisSettings(**stage.settings["diagnosis"]),
        stage.settings["confidence"],
        stage.settings["seed"],
    )
    write(outputs.diagnosis, DESIGN_DIAGNOSIS, rows, stage.provenance)
    write_table(table_diagnosis(pd.DataFrame(rows)), outputs.csv, outputs.markdown)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
