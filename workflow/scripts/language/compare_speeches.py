"""Put the most and the least recycled speeches side by side, in every language."""

from typing import Any

from dissensus.language.figures.speeches import build
from dissensus.report.artefacts import Artefacts
from dissensus.report.captions import write_caption
from dissensus.report.view import View
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    text = build(Artefacts(dict(inputs.items())), View.of(stage.settings, stage.simulated))
    write_text(outputs.markdown, text.markdown)
    write_text(outputs.html, text.html)
    write_caption(outputs.caption, inputs.caption, text.facts, stage.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
