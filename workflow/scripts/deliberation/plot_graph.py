"""Draw the debate graph of one session, the one that the file is named after."""

from pathlib import Path
from typing import Any

from dissensus.deliberation.figures.graph import draw_session
from dissensus.report.artefacts import Artefacts
from dissensus.report.style import save_svg
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    artefacts = Artefacts(dict(inputs.items()))
    save_svg(draw_session(artefacts, Path(outputs.svg).stem, stage.simulated).figure, outputs.svg)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
