"""Write the tables of a study, each as CSV and Markdown, and all of them on one page."""

from importlib import import_module
from typing import Any

from dissensus.report.artefacts import Artefacts
from dissensus.report.captions import write_caption
from dissensus.report.tables import caption_facts, write_tables
from dissensus.report.view import View
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    study = stage.settings["study"]
    artefacts = Artefacts.of(inputs)
    view = View(study, stage.settings, stage.simulated)
    declared = import_module(f"dissensus.{study}.figures").TABLES
    tables = [table.load()(artefacts, view) for table in declared]
    title = f"Tables of the {study} study"
    write_tables(tables, outputs.csv, outputs.markdown, outputs.page, title)
    write_caption(outputs.caption, inputs.caption, caption_facts(tables), stage.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
