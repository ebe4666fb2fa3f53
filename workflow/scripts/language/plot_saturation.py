"""Draw the distributions on every bounded scale, and say which are saturated."""

from typing import Any

from dissensus.language.figures.frames import View
from dissensus.language.figures.saturation import describe, draw
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    metrics, saturation = read_frame(inputs.metrics), read_frame(inputs.saturation)
    threshold = stage.settings["threshold"]
    save(draw(metrics, saturation, threshold, view), outputs.svg, outputs.png)
    write_caption(
        outputs.caption, inputs.caption, describe(saturation, threshold, view), view.simulated
    )


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
