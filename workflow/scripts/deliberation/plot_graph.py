"""Draw the debate graph of one session, the one that the file is named after."""

from pathlib import Path
from typing import Any

from dissensus.deliberation.figures.graph import debate, draw, save_svg
from dissensus.report.frames import read_frame
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    shown = debate(
        read_frame(inputs.claims),
        read_frame(inputs.engagements),
        read_frame(inputs.stances),
        read_frame(inputs.manifest),
        read_frame(inputs.topics),
        Path(outputs.svg).stem,
    )
    save_svg(draw(shown, stage.simulated), outputs.svg)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
