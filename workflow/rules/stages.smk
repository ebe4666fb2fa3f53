# What each study makes of its sessions: a rule for every stage that it declares (dissensus.study.stages).
#
# in:    results/<run>/<study>/: what the function of a stage has parameters for: its source, manifest, turns, outcomes,
#        what other stages make; shards (turns, outcomes, calls, attempts) where it runs on each, or reads a part
# out:   results/<run>/<study>/: what the functions say that they make
# steps: as the stages are called
# A study's own rules.smk has the rest: pages of its own, and what is made of one session that is named.

from dissensus.study.stages import inputs_of, outputs_of, settings_of, signature_of

RUN_STAGE = workflow.current_basedir.join(
    "../scripts/study/run_stage.py"
).get_path_or_uri(secret_free=True)


# What stages are made of: a function says what it makes of which files (dissensus.study.makes), and
# each study's own file of rules names it. The first runs where the study is, the other on a node.
# Each gets a log of its own, called like its rule (dissensus.run.rules.name_logs). The rules that use them may stand in
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


STAGES = {
    name: list(
        study.stages(
            {model: each.model_dump() for model, each in SETTINGS.models.items()}
        )
    )
    for name, study in STUDIES.items()
}


def stage_inputs(study, stage):
    """Parameter -> what the rule of a stage reads."""
    folder, source = RESULTS / study, STUDIES[study].source
    found = inputs_of(stage, STAGES[study], (source.artefact, *source.also))
    return {name: stage_input(study, folder, each) for name, each in found.items()}


def stage_input(study, folder, each):
    if each.kind == "given":
        return each.file or list(each.files)
    if each.kind == "looks":
        return looks_of(study)
    if each.kind == "shards":
        return of_shards(study, each.file, part=each.part)
    if each.kind == "shard":
        return folder / f"shards/{{shard}}/{each.file}.parquet"
    return ancient(folder / each.file) if each.lasting else folder / each.file


def stage_outputs(study, stage):
    """Output -> its file."""
    place = RESULTS / study / ("shards/{shard}" if stage.each_shard else "")
    return {name: place / file for name, file in outputs_of(stage).items()}


def stage_targets(study):
    """All that a study's stages make, of every shard where they run on each."""
    for stage in STAGES[study]:
        for file in stage_outputs(study, stage).values():
            yield of_shards(study, file.stem) if stage.each_shard else file


def stage_rule(study, stage):
    """The name of a stage's rule; with the study's where another study has one of that name."""
    return f"{study}_{stage.rule}" if rules.has(stage.rule) else stage.rule


def stays_here(study, stage):
    """Whether a stage runs where Snakemake does: embedders of an address are asked where sessions are."""
    asks = signature_of(stage.function).embeds and not all(
        is_own(name) for _, name in STUDIES[study].embedders()
    )
    return not stage.on_node or (ON_LOGIN_NODE and asks)


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
