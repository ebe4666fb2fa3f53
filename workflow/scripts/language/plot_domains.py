"""Draw the mean and the language effect of each domain."""

from typing import Any

from dissensus.language.figures.domains import describe, draw
from dissensus.language.figures.frames import View
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    metrics, domains = read_frame(inputs.metrics), read_frame(inputs.domains)
    effect, tests = read_frame(inputs.effect), read_frame(inputs.tests)
    save(draw(metrics, domains, effect, view), outputs.svg, outputs.png)
    write_caption(
        outputs.caption, inputs.caption, describe(metrics, domains, tests, view), view.simulated
    )


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
