"""Draw every pair, the sorted differences, and the headline with its interval."""

from typing import Any

from dissensus.language.figures.frames import View
from dissensus.language.figures.paired_effects import describe, draw
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    metrics, effect = read_frame(inputs.metrics), read_frame(inputs.effect)
    save(draw(metrics, effect, view), outputs.svg, outputs.png)
    write_caption(outputs.caption, inputs.caption, describe(metrics, effect, view), view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
