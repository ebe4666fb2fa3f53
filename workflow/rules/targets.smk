# What is asked for by name, of all studies together.
#
# in:    the manifests and sources of the run's studies; all of a run's files, to verify
# out:   words on the terminal; results/<run>/<study>/: the preregistration, and what was done otherwise
# steps: plan, cost; preregistration, list_deviations; verify


# Make no file, so that they answer whenever they are asked.
rule plan:
    input:
        manifests_and_sources(),
    log:
        RESULTS / "logs/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    message:
        "Say how many sessions and calls a run has, before any is made"
    script:
        "../scripts/study/plan.py"


# Writes two files beside the manifest, once, which no rule may make again.
rule preregistration:
    input:
        manifests_and_sources(),
    log:
        RESULTS / "logs/preregistration.log",
    localrule: True
    conda:
        ENVIRONMENT
    message:
        "Write the plan of every study as text, before any session"
    script:
        "../scripts/study/preregister.py"


# Of the studies that were registered, and of these alone, part of the default run.
rule list_deviations:
    input:
        plan=RESULTS / "{study}" / PLAN,
        manifest=RESULTS / "{study}/manifest.parquet",
        source=source_of,
    output:
        deviations=report(
            RESULTS / "{study}/deviations.md",
            category="{study}",
            subcategory="9 Conduct and cost",
            labels={"result": "Deviations from the preregistration"},
        ),
    log:
        RESULTS / "{study}/logs/list_deviations.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        settings=registered_of,
        seed=SETTINGS.seed,
    message:
        "List what the {wildcards.study} study does otherwise than registered"
    script:
        "../scripts/study/list_deviations.py"


rule cost:
    input:
        manifests_and_sources(),
    log:
        RESULTS / "logs/cost.log",
    localrule: True
    conda:
        ENVIRONMENT
    message:
        "Say what the calls of a run will cost, before any is made"
    script:
        "../scripts/study/cost.py"


# Needs no file, so that a damaged one is a finding and nothing is made again.
rule verify:
    log:
        RESULTS / "logs/verify.log",
    localrule: True
    conda:
        ENVIRONMENT
    message:
        "Verify all of run {SETTINGS.run}"
    script:
        "../scripts/study/verify.py"
