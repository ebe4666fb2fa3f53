"""Write the paper's tables in its shape, and the identity study's own beside them."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from dissensus.figures.captions import write_caption
from dissensus.figures.frames import read_frame
from dissensus.figures.tables import as_csv, as_markdown, as_page
from dissensus.identity.figures.frames import View
from dissensus.identity.figures.tables import Artefacts, make_tables
from dissensus.stage import Stage, run
from dissensus.tables.artefact import replacing


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    names = (field.name for field in fields(Artefacts))
    tables = make_tables(Artefacts(*(read_frame(getattr(inputs, name)) for name in names)), view)
    for table, comma, markdown in zip(tables, outputs.csv, outputs.markdown, strict=True):
        if not Path(comma).stem == Path(markdown).stem == table.name:
            raise ValueError(f"{table.name} would be written to {comma}")
        write_text(comma, as_csv(table))
        write_text(markdown, as_markdown(table))
    write_text(outputs.page, as_page(tables, "Tables of the identity study"))
    counts = {"tables": str(len(tables))}
    write_caption(outputs.caption, inputs.caption, counts, view.simulated)


def write_text(path: str, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
