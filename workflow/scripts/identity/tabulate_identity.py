"""Write the paper's tables in its shape, and the identity study's own beside them."""

from dataclasses import fields
from typing import Any

from dissensus.identity.figures.frames import View
from dissensus.identity.figures.tables import Artefacts, make_tables
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.tables import write_tables
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    names = (field.name for field in fields(Artefacts))
    tables = make_tables(Artefacts(*(read_frame(getattr(inputs, name)) for name in names)), view)
    title = "Tables of the identity study"
    write_tables(tables, outputs.csv, outputs.markdown, outputs.page, title)
    counts = {"tables": str(len(tables))}
    write_caption(outputs.caption, inputs.caption, counts, view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
