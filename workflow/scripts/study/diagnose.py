"""Run planted effects through the design and the estimators of a study."""

from pathlib import Path
from typing import Any

import pandas as pd

from dissensus.design.diagnosis import DIAGNOSIS
from dissensus.plan.smallest import DESIGN, design_digests, expected_usd
from dissensus.report.alternative import alternative
from dissensus.report.diagnosis import POWER_TITLE, plot_power, table_diagnosis
from dissensus.report.style import save
from dissensus.report.tables import write_table
from dissensus.run.stage import Stage, run
from dissensus.study.makes import resolve
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import read_by, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    diagnose, source = stage.resolved
    cores = int(stage.resources.get("_cores", 1))
    items = read_by(inputs.source, source, stage.key)
    rows = diagnose(items, stage.settings, stage.seed, cores)
    provenance = stage.provenance
    configuration, folder = stage.configuration, Path(outputs.diagnosis).parent
    study = configuration.study(folder.name)
    # What a plan says of a study, it says by a diagnosis of the same design alone.
    if outputs.figure or study.settings.stop:
        provenance |= {DESIGN: design_digests(configuration, study)}
    if outputs.figure:
        draw = resolve(study.manifest.function)
        drawn = {
            row["session_id"]: row
            for row in draw(items, {**stage.settings, "stop": None}, stage.seed)
        }
        usd = expected_usd(configuration, Sessions(study, folder, drawn, items, {}))
        usd = usd and usd / len(items)
        rows = [row | {"usd": usd and usd * row["items"]} for row in rows]
        figure = plot_power(pd.DataFrame(rows), len(items), stage.simulated)
        svg, png = outputs.figure
        save(figure, svg, png, POWER_TITLE, alternative(POWER_TITLE, figure, ""))
    write(outputs.diagnosis, DIAGNOSIS, rows, provenance)
    write_table(table_diagnosis(pd.DataFrame(rows)), outputs.csv, outputs.markdown)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
