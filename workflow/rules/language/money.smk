# What the run will cost, before any call; what it has cost, after them.

# What a model is paid by: how it behaves, and how long to wait for it, is of no account here.
MONEY = {
    "models": {
        name: {key: MODELS[name].get(key) for key in ("provider", "model", "price")}
        for name in STUDY.panel
    },
    "providers": {
        name: {"simulated": provider.simulated, "batch": provider.batch}
        for name, provider in SETTINGS.providers.items()
    },
    "panel": STUDY.panel,
    "embedders": EMBEDDERS,
    "prices": SETTINGS.prices,
    "budget_usd": SETTINGS.budget_usd,
    "languages": STUDY.languages,
    "protocol": STUDY.protocol,
}
PAID_BY = {
    "prices": SETTINGS.prices or [],
    "prompts": [condition.prompts for condition in STUDY.languages.values()],
}
SPENDING_TABLES = ["table_spending", "table_models"]


# Makes no file, so that it answers whenever it is asked.
rule cost:
    input:
        **PAID_BY,
        manifest=L / "manifest.parquet",
        pool=L / "pool.parquet",
    log:
        L / "logs/cost.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("language.design.cost", "language.design.quote", **MONEY),
    message:
        "What the manifest will cost"
    script:
        "../../scripts/language/cost.py"


rule gather_spending:
    input:
        manifest=L / "manifest.parquet",
        calls=of_shards("calls"),
        embedding_calls=of_shards("embedding_calls"),
    output:
        spending=L / "spending.parquet",
        conduct=L / "conduct.parquet",
    log:
        L / "logs/gather_spending.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("language.spending"),
    message:
        "Add up what the run has spent"
    script:
        "../../scripts/language/gather_spending.py"


rule tabulate_spending:
    input:
        **PAID_BY,
        manifest=L / "manifest.parquet",
        pool=L / "pool.parquet",
        spending=L / "spending.parquet",
        conduct=L / "conduct.parquet",
        caption="workflow/report/tabulate_spending.rst",
    output:
        csv=expand(L / "tables/{name}.csv", name=SPENDING_TABLES),
        markdown=expand(L / "tables/{name}.md", name=SPENDING_TABLES),
        page=report(
            L / "tables/spending.html",
            caption=CAPTIONS / "spending.rst",
            category="7 Conduct and cost",
            labels={"result": "What the run has spent, and its models"},
        ),
        caption=L / "captions/spending.rst",
    log:
        L / "logs/tabulate_spending.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.figures.money_tables", "language.figures.captions", **MONEY
        ),
    message:
        "Write the tables of conduct and cost"
    script:
        "../../scripts/language/tabulate_spending.py"
