# What every study's sessions go through: held one by one or in bundles, then put side by side.
#
# in:    results/<run>/<study>/manifest.parquet and the table that the study draws from
# out:   results/<run>/<study>/: sessions, transcripts, calls, held, bundles, shards, turns, outcomes
# steps: run_session or run_bundle, gather_shard, gather_turns


rule run_session:
    input:
        manifest=ancient(RESULTS / "{study}/manifest.parquet"),
        spec=session_spec,
        previous=sessions_before,
    output:
        attempts=RESULTS / "{study}/sessions/{session}.parquet",
        calls=RESULTS / "{study}/calls/{session}.parquet",
        transcript=RESULTS / "{study}/transcripts/{session}.parquet",
        # What the draw's next session waits for: a deleted transcript must not run that one again.
        held=RESULTS / "{study}/held/{session}",
    log:
        RESULTS / "{study}/logs/run_session/{session}.log",
    localrule: RUN_HERE
    message:
        "Hold session {wildcards.session}"
    run:
        run_logged(wildcards.study, wildcards.session, log[0])


# The same for many sessions, by a process of its own, where a job for each would cost too much.
# Each leaves the same artefacts; the bundle's own output is the mark that all of them are there.
rule run_bundle:
    input:
        manifest=ancient(RESULTS / "{study}/manifest.parquet"),
        table=ancient(drawn_from),
        spec=bundle_spec,
        previous=bundles_before,
    output:
        held=RESULTS / "{study}/bundles/{bundle}",
    log:
        RESULTS / "{study}/logs/run_bundle/{bundle}.log",
    localrule: RUN_HERE
    conda:
        ENVIRONMENT
    threads: in_flight
    resources:
        together=together,
        mem_mb=1000,
        runtime=240,
    params:
        stage=stage("study.jobs"),
    message:
        "Hold the sessions of bundle {wildcards.bundle}"
    script:
        "../scripts/study/run_bundle.py"


# Opens the small files of its sessions once, for all that comes after.
rule gather_shard:
    input:
        shard_sessions,
        manifest=ancient(RESULTS / "{study}/manifest.parquet"),
    output:
        turns=RESULTS / "{study}/shards/{shard}/turns.parquet",
        outcomes=RESULTS / "{study}/shards/{shard}/outcomes.parquet",
        calls=RESULTS / "{study}/shards/{shard}/calls.parquet",
    log:
        RESULTS / "{study}/logs/gather_shard/{shard}.log",
    priority: 1
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("study.gather", "study.jobs"),
    message:
        "Gather the sessions of shard {wildcards.shard} of the {wildcards.study} study"
    script:
        "../scripts/study/gather_shard.py"


rule gather_turns:
    input:
        turns=of_shards("turns"),
        outcomes=of_shards("outcomes"),
    output:
        turns=RESULTS / "{study}/turns.parquet",
        outcomes=RESULTS / "{study}/outcomes.parquet",
    log:
        RESULTS / "{study}/logs/gather_turns.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("study.gather"),
    message:
        "Gather the turns of every session of the {wildcards.study} study"
    script:
        "../scripts/study/gather_turns.py"
