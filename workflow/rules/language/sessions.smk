# From the motion pool to a transcript of every session, and all of them in one table.


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
    localrule: True
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
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("language.design.manifest", **DRAWING),
    message:
        "Draw the manifest of {STUDY.draws} draws"
    script:
        "../../scripts/language/draw_manifest.py"


rule hold_session:
    input:
        manifest=ancient(L / "manifest.parquet"),
        spec=session_spec,
        previous=ancient(previous_session),
    output:
        attempts=L / "sessions/{session}.parquet",
        calls=L / "calls/{session}.parquet",
        transcript=L / "transcripts/{session}.parquet",
        # What the draw's next session waits for: a deleted transcript must not run that one again.
        held=L / "held/{session}",
    log:
        L / "logs/hold_session/{session}.log",
    localrule: HELD_HERE
    message:
        "Hold session {wildcards.session}"
    run:
        hold_logged(wildcards.session, log[0])


# The same for many sessions, by a process of its own, where a job for each would cost too much.
# Each leaves the same artefacts; the bundle's own output is the mark that all of them are there.
rule hold_bundle:
    input:
        manifest=ancient(L / "manifest.parquet"),
        pool=ancient(L / "pool.parquet"),
        spec=bundle_spec,
    output:
        held=L / "bundles/{bundle}",
    log:
        L / "logs/hold_bundle/{bundle}.log",
    localrule: HELD_HERE
    conda:
        ENVIRONMENT
    threads: in_flight
    resources:
        together=together,
        mem_mb=1000,
        runtime=240,
    params:
        stage=stage("debate.jobs"),
    message:
        "Hold the sessions of draws {wildcards.bundle}"
    script:
        "../../scripts/language/hold_bundle.py"


# Opens the small files of its sessions once, for all that comes after.
rule gather_shard:
    input:
        shard_sessions,
        manifest=ancient(L / "manifest.parquet"),
    output:
        turns=L / "shards/{shard}/turns.parquet",
        outcomes=L / "shards/{shard}/outcomes.parquet",
        calls=L / "shards/{shard}/calls.parquet",
    log:
        L / "logs/gather_shard/{shard}.log",
    priority: 1
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("language.gather", "debate.jobs"),
    message:
        "Gather the sessions of shard {wildcards.shard}"
    script:
        "../../scripts/language/gather_shard.py"


rule gather_turns:
    input:
        turns=of_shards("turns"),
        outcomes=of_shards("outcomes"),
    output:
        turns=L / "turns.parquet",
        outcomes=L / "outcomes.parquet",
    log:
        L / "logs/gather_turns.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("language.gather"),
    message:
        "Gather the turns of every session"
    script:
        "../../scripts/language/gather_turns.py"


# Makes no file, so that it answers whenever it is asked.
rule plan:
    input:
        manifest=L / "manifest.parquet",
    log:
        L / "logs/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.design.plan",
            turns=speakers_by_language(),
            repairs=STUDY.protocol.repairs,
            session_attempts=STUDY.protocol.session_attempts,
        ),
    message:
        "What the manifest comes to"
    script:
        "../../scripts/language/plan.py"
