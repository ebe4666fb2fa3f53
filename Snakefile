"""dissensus: multi-agent debates as designed experiments. One page; the rules are in workflow/rules."""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/sessions.smk"
include: "workflow/rules/money.smk"


for study in STUDIES:

    include: f"workflow/rules/{study}.smk"


rule all:
    default_target: True
    input:
        [getattr(rules, study).input for study in STUDIES],
    message:
        "All results of run {SETTINGS.run} are in {RESULTS}"


# What the designs and their estimators are worth, by simulated studies: some minutes.
rule diagnosis:
    input:
        [RESULTS / study / "design_diagnosis.parquet" for study in STUDIES],
