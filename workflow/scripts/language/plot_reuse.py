"""Draw how much of a speaker's first speech comes back in the second."""

from typing import Any

from dissensus.language.figures.frames import View
from dissensus.language.figures.reuse import describe, draw
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    reuse = read_frame(inputs.reuse)
    save(draw(reuse, view), outputs.svg, outputs.png)
    write_caption(outputs.caption, inputs.caption, describe(reuse, view), view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
