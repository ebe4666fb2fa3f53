# A run with panels: all rules of a run once for each panel, `<panel>.<rule>`, and what the panels come to together.
#
# in:    all that the panels make by default, in results/<run>.<panel>/
# out:   results/<run>/: index.html, closing.sha256; compared/<study>/: units, pooled, differences, findings, forest, tables, index.html
# steps: compare_panels; what is asked for by name, of all panels together

from functools import partial

from dissensus.llm.model_files import ModelFiles
from dissensus.run.rules import depend_on_code, describe_targets, of_each
from dissensus.study.panels import panel_values

# With the models of all files in place.
CONFIGURED = ModelFiles.of(config, "", package_of).merged

for PANEL in SETTINGS.panels:
    # Snakemake reads the names of modules from these.
    MODULE = f"panel_{PANEL}"
    PREFIX = f"{PANEL}."

    module:
        name: MODULE
        snakefile:
            "panel.smk"
        config:
            panel_values(CONFIGURED, PANEL, SETTINGS.panels[PANEL])

    use rule * from MODULE as PREFIX*

    GRAPHS.append(globals()[MODULE].GRAPH)


of_panels = partial(of_each, rules, list(SETTINGS.panels))
COMPARISONS = [RESULTS / "compared" / study for study in SETTINGS.studies]


rule compare_panels:
    input:
        of_panels("all", "input"),
        of_panels("write_results_page"),
    output:
        page=RESULTS / "index.html",
        closing=RESULTS / "closing.sha256",
        pages=[folder / "index.html" for folder in COMPARISONS],
        artefacts=[
            folder / f"{name}.parquet"
            for folder in COMPARISONS
            for name in ("units", "pooled", "differences", "findings")
        ],
        figures=[
            folder / f"forest.{ending}"
            for folder in COMPARISONS
            for ending in ("svg", "png")
        ],
        tables=[
            folder / f"{name}.{ending}"
            for folder in COMPARISONS
            for name in ("units", "pooled", "differences")
            for ending in ("csv", "md")
        ],
    log:
        RESULTS / "logs/compare_panels.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        settings={
            "run": SETTINGS.run,
            "panels": {name: dict(panel) for name, panel in SETTINGS.panels.items()},
            "questions": {
                name: SETTINGS.study(name).question for name in SETTINGS.studies
            },
        },
        seed=SETTINGS.seed,
    message:
        "Compare the panels, and write the page of the run"
    script:
        "../scripts/study/compare_panels.py"


rule summarise_run:
    output:
        report=RESULTS / "report.rst",
    log:
        RESULTS / "logs/summarise_run.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        functions=["dissensus.run.summary:summarise"],
        settings={
            "run": SETTINGS.run,
            "seed": SETTINGS.seed,
            "studies": {
                name: SETTINGS.study(name).summary() for name in SETTINGS.studies
            },
        },
    message:
        "Write the head of the report"
    script:
        "../scripts/study/run_stage.py"


rule plan:
    input:
        of_panels("plan", "input"),
    log:
        RESULTS / "logs/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        functions=["dissensus.plan.of_panels:plan"],
    message:
        "Say how many sessions and calls the run has, panel by panel and in all, before any is made"
    script:
        "../scripts/study/run_stage.py"


use rule plan as cost with:
    log:
        RESULTS / "logs/cost.log",
    params:
        functions=["dissensus.plan.of_panels:cost"],
    message:
        "Say what the calls of the run will cost, panel by panel and in all, before any is made"


use rule plan as preregistration with:
    log:
        RESULTS / "logs/preregistration.log",
    params:
        functions=["dissensus.plan.of_panels:preregister"],
    message:
        "Write the plan of every study of every panel as text, before any session"


use rule plan as verify with:
    input:
        [],
    log:
        RESULTS / "logs/verify.log",
    params:
        functions=["dissensus.keep.verify:verify_panels"],
    message:
        f"Verify all of run {SETTINGS.run}, panel by panel"


rule diagnosis:
    """What the designs and their estimators are worth, with the models of each panel."""
    input:
        of_panels("diagnosis", "input"),


rule archive:
    """Each panel as one file that makes it again, and what compares them as another."""
    input:
        archives=of_panels("archive"),
        page=RESULTS / "index.html",
    output:
        crate=RESULTS / "archive.zip",
    log:
        RESULTS / "logs/archive.log",
    localrule: True
    conda:
        ENVIRONMENT
    message:
        f"Archive what the panels of run {SETTINGS.run} come to together"
    script:
        "../scripts/study/archive_panels.py"


# All results: every panel's, and the page of what they come to together.
ALL = [
    rules.summarise_run.output,
    rules.compare_panels.output,
    *of_panels("all", "input"),
]


depend_on_code(
    [each for each in workflow.rules if "." not in each.name], SETTINGS.simulated
)
describe_targets([each for each in workflow.rules if "." not in each.name])
