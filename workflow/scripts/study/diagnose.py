"""Run planted effects through the design and the estimators of a study."""

from typing import Any

import pandas as pd

from dissensus.design.diagnosis import DIAGNOSIS
from dissensus.report.diagnosis import table_diagnosis
from dissensus.report.tables import write_table
from dissensus.run.stage import Stage, run
from dissensus.tables.artefact import read_by, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    diagnose, source = stage.resolved
    cores = int(stage.resources.get("_cores", 1))
    items = read_by(inputs.source, source, stage.key)
    rows = diagnose(items, stage.settings, stage.seed, cores)
    write(outputs.diagnosis, DIAGNOSIS, rows, stage.provenance)
    write_table(table_diagnosis(pd.DataFrame(rows)), outputs.csv, outputs.markdown)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
