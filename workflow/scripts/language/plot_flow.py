"""Draw how the randomisation ran and what was lost on the way."""

from typing import Any

from dissensus.language.figures.flow import describe, draw, trace
from dissensus.language.figures.frames import View
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    pool, manifest = read_frame(inputs.pool), read_frame(inputs.manifest)
    flow = trace(pool, manifest, read_frame(inputs.outcomes), view.reference)
    save(draw(flow, view), outputs.svg, outputs.png)
    write_caption(outputs.caption, inputs.caption, describe(flow), view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
