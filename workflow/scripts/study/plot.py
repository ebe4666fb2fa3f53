"""Draw one figure of a study, the one that its file is named after, and fill in its caption."""

from importlib import import_module
from pathlib import Path
from typing import Any

from dissensus.report.artefacts import Artefacts
from dissensus.report.captions import write_caption
from dissensus.report.style import save
from dissensus.report.view import View
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    study, name = stage.settings["study"], Path(outputs.svg).stem
    figures = import_module(f"dissensus.{study}.figures").FIGURES
    draw = next(figure for figure in figures if figure.name == name).load()
    drawn = draw(Artefacts.of(inputs), View(study, stage.settings, stage.simulated))
    save(drawn.figure, outputs.svg, outputs.png)
    write_caption(outputs.caption, inputs.caption, drawn.facts, stage.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
