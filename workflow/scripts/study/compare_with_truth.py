"""Put what was planted in the simulated models beside what the run's analysis found."""

from pathlib import Path
from typing import Any

from dissensus.report.tables import as_page, write_table
from dissensus.report.truth import TRUTH, Diagnosed, table_truth, truth_rows
from dissensus.report.view import Artefacts, View
from dissensus.run.stage import Stage, run
from dissensus.study.makes import resolve
from dissensus.tables.artefact import write, write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = []
    for given, path in zip(stage.settings["studies"], outputs.truth, strict=True):
        view = View.of(given["view"], stage.simulated)
        paths = {file.stem: file for file in Path(path).parent.glob("*.parquet")}
        diagnosed = Diagnosed.of(given["diagnosed"])
        effects = resolve(given["truth"])(Artefacts(paths), view, diagnosed)
        compared = truth_rows(given["study"], effects, view.confidence)
        write(path, TRUTH, compared, stage.provenance)
        rows += compared
    table = table_truth(rows)
    write_table(table, outputs.csv, outputs.markdown)
    write_text(outputs.page, as_page([table], table.title))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
