"""Run the sessions of one bundle that are still pending."""

from pathlib import Path
from typing import Any

from dissensus.report import escaping
from dissensus.session.progress import PROGRESS_COUNTS
from dissensus.study.completion import note
from dissensus.study.jobs import bundled
from dissensus.study.kept import keep_configuration
from dissensus.study.session_tables import paths_in
from dissensus.study.sessions import Sessions, ended
from dissensus.study.shutdown import stopping_with
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.configuration
    mark, folder = Path(outputs.mark), Path(inputs.manifest).parent
    results = folder.parent
    PROGRESS_COUNTS.begin(results / ".progress")
    sessions = Sessions.read(settings, folder)
    rows = bundled(sessions.rows.values(), mark.name, sessions.study.part)
    registry = settings.registry(results, "run_session", settings.used)
    with stopping_with(results):
        keep_configuration(stage.config, folder)
        failures = sessions.run_bundle(rows, registry, stage.resources["at_once"], mark.name)
    transcripts = {
        row["session_id"]: paths_in(folder, row["session_id"]).transcript for row in rows
    }
    failed = [escaping.line(ended(name, failure)) for name, failure in sorted(failures.items())]
    text = note(transcripts) + "".join(f"{line}\n" for line in failed)
    mark.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
