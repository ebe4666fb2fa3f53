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
        stage=stage("language.design.manifest", **DRAWING),
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


# Makes no file, so that it answers whenever it is asked.
rule plan:
    input:
        manifest=L / "manifest.parquet",
    log:
        L / "logs/plan.log",
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
