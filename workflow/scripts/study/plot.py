"""Draw the figures of a study, and write their captions."""

from pathlib import Path
from typing import Any

from dissensus.report.alternative import alternative
from dissensus.report.captions import write_caption
from dissensus.report.facts import FIGURE_FACTS, fact_rows, told
from dissensus.report.style import or_notice, save, sentence_of
from dissensus.report.view import FIGURE_MARKS, Artefacts, View, mark_rows
from dissensus.run.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    artefacts = Artefacts(dict(inputs.items()))
    files = zip(inputs.captions, outputs.svg, outputs.png, outputs.caption, strict=True)
    marks: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    titled = zip(stage.settings["titles"], stage.resolved, files, strict=True)
    for title, draw, (template, svg, png, caption) in titled:
        drawn = draw(artefacts, view)
        figure = or_notice(drawn.figure, stage.simulated)
        notice = sentence_of(figure)
        caption_words = write_caption(caption, template, drawn.facts, stage.simulated, notice)
        words, of_words = told(alternative(title, figure, caption_words, view.level))
        save(figure, svg, png, title, words)
        name = Path(svg).stem
        marks += mark_rows(name, drawn.marks)
        facts += [
            *fact_rows(f"caption:{name}", told(caption_words)[1]),
            *fact_rows(f"alternative:{name}", of_words),
        ]
    write(outputs.marks, FIGURE_MARKS, marks, stage.provenance)
    write(outputs.facts, FIGURE_FACTS, facts, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
