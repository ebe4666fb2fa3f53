"""Run what is pending of a shard's sessions, and gather them all; or a session that is named."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dissensus.report.escaping import complain
from dissensus.run.kept import keep_configuration, keep_files
from dissensus.run.shutdown import stopping_with
from dissensus.run.stage import Stage, run
from dissensus.session.progress import PROGRESS_COUNTS
from dissensus.session.record import SessionRows
from dissensus.study.completion import note, transcript_in
from dissensus.study.gather import GATHERED_CALLS, Gathered, gather, outcomes_schema, turns_schema
from dissensus.study.kind import Row
from dissensus.study.session_tables import TRIED
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import write

#: Lost sessions that a job names.
_NAMED = 20


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings, folder = stage.configuration, Path(inputs.manifest).parent
    results, named = folder.parent, stage.wildcards.get("session", "")
    home = settings.home(results)
    PROGRESS_COUNTS.begin(home / ".progress")
    sessions = Sessions.read(settings, folder)
    if named:
        rows = sessions.leading_to(sessions.rows[named])
    else:
        rows = sessions.shards[stage.wildcards["shard"]]
        if sessions.looks.is_over_before(rows[0]["block"]):
            rows = []
    registry = settings.registry(results, "run_session", settings.used)
    with stopping_with(home):
        keep_configuration(stage.config, folder)
        keep_files(sessions.study, folder)
        at_once, in_flight = stage.resources["at_once"], stage.resources["in_flight"]
        left = sessions.run_all(rows, registry, at_once, in_flight, named)
        # No call is made here, but a journal may lack a reply.
        gathered = None if named else gather(sessions.left_by(rows, left, registry))
    complain_of_lost(left)
    if gathered:
        write_shard(outputs, sessions, rows, gathered, stage.provenance)


def complain_of_lost(left: Mapping[str, SessionRows]) -> None:
    """Say on the terminal which sessions failed for good, while the run goes on."""
    lost = {name: rows.outcome["failure"] for name, rows in left.items() if rows.outcome["failure"]}
    for name in sorted(lost)[:_NAMED]:
        complain(f"{name}: failed for good, {lost[name]}")
    if len(lost) > _NAMED:
        complain(f"{len(lost) - _NAMED:,} more sessions failed for good.")


def write_shard(
    outputs: Any,
    sessions: Sessions,
    rows: Iterable[Row],
    gathered: Gathered,
    provenance: dict[str, Any],
) -> None:
    """Write what a shard's sessions left, and last what it notes of their transcripts."""
    ids, names = sessions.study.ids, [row["session_id"] for row in rows]
    write(outputs.turns, turns_schema(ids), gathered.turns, provenance)
    write(outputs.outcomes, outcomes_schema(ids), gathered.outcomes, provenance)
    write(outputs.calls, GATHERED_CALLS, gathered.calls, provenance)
    write(outputs.attempts, TRIED, gathered.attempts, provenance)
    notes = note({name: transcript_in(sessions.folder, name) for name in names})
    Path(outputs.sessions).write_text(notes, encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
