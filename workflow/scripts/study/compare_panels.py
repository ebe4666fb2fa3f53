"""Compare the panels of a run, and write its front page."""

from pathlib import Path
from typing import Any

from dissensus.compare.panels import Panel, compare_panels, panels_page
from dissensus.compare.units import COMPARED
from dissensus.digests import file_digest
from dissensus.keep.closing import close_panels
from dissensus.run.stage import Stage, run
from dissensus.tables.artefact import write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    given, page = stage.settings, Path(outputs.page)
    results = page.parent.parent
    runs = {name: f"{given['run']}.{name}" for name in given["panels"]}
    cards = {
        study: (
            question,
            *compare_panels(
                [results / run / study for run in runs.values()],
                question,
                stage.simulated,
                page.parent / COMPARED / study,
                stage.provenance,
            ),
        )
        for study, question in given["questions"].items()
    }
    panels = [
        Panel.of(name, runs[name], models, [results / runs[name] / study for study in cards])
        for name, models in given["panels"].items()
    ]
    closing = Path(outputs.closing)
    write_text(closing, close_panels(page.parent, [results / run for run in runs.values()]))
    front = panels_page(
        given["run"], stage.seed, panels, cards, stage.simulated, file_digest(closing)
    )
    write_text(page, front)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
