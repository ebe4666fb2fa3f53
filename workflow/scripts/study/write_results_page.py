"""State what each study found, and write the pages of results: the run's, and one a study."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from dissensus.digests import file_digest
from dissensus.keep.reading import debated
from dissensus.plan.order import order_of
from dissensus.plan.registering.direction import direction_of
from dissensus.report.facts import FACTS
from dissensus.report.findings import FINDINGS, rows
from dissensus.report.pages.columns import columns_page, files_of
from dissensus.report.pages.exchange import exchange_of
from dissensus.report.pages.files import dollars, findings_of, newest_day, part_of
from dissensus.report.pages.front import Run, front_page
from dissensus.report.pages.study import study_page
from dissensus.report.truth import TRUTH
from dissensus.report.view import View
from dissensus.run.stage import Stage, run
from dissensus.study.makes import resolve
from dissensus.tables.artefact import read, write, write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    parts = []
    settings, name = stage.settings, stage.settings["run"]
    written = outputs.findings, outputs.facts, outputs.pages, outputs.columns
    files = zip(settings["studies"], *written, strict=True)
    for given, path, facts_path, page_path, columns_path in files:
        folder = Path(path).parent
        state = resolve(given["headline"]) if given["headline"] else None
        findings, lost = findings_of(folder, state, View.of(given["view"], stage.simulated))
        finding_rows, facts = rows(findings, lost)
        write(path, FINDINGS, finding_rows, stage.provenance)
        write(facts_path, FACTS, facts, stage.provenance)
        stated, aside, reads = given["exchange"]
        exchange = exchange_of(folder, resolve(stated) if stated else None, aside, reads)
        if exchange:
            manifest = read(folder / "manifest.parquet").to_pylist()
            session = {row["session_id"]: row for row in manifest}[exchange.session_id]
            exchange = replace(exchange, asked=debated(folder, session)[0])
        part = replace(part_of(folder, given, finding_rows, findings.shown), exchange=exchange)
        if order := order_of(folder):
            part = replace(part, order=[*order.sentences()], proof=order.proof)
        if direction := direction_of(folder, given["headline_rows"]):
            said = [*part.order, *direction.sentences()]
            part = replace(part, order=said, direction=direction.words)
        parts.append(part)
        write_text(page_path, study_page(name, part, stage.simulated))
        write_text(columns_path, columns_page(name, folder.name, files_of(folder), stage.simulated))
    truth = [row for path in inputs.get("truth", ()) for row in read(path, TRUTH).to_pylist()]
    folders = [Path(path).parent for path in outputs.findings]
    of_run = Run(
        name,
        stage.seed,
        newest_day(folders),
        settings["models"],
        dollars(folders),
        stage.simulated,
        file_digest(Path(inputs.closing)),
    )
    write_text(outputs.page, front_page(of_run, parts, truth))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
