# What is asked for by name, of all studies together.
#
# in:    the manifests and sources of the run's studies; all of a run's files, to verify
# out:   words on the terminal; results/<run>/<study>/: the preregistration, what was done otherwise, what is confirmed
# steps: plan, cost; preregistration, list_deviations; confirm; verify; diagnosis


# Make no file, so that they answer whenever they are asked.
use rule local_stage as plan with:
    input:
        manifests_and_sources(),
    log:
        RESULTS / "logs/plan.log",
    params:
        functions=["dissensus.plan.described:plan"],
    message:
        "Say how many sessions and calls a run has, before any is made"


# Writes two files beside the manifest, once, which no rule may make again.
use rule local_stage as preregistration with:
    input:
        manifests_and_sources(),
    log:
        RESULTS / "logs/preregistration.log",
    params:
        functions=["dissensus.plan.preregistration:preregister"],
    message:
        "Write the plan of every study as text, before any session"


# Of the studies that were registered, and of these alone, part of the default run.
use rule local_stage as list_deviations with:
    input:
        # After all sessions, whose journals say when they began.
        turns=RESULTS / "{study}/turns.parquet",
        stamps=stamps_of,
        directed=directed_of,
        plan=RESULTS / "{study}" / PLAN,
        manifest=RESULTS / "{study}/manifest.parquet",
        source=source_of,
    output:
        deviations=RESULTS / "{study}/deviations.parquet",
        page=report(
            RESULTS / "{study}/deviations.md",
            category=f"{OF_PANEL}{{study}}",
            subcategory="9 Conduct and cost",
            labels={"result": "Deviations from the preregistration"},
        ),
    log:
        RESULTS / "{study}/logs/list_deviations.log",
    params:
        functions=["dissensus.plan.preregistration:list_deviations"],
        settings=registered_of,
        seed=SETTINGS.seed,
    message:
        "List what the {wildcards.study} study does otherwise than registered"


# Of the studies whose plan has a prediction, part of the default run.
use rule local_stage as confirm_study with:
    input:
        plan=RESULTS / "{study}" / PLAN,
        manifest=RESULTS / "{study}/manifest.parquet",
        source=source_of,
        estimates=headline_rows_of,
    output:
        confirmation=RESULTS / "{study}/confirmation.parquet",
        page=report(
            RESULTS / "{study}/confirmation.md",
            category=f"{OF_PANEL}{{study}}",
            subcategory="1 Findings",
            labels={"result": "Predicted of this model, and found"},
        ),
    log:
        RESULTS / "{study}/logs/confirm_study.log",
    params:
        functions=["dissensus.plan.preregistration:confirm"],
        settings=registered_of,
        seed=SETTINGS.seed,
    message:
        "Put what was predicted of the {wildcards.study} study beside what it found"


use rule local_stage as confirm with:
    input:
        [page for name in STUDIES for page in confirmations(name)],
    log:
        RESULTS / "logs/confirm.log",
    params:
        functions=["dissensus.plan.preregistration:say_confirmed"],
    message:
        "Say whether a registered finding holds for this run's model"


use rule local_stage as cost with:
    input:
        manifests_and_sources(),
    log:
        RESULTS / "logs/cost.log",
    params:
        functions=["dissensus.plan.quote:cost"],
    message:
        "Say what the calls of a run will cost, before any is made"


# Needs no file, so that a damaged one is a finding and nothing is made again.
use rule local_stage as verify with:
    log:
        RESULTS / "logs/verify.log",
    params:
        functions=["dissensus.keep.verify:verify_run"],
    message:
        f"Verify all of run {SETTINGS.run}"


DIAGNOSED = [name for name, study in STUDIES.items() if has_diagnosis(SETTINGS, study)]


if DIAGNOSED:

    rule diagnosis:
        """What the designs and their estimators are worth, by simulated studies: some minutes."""
        input:
            [RESULTS / name / "design_diagnosis.parquet" for name in DIAGNOSED],

else:

    use rule local_stage as diagnosis with:
        log:
            RESULTS / "logs/diagnosis.log",
        params:
            functions=["dissensus.plan.diagnosed:no_diagnosis"],
        message:
            f"Say that no study of run {SETTINGS.run} has a diagnosis"
