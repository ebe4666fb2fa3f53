"""Put the most and the least recycled speeches side by side, in every language."""

from typing import Any

from dissensus.language.figures import reuse as reuses
from dissensus.language.figures.frames import View, read_draws
from dissensus.language.figures.speeches import as_html, as_markdown, sections
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    reuse = read_frame(inputs.reuse)
    turns = read_draws(inputs.turns, [pair.draw_id for pair in reuses.extremes(reuse) or ()])
    manifest = read_frame(inputs.manifest)
    motion_of = dict(zip(manifest["draw_id"], manifest["motion_id"], strict=True))
    found = sections(reuse, turns, read_frame(inputs.pool), motion_of, view)
    write_text(outputs.markdown, as_markdown(found, view))
    write_text(outputs.html, as_html(found, view))
    said = reuses.describe(reuse, view)
    write_caption(outputs.caption, inputs.caption, said, view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
