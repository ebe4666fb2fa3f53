"""Write the tables of the deliberation study."""

from typing import Any

from dissensus.deliberation.figures.frames import View, arm_words, attrition
from dissensus.deliberation.figures.tables import Artefacts, make_tables
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.tables import write_tables
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    names = Artefacts.__annotations__
    held = Artefacts(**{name: read_frame(getattr(inputs, name)) for name in names})
    tables = make_tables(held, stage.settings["target"], view)
    title = "Tables of the deliberation study"
    write_tables(tables, outputs.csv, outputs.markdown, outputs.page, title)
    said = {
        "tables": str(len(tables)),
        "reference": arm_words(view.reference),
        "attrition": attrition(held.metrics, held.manifest),
    }
    write_caption(outputs.caption, inputs.caption, said, view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
