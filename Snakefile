"""dissensus: multi-agent debates as designed experiments. One page; the rules are in workflow/rules."""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


include: "workflow/rules/common.smk"


report: RESULTS / "report.rst"


include: "workflow/rules/study.smk"
include: "workflow/rules/looks.smk"


for study in STUDIES:

    for file in rules_of(study):

        include: file


include: "workflow/rules/pages.smk"
include: "workflow/rules/targets.smk"


rule all:
    """All results of the run: every study, and the page of its findings."""
    default_target: True
    input:
        RESULTS / "report.rst",
        RESULTS / "index.html",
        RESULTS / "reader/index.html",
        [targets_of(study) for study in STUDIES],
    message:
        f"All results of run {SETTINGS.run}, in {RESULTS}"


rule archive:
    """The run as one file that makes it again, without a key or a provider."""
    input:
        rules.all.input,
    output:
        crate=RESULTS / "archive.zip",
    log:
        RESULTS / "logs/archive.log",
    localrule: True
    conda:
        ENVIRONMENT
    message:
        f"Archive run {SETTINGS.run}"
    script:
        "workflow/scripts/study/archive.py"


# What is left to say once all rules are known.
depend_on_code(workflow.rules, SETTINGS.simulated)
name_logs(workflow.rules, str(STAGE_LOG), RESULTS, STUDIES)
describe_targets(workflow.rules)
TARGETS.know(list(workflow.rules), SETTINGS.run, SETTINGS.studies)
