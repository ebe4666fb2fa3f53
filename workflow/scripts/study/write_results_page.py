"""State what each study found, and write the results page of the run."""

from pathlib import Path
from typing import Any

from dissensus.report.facts import FACTS
from dissensus.report.findings import FINDINGS
from dissensus.report.results import results_page
from dissensus.report.results_files import findings_of, part_of
from dissensus.report.truth import TRUTH
from dissensus.report.view import View
from dissensus.run.stage import Stage, run
from dissensus.study.makes import resolve
from dissensus.tables.artefact import read, write, write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    parts = []
    files = zip(stage.settings["studies"], outputs.findings, outputs.facts, strict=True)
    for given, path, facts_path in files:
        folder = Path(path).parent
        state = resolve(given["headline"]) if given["headline"] else None
        said, facts = findings_of(folder, state, View.of(given["view"], stage.simulated))
        write(path, FINDINGS, said, stage.provenance)
        write(facts_path, FACTS, facts, stage.provenance)
        parts.append(part_of(folder, given, said))
    truth = [row for path in inputs.get("truth", ()) for row in read(path, TRUTH).to_pylist()]
    page = results_page(stage.settings["run"], stage.seed, parts, stage.simulated, truth)
    write_text(outputs.page, page)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
