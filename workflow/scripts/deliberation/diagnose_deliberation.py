"""Run planted effects through the design and the estimators: bias, coverage, power."""

from typing import Any

import pandas as pd

from dissensus.deliberation.figures.diagnosis import table_diagnosis
from dissensus.deliberation.inference.diagnosis import DESIGN_DIAGNOSIS, diagnose
from dissensus.report.frames import read_frame
from dissensus.report.tables import write_table
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    rows = diagnose(
        settings["draws"],
        len(read_frame(inputs.topics)),
        settings["arms"],
        settings["reference"],
        settings["diagnosis"]["simulations"],
        settings["diagnosis"]["effects"],
        settings["confidence"],
        settings["seed"],
    )
    write(outputs.diagnosis, DESIGN_DIAGNOSIS, rows, stage.provenance)
    write_table(table_diagnosis(pd.DataFrame(rows)), outputs.csv, outputs.markdown)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
