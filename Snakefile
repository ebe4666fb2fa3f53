"""dissensus: multi-agent debates as designed experiments. One page; the rules are in workflow/rules."""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/language.smk"


rule all:
    default_target: True
    input:
        rules.language.input,
    message:
        "All results of run {SETTINGS.run} are in {RESULTS}"
