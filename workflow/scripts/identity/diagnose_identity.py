"""Run planted weights through the estimators of the identity study: bias, spread, coverage."""

from typing import Any

import pandas as pd

from dissensus.figures.tables import as_csv, as_markdown
from dissensus.identity.figures.study_tables import table_diagnosis
from dissensus.identity.inference.diagnosis import DESIGN_DIAGNOSIS, diagnose
from dissensus.stage import Stage, run
from dissensus.tables.artefact import replacing, write


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
    table = table_diagnosis(pd.DataFrame(rows))
    for path, text in ((outputs.csv, as_csv(table)), (outputs.markdown, as_markdown(table))):
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
