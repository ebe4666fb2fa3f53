"""Write the page that shows the debates of a run, whose data lie beside it."""

from typing import Any

from dissensus.report.reader_page import reader_page
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    write_text(outputs.page, reader_page(settings["run"], settings["studies"], stage.simulated))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
