# The identity study: do agents follow an answer because of who gave it, or because of what it is?
#
# in:    resources/questions or other banks, resources/prompts/identity, the settings under `identity`
# out:   results/<run>/identity/: questions, manifest, sessions, transcripts, calls, turns, answers,
#        transitions, metrics, estimates, fits of the debate model, tables, figures
# steps: collect_questions, draw_identity_manifest; (sessions.smk); read_answers; estimate_identity,
#        fit_dcm, test_martingale, compute_identity_power; plot_identity, tabulate_identity

from dissensus.identity import figures as identity_figures

I = RESULTS / "identity"
IDENTITY = SETTINGS.identity
IDENTITY_VIEW = {
    "study": "identity",
    "confidence": IDENTITY.inference.confidence,
    "ibc_noise": IDENTITY.inference.ibc_noise,
    "resamples": IDENTITY.inference.resamples,
}
IDENTITY_FIGURES = {figure.name: figure for figure in identity_figures.FIGURES}


rule collect_questions:
    input:
        [file for path, file in IDENTITY.files().items() if path.startswith("banks.")],
    output:
        questions=I / "questions.parquet",
    log:
        I / "logs/collect_questions.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("identity.design.banks", banks=IDENTITY.banks, seed=SETTINGS.seed),
    message:
        "Collect the questions of all banks"
    script:
        "../scripts/identity/collect_questions.py"


checkpoint draw_identity_manifest:
    input:
        questions=rules.collect_questions.output.questions,
        personas=IDENTITY.personas,
    output:
        manifest=I / "manifest.parquet",
    log:
        I / "logs/draw_identity_manifest.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "identity.design.manifest",
            seed=SETTINGS.seed,
            teams=IDENTITY.teams,
            agents=IDENTITY.agents,
            rounds=IDENTITY.rounds,
            shard=IDENTITY.shard,
        ),
    message:
        "Draw the manifest of the identity study"
    script:
        "../scripts/identity/draw_identity_manifest.py"


rule read_answers:
    input:
        turns=I / "turns.parquet",
        outcomes=I / "outcomes.parquet",
        manifest=I / "manifest.parquet",
        questions=I / "questions.parquet",
    output:
        answers=I / "answers.parquet",
        transitions=I / "transitions.parquet",
        metrics=I / "metrics.parquet",
    log:
        I / "logs/read_answers.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "identity.measures.answers",
            "identity.measures.transitions",
            "identity.measures.metrics",
        ),
    message:
        "Read what every agent answered, and whom it followed"
    script:
        "../scripts/identity/read_answers.py"


rule estimate_identity:
    input:
        metrics=I / "metrics.parquet",
        transitions=I / "transitions.parquet",
        manifest=I / "manifest.parquet",
    output:
        estimates=I / "estimates.parquet",
    log:
        I / "logs/estimate_identity.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "identity.inference.estimates",
            inference=IDENTITY.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Estimate conformity, obstinacy and the Identity Bias Coefficient"
    script:
        "../scripts/identity/estimate_identity.py"


rule fit_dcm:
    input:
        answers=I / "answers.parquet",
        questions=I / "questions.parquet",
        manifest=I / "manifest.parquet",
    output:
        dcm=I / "dcm.parquet",
        tests=I / "dcm_tests.parquet",
    log:
        I / "logs/fit_dcm.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "identity.inference.dcm",
            "identity.inference.goodness",
            "identity.inference.moments",
            inference=IDENTITY.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Fit the Dirichlet compound multinomial model of debate"
    script:
        "../scripts/identity/fit_dcm.py"


rule test_martingale:
    input:
        metrics=I / "metrics.parquet",
    output:
        martingale=I / "martingale.parquet",
    log:
        I / "logs/test_martingale.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "identity.inference.martingale",
            inference=IDENTITY.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Test whether debate changes mean accuracy"
    script:
        "../scripts/identity/test_martingale.py"


rule compute_identity_power:
    input:
        metrics=I / "metrics.parquet",
    output:
        power=I / "power.parquet",
    log:
        I / "logs/compute_identity_power.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("identity.inference.power", inference=IDENTITY.inference),
    message:
        "Compute how many questions an identity bias needs"
    script:
        "../scripts/identity/compute_identity_power.py"


for _figure in IDENTITY_FIGURES.values():

    rule:
        name:
            f"plot_identity_{_figure.name}"
        input:
            [I / f"{name}.parquet" for name in _figure.reads],
            caption=f"workflow/report/identity_{_figure.name}.rst",
        output:
            svg=report(
                I / f"figures/{_figure.name}.svg",
                caption=captions("identity") / f"{_figure.name}.rst",
                category="identity",
                subcategory=_figure.section,
                labels={"result": _figure.title},
            ),
            png=I / f"figures/{_figure.name}.png",
            caption=I / f"captions/{_figure.name}.rst",
        log:
            I / f"logs/plot_identity_{_figure.name}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            stage=stage(
                _figure.maker.partition(":")[0].removeprefix("dissensus."),
                "report.captions",
                **IDENTITY_VIEW,
            ),
        message:
            "Draw {output.svg}"
        script:
            "../scripts/study/plot.py"


rule tabulate_identity:
    input:
        estimates=I / "estimates.parquet",
        dcm=I / "dcm.parquet",
        dcm_tests=I / "dcm_tests.parquet",
        martingale=I / "martingale.parquet",
        metrics=I / "metrics.parquet",
        outcomes=I / "outcomes.parquet",
        power=I / "power.parquet",
        manifest=I / "manifest.parquet",
        caption="workflow/report/identity_tables.rst",
    output:
        csv=expand(I / "tables/{name}.csv", name=[table.name for table in identity_figures.TABLES]),
        markdown=expand(I / "tables/{name}.md", name=[table.name for table in identity_figures.TABLES]),
        page=report(
            I / "tables/index.html",
            caption=captions("identity") / "tables.rst",
            category="identity",
            subcategory="2 Tables",
            labels={
                "result": "Tables 1 to 7, the debate model, and what is wrong as printed"
            },
        ),
        caption=I / "captions/tables.rst",
    log:
        I / "logs/tabulate_identity.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "identity.figures.paper_tables",
            "identity.figures.model_tables",
            "identity.figures.study_tables",
            "identity.figures.printed",
            "report.captions",
            **IDENTITY_VIEW,
        ),
    message:
        "Write the tables of the identity study"
    script:
        "../scripts/study/tabulate.py"


# A target of its own: hundreds of simulated studies (snakemake diagnosis).
rule diagnose_identity:
    output:
        diagnosis=I / "design_diagnosis.parquet",
        csv=I / "tables/table_diagnosis.csv",
        markdown=I / "tables/table_diagnosis.md",
    log:
        I / "logs/diagnose_identity.log",
    conda:
        ENVIRONMENT
    threads: 2
    params:
        stage=stage(
            "identity.inference.diagnosis",
            diagnosis=IDENTITY.diagnosis,
            confidence=IDENTITY.inference.confidence,
            seed=SETTINGS.seed,
        ),
    message:
        "Run planted weights through the estimators of the identity study"
    script:
        "../scripts/identity/diagnose_identity.py"


rule identity:
    input:
        every_session("identity"),
        I / "turns.parquet",
        of_shards("calls", "identity"),
        rules.read_answers.output,
        rules.estimate_identity.output,
        rules.fit_dcm.output,
        rules.test_martingale.output,
        rules.compute_identity_power.output,
        expand(I / "figures/{name}.{end}", name=IDENTITY_FIGURES, end=["svg", "png"]),
        rules.tabulate_identity.output,
        money_of("identity"),
