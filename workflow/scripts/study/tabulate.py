"""Write the tables of a study, and their caption."""

from typing import Any

from dissensus.report.captions import write_caption
from dissensus.report.tables import caption_facts, write_tables
from dissensus.report.view import Artefacts, View
from dissensus.run.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    artefacts = Artefacts(dict(inputs.items()))
    marked = stage.settings["marked"]
    tables = [build(artefacts, view).noted(marked) for build in stage.resolved]
    title = f"Tables of the {view.study} study"
    write_tables(tables, outputs.csv, outputs.markdown, outputs.page, title, outputs.latex)
    write_caption(outputs.caption, inputs.caption, caption_facts(tables), stage.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
