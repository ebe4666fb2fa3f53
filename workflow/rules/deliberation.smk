# The deliberation study: what becomes of disagreement where nobody is told whom to answer.
#
# in:    resources/topics, resources/prompts/deliberation, the settings under `deliberation`
# out:   results/<run>/deliberation/: topics, manifest, sessions, transcripts, calls, turns, claims,
#        engagements, stances, judgements, rounds, metrics, influence, pairs, contrasts, tables, figures
# steps: collect_topics, draw_deliberation_manifest; (sessions.smk); reconstruct_debates,
#        measure_deliberation; estimate_arms; plot_deliberation, plot_graph, tabulate_deliberation

from dissensus.deliberation import figures as deliberation_figures

D = RESULTS / "deliberation"
DELIBERATION = SETTINGS.deliberation
DELIBERATION_VIEW = {
    "study": "deliberation",
    "reference": DELIBERATION.reference,
    "confidence": DELIBERATION.inference.confidence,
    "arms": DELIBERATION.arms,
    "target": DELIBERATION.control.target,
}
DELIBERATION_FIGURES = {figure.name: figure for figure in deliberation_figures.FIGURES}


rule collect_topics:
    input:
        topics=DELIBERATION.topics,
    output:
        topics=D / "topics.parquet",
    log:
        D / "logs/collect_topics.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("deliberation.design.topics"),
    message:
        "Collect the topics"
    script:
        "../scripts/deliberation/collect_topics.py"


checkpoint draw_deliberation_manifest:
    input:
        topics=rules.collect_topics.output.topics,
    output:
        manifest=D / "manifest.parquet",
    log:
        D / "logs/draw_deliberation_manifest.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "deliberation.design.manifest",
            seed=SETTINGS.seed,
            draws=DELIBERATION.draws,
            block_size=DELIBERATION.block_size,
            rounds=DELIBERATION.rounds,
            panel=DELIBERATION.panel,
            judges=DELIBERATION.judges,
            arms=list(DELIBERATION.arms),
        ),
    message:
        "Draw the manifest of {DELIBERATION.draws} draws in {DELIBERATION.reference} and other arms"
    script:
        "../scripts/deliberation/draw_deliberation_manifest.py"


rule reconstruct_debates:
    input:
        turns=D / "turns.parquet",
        manifest=D / "manifest.parquet",
        topics=D / "topics.parquet",
    output:
        claims=D / "claims.parquet",
        engagements=D / "engagements.parquet",
        stances=D / "stances.parquet",
        judgements=D / "judgements.parquet",
    log:
        D / "logs/reconstruct_debates.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage("deliberation.measures.reconstruct"),
    message:
        "Rebuild every debate's graph from its references"
    script:
        "../scripts/deliberation/reconstruct_debates.py"


rule measure_deliberation:
    input:
        claims=D / "claims.parquet",
        engagements=D / "engagements.parquet",
        stances=D / "stances.parquet",
        judgements=D / "judgements.parquet",
        manifest=D / "manifest.parquet",
        topics=D / "topics.parquet",
        outcomes=D / "outcomes.parquet",
        turns=D / "turns.parquet",
    output:
        rounds=D / "rounds.parquet",
        metrics=D / "metrics.parquet",
        influence=D / "influence.parquet",
        pairs=D / "pairs.parquet",
    log:
        D / "logs/measure_deliberation.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "deliberation.measures.rounds",
            "deliberation.measures.sessions",
            "deliberation.measures.pairs",
            "deliberation.measures.influence",
            measures=DELIBERATION.measures,
            control=DELIBERATION.control,
            arms=DELIBERATION.arms,
            rounds=DELIBERATION.rounds,
            resamples=DELIBERATION.inference.resamples,
            seed=SETTINGS.seed,
        ),
    message:
        "Measure disagreement, influence and silence in every session"
    script:
        "../scripts/deliberation/measure_deliberation.py"


rule estimate_arms:
    input:
        metrics=D / "metrics.parquet",
        manifest=D / "manifest.parquet",
    output:
        contrasts=D / "contrasts.parquet",
    log:
        D / "logs/estimate_arms.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "deliberation.inference.contrasts",
            reference=DELIBERATION.reference,
            confidence=DELIBERATION.inference.confidence,
            flips=DELIBERATION.inference.flips,
            seed=SETTINGS.seed,
        ),
    message:
        "Compare the arms with {DELIBERATION.reference}"
    script:
        "../scripts/deliberation/estimate_arms.py"


for _figure in DELIBERATION_FIGURES.values():

    rule:
        name:
            f"plot_deliberation_{_figure.name}"
        input:
            [D / f"{name}.parquet" for name in _figure.reads],
            caption=f"workflow/report/deliberation_{_figure.name}.rst",
        output:
            svg=report(
                D / f"figures/{_figure.name}.svg",
                caption=captions("deliberation") / f"{_figure.name}.rst",
                category="deliberation",
                subcategory=_figure.section,
                labels={"result": _figure.title},
            ),
            png=D / f"figures/{_figure.name}.png",
            caption=D / f"captions/{_figure.name}.rst",
        log:
            D / f"logs/plot_deliberation_{_figure.name}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            stage=stage(
                _figure.maker.partition(":")[0].removeprefix("dissensus."),
                "report.captions",
                **DELIBERATION_VIEW,
            ),
        message:
            "Draw {output.svg}"
        script:
            "../scripts/study/plot.py"


# Any session's: snakemake results/<run>/deliberation/graphs/t003-full.svg
rule plot_graph:
    input:
        claims=D / "claims.parquet",
        engagements=D / "engagements.parquet",
        stances=D / "stances.parquet",
        manifest=graphed_manifest,
        topics=D / "topics.parquet",
    output:
        svg=D / "graphs/{session}.svg",
    log:
        D / "logs/plot_graph/{session}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("deliberation.figures.graph"),
    message:
        "Draw the debate graph of session {wildcards.session}"
    script:
        "../scripts/deliberation/plot_graph.py"


rule tabulate_deliberation:
    input:
        metrics=D / "metrics.parquet",
        rounds=D / "rounds.parquet",
        contrasts=D / "contrasts.parquet",
        pairs=D / "pairs.parquet",
        influence=D / "influence.parquet",
        outcomes=D / "outcomes.parquet",
        manifest=D / "manifest.parquet",
        caption="workflow/report/deliberation_tables.rst",
    output:
        csv=expand(D / "tables/{name}.csv", name=[table.name for table in deliberation_figures.TABLES]),
        markdown=expand(D / "tables/{name}.md", name=[table.name for table in deliberation_figures.TABLES]),
        page=report(
            D / "tables/index.html",
            caption=captions("deliberation") / "tables.rst",
            category="deliberation",
            subcategory="2 Tables",
            labels={"result": "Arms, contrasts, references, influence and control"},
        ),
        caption=D / "captions/tables.rst",
    log:
        D / "logs/tabulate_deliberation.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "deliberation.figures.arm_tables",
            "deliberation.figures.contrast_tables",
            "deliberation.figures.debate_tables",
            "report.captions",
            **DELIBERATION_VIEW,
        ),
    message:
        "Write the tables of the deliberation study"
    script:
        "../scripts/study/tabulate.py"


# A target of its own: hundreds of simulated studies (snakemake diagnosis).
rule diagnose_deliberation:
    input:
        topics=D / "topics.parquet",
    output:
        diagnosis=D / "design_diagnosis.parquet",
        csv=D / "tables/table_diagnosis.csv",
        markdown=D / "tables/table_diagnosis.md",
    log:
        D / "logs/diagnose_deliberation.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "deliberation.inference.diagnosis",
            "deliberation.figures.diagnosis",
            draws=DELIBERATION.draws,
            arms=list(DELIBERATION.arms),
            reference=DELIBERATION.reference,
            diagnosis=DELIBERATION.diagnosis,
            confidence=DELIBERATION.inference.confidence,
            seed=SETTINGS.seed,
        ),
    message:
        "Run planted effects through the estimators of the deliberation study"
    script:
        "../scripts/deliberation/diagnose_deliberation.py"


rule deliberation:
    input:
        every_session("deliberation"),
        D / "turns.parquet",
        of_shards("calls", "deliberation"),
        rules.reconstruct_debates.output,
        rules.measure_deliberation.output,
        rules.estimate_arms.output,
        expand(D / "figures/{name}.{end}", name=DELIBERATION_FIGURES, end=["svg", "png"]),
        rules.tabulate_deliberation.output,
        money_of("deliberation"),
