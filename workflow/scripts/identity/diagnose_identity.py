"""Run planted weights through the estimators of the identity study: bias, spread, coverage."""

from typing import Any

import pandas as pd

from dissensus.identity.figures.study_tables import table_diagnosis
from dissensus.identity.inference.diagnosis import DESIGN_DIAGNOSIS, diagnose
from dissensus.report.tables import write_table
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings["diagnosis"]
    rows = diagnose(
        settings["replicates"],
        settings["questions"],
        stage.settings["confidence"],
        stage.settings["seed"],
        workers=int(stage.resources.get("_cores", 1)),
    )
    write(outputs.diagnosis, DESIGN_DIAGNOSIS, rows, stage.provenance)
    write_table(table_diagnosis(pd.DataFrame(rows)), outputs.csv, outputs.markdown)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
