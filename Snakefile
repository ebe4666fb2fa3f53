"""dissensus: multi-agent debates as designed experiments. One page; the rules are in workflow/rules."""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


include: "workflow/rules/common.smk"


report: RESULTS / "report.rst"


include: "workflow/rules/study.smk"


for study in STUDIES:

    include: rules_of(study)


# What is left to say once all rules are known.
depend_on_code(workflow.rules, SETTINGS.simulated)


rule all:
    default_target: True
    input:
        RESULTS / "report.rst",
        [targets_of(study) for study in STUDIES],
    message:
        "All results of run {SETTINGS.run} are in {RESULTS}"


# What the designs and their estimators are worth, by simulated studies: some minutes.
rule diagnosis:
    input:
        [
            RESULTS / name / "design_diagnosis.parquet"
            for name, study in STUDIES.items()
            if study.diagnosis
        ],
