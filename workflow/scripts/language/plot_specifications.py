"""Draw the specification curve above the choices behind it."""

from typing import Any

from dissensus.language.figures.frames import View
from dissensus.language.figures.specifications import describe, draw
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    curve, tests = read_frame(inputs.curve), read_frame(inputs.tests)
    save(draw(curve, tests, view), outputs.svg, outputs.png)
    write_caption(outputs.caption, inputs.caption, describe(curve, tests), view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
