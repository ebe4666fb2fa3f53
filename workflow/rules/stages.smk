# What each study makes of its sessions: a rule for every stage that it declares (dissensus.study.stages).
#
# in:    results/<run>/<study>/: what the function of a stage has parameters for: its source, manifest, turns, outcomes,
#        what other stages make; shards (turns, outcomes, calls, attempts) where it runs on each, or reads a part
# out:   results/<run>/<study>/: what the functions say that they make; of any session, what each_session makes
# steps: as the stages are called
# A study's own rules.smk has what no stage can say; none of those that dissensus comes with has one.


include: "stage_functions.smk"


RUN_STAGE = workflow.current_basedir.join(
    "../scripts/study/run_stage.py"
).get_path_or_uri(secret_free=True)


# What other rules share: a function says what it makes of which files (dissensus.study.makes), and runs where Snakemake
# does. Each gets a log of its own, called like its rule (dissensus.run.rules.name_logs). The rules that use it may stand
# in any folder, so that the script is named by its whole path.
rule local_stage:
    log:
        STAGE_LOG,
    localrule: True
    conda:
        ENVIRONMENT
    message:
        "What the rules of short stages share; no target"
    script:
        RUN_STAGE


for NAME, STUDY in STUDIES.items():
    for STAGE in STAGES[NAME]:
        RULE = stage_rule(NAME, STAGE)
        READ = stage_inputs(NAME, STAGE)
        GATHERED = (
            {"shards": shards_of(NAME)}
            if any(map(callable, READ.values())) and not STAGE.each_session
            else {}
        )
        IS_LARGE = STAGE.on_node and STAGE.each_shard

        rule:
            name:
                RULE
            input:
                stage_files(STUDY, STAGE),
                **READ,
            output:
                **stage_made(NAME, STAGE),
            log:
                RESULTS / NAME / "logs" / STAGE.log(RULE),
            priority: AFTER_A_SHARD if STAGE.each_shard else 0
            localrule: stays_here(NAME, STAGE)
            conda:
                ENVIRONMENT
            resources:
                **({"mem_mb": 2000, "runtime": 120} if IS_LARGE else {}),
            params:
                **GATHERED,
                functions=[STAGE.function, *STAGE.also],
                settings=stage_told(NAME, STAGE),
            message:
                STAGE.message
            script:
                "../scripts/study/run_stage.py"
