# What every study goes through: each rule stands here once.
#
# in:    the files and settings that a study declares (src/dissensus/<study>/study.py)
# out:   results/<run>/<study>/: its source (pool, questions, topics), manifest, transcripts, shards (turns, outcomes,
#        calls, attempts), turns, outcomes, spending, conduct, tables, figures, captions
# steps: collect, draw the manifest; run_sessions (run_session where one is named); gather_turns;
#        (the study's own measures and estimates); plot, tabulate; gather_spending,
#        compare_conduct; diagnose

from dissensus.digests import code_digest
from dissensus.plan.priced import price_settings, priced_files
from dissensus.run.rules import caption_of
from dissensus.shipped import home, named_file
from dissensus.study.given import (
    diagnosis_settings,
    has_diagnosis,
    stage_files,
    stage_settings,
    judging_note,
    table_settings,
    view_settings,
)

STAGE_LOG = RESULTS / "logs/stage.log"
SPENDING_TABLES = [
    *("table_spending", "table_arm_spending", "table_models", "table_arm_conduct")
]


wildcard_constraints:
    study="|".join(STUDIES),
    session="[A-Za-z0-9_.-]+",
    shard=r"\d+",
    block=r"\d+",


for NAME, STUDY in STUDIES.items():
    FOLDER = RESULTS / NAME

    rule:
        name:
            f"collect_{NAME}"
        input:
            stage_files(STUDY, STUDY.source),
        output:
            [
                FOLDER / f"{artefact}.parquet"
                for artefact in (STUDY.source.artefact, *STUDY.source.also)
            ],
        log:
            FOLDER / "logs/collect.log",
        priority: BEFORE_SESSIONS
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=[STUDY.source.function],
            settings=stage_settings(STUDY, STUDY.source),
            seed=SETTINGS.seed,
        message:
            f"Collect what the {NAME} study draws from"
        script:
            "../scripts/study/collect.py"

    checkpoint:
        name:
            f"draw_{NAME}_manifest"
        input:
            stage_files(STUDY, STUDY.manifest),
            source=FOLDER / f"{STUDY.source.artefact}.parquet",
        output:
            manifest=FOLDER / "manifest.parquet",
        log:
            FOLDER / "logs/draw_manifest.log",
        priority: BEFORE_SESSIONS
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=[
                STUDY.manifest.function,
                STUDY.manifest.schema,
                STUDY.source.schema,
            ],
            key=STUDY.source.key,
            settings=stage_settings(STUDY, STUDY.manifest),
            seed=SETTINGS.seed,
        message:
            f"Draw the manifest of the {NAME} study"
        script:
            "../scripts/study/draw_manifest.py"

    rule:
        name:
            f"gather_{NAME}_turns"
        input:
            turns=of_shards(NAME, "turns"),
            outcomes=of_shards(NAME, "outcomes"),
            looks=looks_of(NAME),
            manifest=ancient(FOLDER / "manifest.parquet"),
        output:
            **tables(FOLDER, "turns", "outcomes"),
        log:
            FOLDER / "logs/gather_turns.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=["dissensus.study.gather:gather_turns", STUDY.manifest.schema],
            settings={"ids": list(STUDY.ids), "schema": STUDY.manifest.schema},
            shards=shards_of(NAME),
        message:
            f"Gather the turns of all sessions of the {NAME} study"
        script:
            "../scripts/study/run_stage.py"

    if STUDY.figures:

        rule:
            name:
                f"plot_{NAME}"
            input:
                **{
                    name: FOLDER / f"{name}.parquet"
                    for figure in STUDY.figures
                    for name in figure.reads
                },
                captions=[
                    caption_of(SETTINGS, NAME, figure.name) for figure in STUDY.figures
                ],
            output:
                svg=[
                    report(
                        FOLDER / f"figures/{figure.name}.svg",
                        caption=captions(NAME) / f"{figure.name}.rst",
                        category=f"{OF_PANEL}{NAME}",
                        subcategory=figure.section,
                        labels={"result": figure.title},
                    )
                    for figure in STUDY.figures
                ],
                png=[FOLDER / f"figures/{figure.name}.png" for figure in STUDY.figures],
                caption=[
                    FOLDER / f"captions/{figure.name}.rst" for figure in STUDY.figures
                ],
                marks=FOLDER / "figure_marks.parquet",
                facts=FOLDER / "figure_facts.parquet",
            log:
                FOLDER / "logs/plot.log",
            localrule: True
            conda:
                ENVIRONMENT
            params:
                functions=[figure.maker for figure in STUDY.figures],
                settings={
                    **view_settings(STUDY),
                    "titles": [figure.title for figure in STUDY.figures],
                },
            message:
                f"Draw the figures of the {NAME} study"
            script:
                "../scripts/study/plot.py"

    if STUDY.tables:

        rule:
            name:
                f"tabulate_{NAME}"
            input:
                **{
                    name: FOLDER / f"{name}.parquet"
                    for table in STUDY.tables
                    for name in table.reads
                },
                caption=caption_of(SETTINGS, NAME),
            output:
                csv=[FOLDER / f"tables/{table.name}.csv" for table in STUDY.tables],
                markdown=[FOLDER / f"tables/{table.name}.md" for table in STUDY.tables],
                latex=[
                    FOLDER / f"tables/{table.name}.tex"
                    for table in STUDY.tables
                    if table.main
                ],
                page=report(
                    FOLDER / "tables/index.html",
                    caption=captions(NAME) / "tables.rst",
                    category=f"{OF_PANEL}{NAME}",
                    subcategory=STUDY.tables[0].section,
                    labels={"result": STUDY.tables[0].title},
                ),
                caption=FOLDER / "captions/tables.rst",
            log:
                FOLDER / "logs/tabulate.log",
            localrule: True
            conda:
                ENVIRONMENT
            params:
                functions=[table.maker for table in STUDY.tables],
                settings=table_settings(SETTINGS, STUDY),
            message:
                f"Write the tables of the {NAME} study"
            script:
                "../scripts/study/tabulate.py"

    rule:
        name:
            f"gather_{NAME}_spending"
        input:
            manifest=FOLDER / "manifest.parquet",
            calls=of_shards(NAME, "calls"),
            embedding_calls=embedding_calls_of(NAME),
        output:
            **tables(FOLDER, "spending", "conduct"),
        log:
            FOLDER / "logs/gather_spending.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=["dissensus.run.spending:gather_spending"],
            shards=shards_of(NAME),
        message:
            f"Add up what the {NAME} study has spent"
        script:
            "../scripts/study/run_stage.py"

    rule:
        name:
            f"compare_{NAME}_conduct"
        input:
            manifest=FOLDER / "manifest.parquet",
            turns=of_shards(NAME, "turns"),
            outcomes=of_shards(NAME, "outcomes"),
            source=FOLDER / f"{STUDY.source.artefact}.parquet",
        output:
            **tables(FOLDER, "arm_conduct"),
        log:
            FOLDER / "logs/compare_conduct.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=["dissensus.run.arm_conduct:compare_conduct"],
            settings={
                "arm": STUDY.arm,
                "cluster": STUDY.cluster or STUDY.source.key,
                "key": STUDY.source.key,
                "seed": SETTINGS.seed,
            },
        message:
            f"Compare what was lost and asked again in the arms of the {NAME} study"
        script:
            "../scripts/study/run_stage.py"

    rule:
        name:
            f"tabulate_{NAME}_spending"
        input:
            **priced_files(SETTINGS, NAME, FOLDER),
            **tables(FOLDER, "spending", "conduct", "arm_conduct"),
            caption=named_file(home() / "workflow/report/spending.rst"),
        output:
            csv=expand(FOLDER / "tables/{name}.csv", name=SPENDING_TABLES),
            markdown=expand(FOLDER / "tables/{name}.md", name=SPENDING_TABLES),
            page=report(
                FOLDER / "tables/spending.html",
                caption=captions(NAME) / "spending.rst",
                category=f"{OF_PANEL}{NAME}",
                subcategory="9 Conduct and cost",
                labels={"result": "What the study has spent, and its models"},
            ),
            caption=FOLDER / "captions/spending.rst",
        log:
            FOLDER / "logs/tabulate_spending.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=[type(STUDY).__module__],
            settings={
                **price_settings(SETTINGS, NAME),
                "marked": judging_note(SETTINGS, STUDY),
            },
        message:
            f"Write the {NAME} study's tables of conduct and cost"
        script:
            "../scripts/study/tabulate_spending.py"

    if has_diagnosis(SETTINGS, STUDY):

        # A target of its own: hundreds of simulated studies (snakemake diagnosis).
        rule:
            name:
                f"diagnose_{NAME}"
            input:
                stage_files(STUDY, STUDY.diagnosis),
                source=FOLDER / f"{STUDY.source.artefact}.parquet",
            output:
                diagnosis=FOLDER / "design_diagnosis.parquet",
                csv=FOLDER / "tables/table_diagnosis.csv",
                markdown=FOLDER / "tables/table_diagnosis.md",
                # Of several numbers of items.
                figure=[
                    FOLDER / f"figures/power_over_items.{ending}"
                    for ending in ["svg", "png"] * STUDY.diagnosis.models
                ],
            log:
                FOLDER / "logs/diagnose.log",
            conda:
                ENVIRONMENT
            threads: 2
            params:
                functions=[STUDY.diagnosis.function, STUDY.source.schema],
                key=STUDY.source.key,
                settings=diagnosis_settings(SETTINGS, STUDY),
                seed=SETTINGS.seed,
            message:
                f"Run planted effects through the design and the estimators of the {NAME} study"
            script:
                "../scripts/study/diagnose.py"


# One way for sessions: a job runs a list of them, each after those that it waits for, and each with a journal and a
# transcript of its own. What is complete is not run again.
rule run_sessions:
    input:
        shard_inputs,
        manifest=ancient(RESULTS / "{study}/manifest.parquet"),
        source=ancient(source_of),
    output:
        **tables(
            RESULTS / "{study}/shards/{shard}",
            *("turns", "outcomes", "calls", "attempts"),
        ),
        sessions=RESULTS / "{study}/shards/{shard}/sessions",
    log:
        RESULTS / "{study}/logs/run_sessions/{shard}.log",
    priority: shard_priority
    localrule: ON_LOGIN_NODE
    conda:
        ENVIRONMENT
    threads: shard_cores
    resources:
        at_once=shard_at_once,
        in_flight=in_flight,
        mem_mb=1000,
        runtime=240,
    params:
        # What a session depends on, its own digest says; what is gathered depends on this code.
        code=code_digest("dissensus.study.gather", "dissensus.study.session_tables"),
        functions=manifest_schema,
        settings=shard_settings,
    message:
        "Run the sessions of shard {wildcards.shard} of the {wildcards.study} study"
    script:
        "../scripts/study/run_sessions.py"


# The same for a session that is named, with those that it reads or follows.
use rule run_sessions as run_session with:
    input:
        session_inputs,
        manifest=ancient(RESULTS / "{study}/manifest.parquet"),
        source=ancient(source_of),
    output:
        RESULTS / "{study}/transcripts/{session}.parquet",
        RESULTS / "{study}/sessions/{session}.parquet",
        RESULTS / "{study}/calls/{session}.parquet",
    log:
        RESULTS / "{study}/logs/run_session/{session}.log",
    priority: BEFORE_SESSIONS
    threads: 1
    resources:
        at_once=AT_ONCE,
        in_flight=in_flight,
        mem_mb=1000,
        runtime=240,
    params:
        code=None,
        functions=[],
        settings={},
    message:
        "Run session {wildcards.session}"
