# What each study makes of its sessions: a rule for every stage that it declares (dissensus.study.stages).
#
# in:    results/<run>/<study>/: what the function of a stage has parameters for: its source, manifest, turns, outcomes,
#        what other stages make; shards (turns, outcomes, calls, attempts) where it runs on each, or reads a part
# out:   results/<run>/<study>/: what the functions say that they make
# steps: as the stages are called
# A study's own rules.smk has the rest: pages of its own, and what is made of one session that is named.

from dissensus.study.stages import settings_of

RUN_STAGE = workflow.current_basedir.join(
    "../scripts/study/run_stage.py"
).get_path_or_uri(secret_free=True)


# What the rules of a study's own rules.smk share: a function says what it makes of which files
# (dissensus.study.makes). The first runs where Snakemake does, the other on a node. Each gets a log of its own, called like its rule (dissensus.run.rules.name_logs). The rules that use them may stand in
# any folder, so that the script is named by its whole path.
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


rule stage:
    log:
        STAGE_LOG,
    conda:
        ENVIRONMENT
    message:
        "What the rules of long stages share; no target"
    script:
        RUN_STAGE


for NAME, STUDY in STUDIES.items():
    for STAGE in STAGES[NAME]:
        RULE = stage_rule(NAME, STAGE)
        READ = stage_inputs(NAME, STAGE)
        LOG = f"{RULE}/{{shard}}.log" if STAGE.each_shard else f"{RULE}.log"
        GATHERED = (
            {"shards": shards_of(NAME)} if any(map(callable, READ.values())) else {}
        )
        IS_LARGE = STAGE.on_node and STAGE.each_shard

        rule:
            name:
                RULE
            input:
                stage_files(STUDY, STAGE),
                **READ,
            output:
                **stage_outputs(NAME, STAGE),
            log:
                RESULTS / NAME / "logs" / LOG,
            priority: AFTER_A_SHARD if STAGE.each_shard else 0
            localrule: stays_here(NAME, STAGE)
            conda:
                ENVIRONMENT
            resources:
                **({"mem_mb": 2000, "runtime": 120} if IS_LARGE else {}),
            params:
                **GATHERED,
                functions=[STAGE.function, *STAGE.also],
                settings=settings_of(STUDY.settings, STAGE, SETTINGS.seed),
            message:
                STAGE.message
            script:
                "../scripts/study/run_stage.py"
