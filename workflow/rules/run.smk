# All rules of a run, or of one of its panels, whose settings are SETTINGS.


include: "common.smk"
include: "study.smk"
include: "stages.smk"
include: "looks.smk"


for study in STUDIES:

    for file in rules_of(study):

        include: file

    if not rules.has(study):

        rule:
            name:
                study
            input:
                core(study),
                stage_targets(study),
                made_in_own_folder(study),
            message:
                f"All results of the {study} study"


include: "pages.smk"
include: "targets.smk"


# All results: every study, and the page of its findings.
ALL = [
    RESULTS / "report.rst",
    RESULTS / "index.html",
    RESULTS / "reader/index.html",
    *[targets_of(study) for study in STUDIES],
]


rule archive:
    """The run as one file that makes it again, without a key or a provider."""
    input:
        ALL,
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
        "../scripts/study/archive.py"


# What is left to say once all rules are known.
depend_on_code(own_rules(), SETTINGS.simulated)
name_logs(own_rules(), str(STAGE_LOG), RESULTS, STUDIES)
describe_targets(own_rules())
