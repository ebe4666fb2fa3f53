"""Write the reader of all debates of a run: its page, and its data beside it."""

from pathlib import Path
from typing import Any

from dissensus.report.reader_page import reader_page
from dissensus.study.reader import Writer
from dissensus.study.sessions import Sessions
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.configuration
    place = Path(outputs.page).parent
    for index in map(Path, outputs.indexes):
        folder = place.parent / index.parent.name
        sessions = Sessions.read(settings, folder)
        findings = read(folder / "findings.parquet").to_pylist()
        writer = Writer(sessions, stage.registry, findings)
        writer.write(index.parent, stage.simulated)
    names = [Path(index).parent.name for index in outputs.indexes]
    write_text(outputs.page, reader_page(settings.run, names, stage.simulated))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
