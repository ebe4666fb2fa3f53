"""Run what is pending of a shard's sessions, and gather them all; or a session that is named."""

from pathlib import Path
from typing import Any

from dissensus.session.progress import PROGRESS_COUNTS
from dissensus.session.record import SessionRows
from dissensus.study.completion import note, transcript_in
from dissensus.study.gather import GATHERED_CALLS, gather, outcomes_schema, turns_schema
from dissensus.study.kept import keep_configuration
from dissensus.study.session_tables import TRIED
from dissensus.study.sessions import Sessions
from dissensus.study.shutdown import stopping_with
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings, folder = stage.configuration, Path(inputs.manifest).parent
    results, named = folder.parent, stage.wildcards.get("session", "")
    PROGRESS_COUNTS.begin(results / ".progress")
    sessions = Sessions.read(settings, folder)
    if named:
        rows = sessions.leading_to(sessions.rows[named])
    else:
        rows = sessions.shards[stage.wildcards["shard"]]
    registry = settings.registry(results, "run_session", settings.used)
    with stopping_with(results):
        keep_configuration(stage.config, folder)
        at_once, in_flight = stage.resources["at_once"], stage.resources["in_flight"]
        left = sessions.run_all(rows, registry, at_once, in_flight, named)
    if not named:
        write_shard(outputs, sessions, left, stage.provenance)


def write_shard(
    outputs: Any, sessions: Sessions, left: list[SessionRows], provenance: dict[str, Any]
) -> None:
    """Write what a shard's sessions left, and last what it notes of their transcripts."""
    gathered, ids = gather(left), sessions.study.ids
    write(outputs.turns, turns_schema(ids), gathered.turns, provenance)
    write(outputs.outcomes, outcomes_schema(ids), gathered.outcomes, provenance)
    write(outputs.calls, GATHERED_CALLS, gathered.calls, provenance)
    write(outputs.attempts, TRIED, gathered.attempts, provenance)
    names = [rows.ids["session_id"] for rows in left]
    notes = note({name: transcript_in(sessions.folder, name) for name in names})
    Path(outputs.sessions).write_text(notes, encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
