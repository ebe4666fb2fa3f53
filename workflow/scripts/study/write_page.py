"""Write one page of a study that is neither figure nor table, as HTML and as Markdown."""

from importlib import import_module
from pathlib import Path
from typing import Any

from dissensus.report.artefacts import Artefacts
from dissensus.report.captions import write_caption
from dissensus.report.view import View
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    study, name = stage.settings["study"], Path(outputs.html).stem
    pages = import_module(f"dissensus.{study}.figures").PAGES
    build = next(page for page in pages if page.name == name).load()
    text = build(Artefacts.of(inputs), View(study, stage.settings, stage.simulated))
    write_text(outputs.markdown, text.markdown)
    write_text(outputs.html, text.html)
    write_caption(outputs.caption, inputs.caption, text.facts, stage.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
