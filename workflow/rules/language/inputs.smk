# What the language study's rules read: sessions, their bundles and shards, by the manifest.

import os
from contextlib import suppress
from functools import lru_cache

from dissensus.debate.jobs import bundled, bundles, shards
from dissensus.language.design.manifest import read_manifest
from dissensus.language.protocol import Prompts
from dissensus.language.sessions import ARTEFACTS, Sessions, hold_in, spec_in


@lru_cache
def manifest_at(path, _changed):
    """The manifest's rows by session, the sessions, and their rows by shard: once for every state."""
    rows, sessions = read_manifest(path), Sessions.read(L, STUDY, MODELS)
    if workflow.is_main_process:
        unheld = sessions.note(rows.values())
        BOARD.expect(len(rows), len(rows) - len(unheld))
    return rows, sessions, shards(rows.values())


def manifest():
    """What there is to hold and to measure; Snakemake draws the manifest first where there is none."""
    checkpoints.draw_manifest.get()
    return manifest_now()


@plainly
def manifest_now():
    """The same, of the manifest that is there."""
    path = L / "manifest.parquet"
    return manifest_at(path, os.stat(path).st_mtime_ns)


# Before Snakemake looks which files there are. A manifest of models, languages or motions that the
# settings do not know is drawn anew.
if (L / "manifest.parquet").exists() and (L / "pool.parquet").exists():
    with suppress(KeyError):
        manifest_now()


def per_job():
    """How many sessions a job may hold."""
    few = len(manifest()[0]) <= FEW_SESSIONS and runs_here()
    return SETTINGS.sessions_per_job or (1 if few else BUNDLE)


def runs_here():
    """Whether this process runs the jobs: it is neither their submitter nor one of them."""
    return workflow.is_main_process and workflow.local_exec


def session_row(session):
    """A session's row of the manifest."""
    rows = manifest()[0]
    if session not in rows:
        first, last = min(rows), max(rows)
        refuse(
            f"{session} is no session of run {SETTINGS.run}, which has {first} to {last}."
        )
    return rows[session]


def session_spec(wildcards):
    """What a session depends on: a file that is written when that changes."""
    return spec_in(L, session_row(wildcards.session)["session_id"])


def bundle_spec(wildcards):
    """The same of a bundle, in one file: Snakemake looks at the inputs of waiting jobs again and again."""
    rows, sessions, _ = manifest()
    return sessions.note_bundle(
        bundled(rows.values(), wildcards.bundle), wildcards.bundle
    )


def previous_session(wildcards):
    """The session of the same draw that comes before this one, for their order in time alone."""
    row = session_row(wildcards.session)
    if row["position"] == 1:
        return []
    before = row["language_order"].split(">")[row["position"] - 2]
    return L / f"held/{row['draw_id']}-{before}"


@plainly
def speakers_by_language():
    """Language to the role that speaks in each turn of its debates."""
    return {
        name: [
            slot["speaker"]
            for slot in Prompts.read(condition.prompts).wording["schedule"]
        ]
        for name, condition in STUDY.languages.items()
    }


def every_session(wildcards):
    """All that sessions leave: named as targets, so that a deleted one is made again."""
    return [file for shard in manifest()[2] for file in sessions_of(shard, ARTEFACTS)]


def shard_sessions(wildcards):
    """What a shard waits for."""
    return sessions_of(wildcards.shard, ("calls", "transcripts"))


def sessions_of(shard, kinds):
    """What a shard's sessions leave, or the marks of the bundles that they are held in."""
    rows = manifest()[2][shard]
    if per_job() > 1:
        return [L / f"bundles/{name}" for name in bundles(rows, per_job())]
    return [L / f"{kind}/{row['session_id']}.parquet" for kind in kinds for row in rows]


def of_shards(kind):
    """One kind of artefact of every shard, as an input."""
    return lambda wildcards: [
        L / f"shards/{name}/{kind}.parquet" for name in manifest()[2]
    ]


def in_flight(wildcards):
    """How many cores a bundle counts for: as many as sessions wait for models at once."""
    return size_of(wildcards.bundle) if WAITS and runs_here() else 1


def together(wildcards, threads):
    """How many sessions a bundle holds at once: on a node of a cluster, all of them."""
    if not WAITS:
        # One computes while the other's replies are on their way to the disk.
        return 2
    return threads if runs_here() else size_of(wildcards.bundle)


@lru_cache
def size_of(bundle):
    """How many sessions a bundle's name stands for."""
    return len(bundled(manifest()[0].values(), bundle))


def hold_logged(session, log):
    """Hold a session; what became of it stands in its log, a failure on the screen too."""
    rows, sessions, _ = manifest_now()
    try:
        failure = hold_in(L, sessions.spec(rows[session]), SWITCHBOARD)
    except DissensusError as error:
        stop(error)
    except OSError as error:
        stop(
            f"{session} could not be written ({error}); mend that and start again: its replies are kept."
        )
    line = f"{session}: " + (f"failed for good, {failure}" if failure else "held")
    Path(log).write_text(f"{line}\n", encoding="utf-8")
    if failure:
        logger.warning(line)
