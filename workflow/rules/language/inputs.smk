# What the language study's rules read: sessions by the manifest, blocks of them, and their specifications.

import os
from functools import lru_cache

from dissensus.debate.record import SessionPaths
from dissensus.language.design.manifest import read_manifest
from dissensus.language.design.pool import read_pool
from dissensus.language.protocol import Prompts
from dissensus.language.session import hold, specify
from dissensus.talk.providers import identity


@lru_cache
def manifest_at(path, _changed):
    """Sessions by id and motions by id, read once for every state of the manifest."""
    return read_manifest(path), read_pool(L / "pool.parquet")


@plainly
def manifest():
    """The manifest; Snakemake draws it first where there is none."""
    path = checkpoints.draw_manifest.get().output.manifest
    return manifest_at(path, os.stat(path).st_mtime_ns)


def session_row(session):
    """A session's row of the manifest."""
    sessions, _ = manifest()
    if session not in sessions:
        first, last = min(sessions), max(sessions)
        refuse(
            f"{session} is no session of run {SETTINGS.run}, which has {first} to {last}."
        )
    return sessions[session]


@lru_cache
def identities():
    """Panel model to the digest of what its replies depend on."""
    return {name: identity(name, MODELS[name]) for name in STUDY.panel}


@plainly
def session_spec(wildcards):
    """Everything that a session depends on."""
    row, motions = session_row(wildcards.session), manifest()[1]
    return specify(row, motions, STUDY, identities())


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


def all_transcripts(wildcards):
    return [L / f"transcripts/{session}.parquet" for session in manifest()[0]]


def every_block(wildcards):
    """All that the measuring stages leave by block, for the same reason as every session's."""
    return [
        L / f"{kind}/{block}.parquet"
        for kind in ("embeddings", "embedding_calls", "components", "reuse")
        for block in blocks()
    ]


def every_session(wildcards):
    """All that sessions leave: named as targets, so that a deleted one is made again."""
    return [
        L / f"{kind}/{session}.parquet"
        for kind in ("sessions", "calls", "transcripts")
        for session in manifest()[0]
    ]


def hold_logged(session, spec, output, log):
    """Hold a session; what became of it stands in its log, a failure on the screen too."""
    paths = SessionPaths(
        Path(output.attempts), Path(output.transcript), Path(output.calls)
    )
    try:
        failure = hold(spec, SWITCHBOARD, L / f"journal/{session}.jsonl", paths)
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


def blocks():
    """The temporal blocks, which are also the shards of the measuring stages."""
    return sorted({row["block"] for row in manifest()[0].values()})


def block_transcripts(wildcards):
    return [
        L / f"transcripts/{session}.parquet"
        for session, row in manifest()[0].items()
        if row["block"] == int(wildcards.block)
    ]


def all_components(wildcards):
    return [L / f"components/{block}.parquet" for block in blocks()]


def all_reuse(wildcards):
    return [L / f"reuse/{block}.parquet" for block in blocks()]
