# What the rules of stages are made of: the files and the settings of each stage that a study declares (stages.smk).

from dissensus.study.stages import inputs_of, outputs_of, settings_of, signature_of
from dissensus.text.embeddings import is_own

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
    if each.kind == "caption":
        return caption_of(SETTINGS, study, each.file)
    if each.kind == "session":
        return manifest_with_session(study)
    if each.kind == "shards":
        return of_shards(study, each.file, part=each.part)
    if each.kind == "shard":
        return folder / f"shards/{{shard}}/{each.file}.parquet"
    return ancient(folder / each.file) if each.lasting else folder / each.file


def stage_outputs(study, stage):
    """Output -> its file."""
    place = RESULTS / study / ("shards/{shard}" if stage.each_shard else "")
    return {name: place / file for name, file in outputs_of(stage).items()}


def stage_made(study, stage):
    """The same, with what the report says of a page."""
    files = stage_outputs(study, stage)
    if page := stage.page:
        files[page.output] = report(
            files[page.output],
            caption=captions(study) / f"{stage.caption}.rst",
            category=f"{OF_PANEL}{study}",
            subcategory=page.section,
            labels={"result": page.title},
        )
    return files


def stage_told(study, stage):
    """The settings of a stage; of one that makes something of a session, with its name."""
    declared = STUDIES[study]
    told = settings_of(declared.settings, stage, SETTINGS.seed)
    if "view" in signature_of(stage.function).parameters:
        told["view"] = given(**view_settings(declared))
    if stage.each_session:
        return lambda wildcards: {**told, "session": wildcards.session}
    return told


def stage_targets(study):
    """All that a study's stages make: of every shard where they run on each, of the first session of a kind."""
    for stage in STAGES[study]:
        if stage.each_session:
            if stage.first:
                yield of_first(study, stage.first, *outputs_of(stage).values())
            continue
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
