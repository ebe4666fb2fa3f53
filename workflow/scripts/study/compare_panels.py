"""Compare the panels of a run, and write its front page."""

from pathlib import Path
from typing import Any

from dissensus.compare.panels import COMPARED, Panel, compare_panels, panels_page
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
    write_text(page, panels_page(given["run"], stage.seed, panels, cards, stage.simulated))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
