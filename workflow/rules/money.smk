# What every study will cost, before any call; what it has cost, after them.


# Makes no file, so that it answers whenever it is asked.
rule plan:
    input:
        [paid_by(study)["manifest"] for study in STUDIES],
        [paid_by(study)["table"] for study in STUDIES],
    log:
        RESULTS / "logs/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("study.plan", folders=[str(RESULTS / study) for study in STUDIES]),
    message:
        "What the manifests come to"
    script:
        "../scripts/study/plan.py"


# Makes no file either.
rule cost:
    input:
        [paid_by(study)["manifest"] for study in STUDIES],
        [paid_by(study)["table"] for study in STUDIES],
    log:
        RESULTS / "logs/cost.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "study.cost", "study.quote", **{study: money(study) for study in STUDIES}
        ),
    message:
        "What the manifests will cost"
    script:
        "../scripts/study/cost.py"


rule gather_spending:
    input:
        manifest=RESULTS / "{study}/manifest.parquet",
        calls=of_shards("calls"),
        embedding_calls=embedding_calls,
    output:
        spending=RESULTS / "{study}/spending.parquet",
        conduct=RESULTS / "{study}/conduct.parquet",
    log:
        RESULTS / "{study}/logs/gather_spending.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("study.spending"),
    message:
        "Add up what the {wildcards.study} study has spent"
    script:
        "../scripts/study/gather_spending.py"


# A rule a study, since the report wants each caption's own path.
for study in STUDIES:

    rule:
        name:
            f"tabulate_{study}_spending"
        input:
            **paid_by(study),
            spending=RESULTS / study / "spending.parquet",
            conduct=RESULTS / study / "conduct.parquet",
            caption="workflow/report/spending.rst",
        output:
            csv=expand(RESULTS / study / "tables/{name}.csv", name=SPENDING_TABLES),
            markdown=expand(RESULTS / study / "tables/{name}.md", name=SPENDING_TABLES),
            page=report(
                RESULTS / study / "tables/spending.html",
                caption=captions(study) / "spending.rst",
                category=study,
                subcategory="9 Conduct and cost",
                labels={"result": "What the study has spent, and its models"},
            ),
            caption=RESULTS / study / "captions/spending.rst",
        log:
            RESULTS / study / "logs/tabulate_spending.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            stage=stage("report.spending_tables", "report.captions", **money(study)),
        message:
            "Write the tables of conduct and cost"
        script:
            "../scripts/study/tabulate_spending.py"
