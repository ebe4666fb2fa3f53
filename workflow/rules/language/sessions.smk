# From the motion pool to a transcript of every session, and all of them in one table.

from functools import lru_cache

from dissensus.debate.record import SessionPaths
from dissensus.language.design.manifest import read_manifest
from dissensus.language.design.pool import read_pool
from dissensus.language.session import hold, specify


@lru_cache
def manifest_at(path, _changed):
    """Sessions by id and motions by id, read once for every state of the manifest."""
    return read_manifest(path), read_pool(L / "pool.parquet")


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


def session_spec(wildcards):
    """Everything that a session depends on."""
    return specify(session_row(wildcards.session), manifest()[1], STUDY, MODELS)


def previous_session(wildcards):
    """The session of the same draw that comes before this one, for their order in time alone."""
    row = session_row(wildcards.session)
    if row["position"] == 1:
        return []
    before = row["language_order"].split(">")[row["position"] - 2]
    return L / f"held/{row['draw_id']}-{before}"


def all_transcripts(wildcards):
    return [L / f"transcripts/{session}.parquet" for session in manifest()[0]]


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
    failure = hold(spec, MODELS, L / f"journal/{session}.jsonl", paths)
    line = f"{session}: " + (f"failed for good, {failure}" if failure else "held")
    Path(log).write_text(line + "\n", encoding="utf-8")
    if failure:
        logger.warning(line)


rule code_pool:
    input:
        motions=STUDY.pool.motions,
        codebook=STUDY.pool.codebook,
        coder_a=STUDY.pool.coder_a,
        coder_b=STUDY.pool.coder_b,
        adjudication=STUDY.pool.adjudication,
    output:
        pool=L / "pool.parquet",
        reliability=L / "reliability.parquet",
    log:
        L / "logs/code_pool.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.design.reliability",
            pool=STUDY.pool,
            languages=STUDY.languages,
            resamples=STUDY.inference.resamples,
            seed=SETTINGS.seed,
        ),
    message:
        "Code the motion pool"
    script:
        "../../scripts/language/code_pool.py"


checkpoint draw_manifest:
    input:
        pool=rules.code_pool.output.pool,
    output:
        manifest=L / "manifest.parquet",
    log:
        L / "logs/draw_manifest.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.design.manifest",
            seed=SETTINGS.seed,
            draws=STUDY.draws,
            block_size=STUDY.block_size,
            languages=list(STUDY.languages),
            panel=STUDY.panel,
        ),
    message:
        "Draw the manifest of {STUDY.draws} draws"
    script:
        "../../scripts/language/draw_manifest.py"


rule hold_session:
    input:
        manifest=ancient(L / "manifest.parquet"),
        previous=ancient(previous_session),
    output:
        attempts=L / "sessions/{session}.parquet",
        calls=L / "calls/{session}.parquet",
        transcript=L / "transcripts/{session}.parquet",
        # What the draw's next session waits for: a deleted transcript must not run that one again.
        held=touch(L / "held/{session}"),
    log:
        L / "logs/hold_session/{session}.log",
    params:
        spec=session_spec,
    message:
        "Hold session {wildcards.session}"
    run:
        hold_logged(wildcards.session, params.spec, output, log[0])


rule gather_turns:
    input:
        transcripts=all_transcripts,
    output:
        turns=L / "turns.parquet",
        outcomes=L / "outcomes.parquet",
    log:
        L / "logs/gather_turns.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage("language.gather"),
    message:
        "Gather the turns of every session"
    script:
        "../../scripts/language/gather_turns.py"
