"""Draw power and the minimum detectable effect by number of draws."""

from typing import Any

from dissensus.language.figures.frames import View
from dissensus.language.figures.power import describe, draw
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    power, effect = read_frame(inputs.power), read_frame(inputs.effect)
    planned = stage.settings["draws"]
    save(draw(power, effect, planned, view), outputs.svg, outputs.png)
    write_caption(
        outputs.caption, inputs.caption, describe(power, effect, planned, view), view.simulated
    )


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
