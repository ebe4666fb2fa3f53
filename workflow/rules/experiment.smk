# A study of the common kind: its measures and estimates, in the order data takes.
#
# in:    results/<run>/<study>/: turns, outcomes, pool
# out:   results/<run>/<study>/: metrics, contrasts; outcomes_by_round, contrasts_by_round where it has such outcomes;
#        labelled, judge_agreement, labelled_contrasts where people labelled it
# steps: measure_<study>; compare_<study>_arms; compare_<study>_with_people
# What every study goes through is in study.smk. A study's own rules.smk adds to this.

OWN = STUDIES[study]
X = RESULTS / study
DECLARED = f"{type(OWN).__module__}:{type(OWN).__qualname__}"
BY_ROUND = "_by_round" if OWN.round_outcomes() else ""
MEASURED = tables(X, "metrics", *["outcomes_by_round"] * bool(BY_ROUND))
COMPARED = tables(X, "contrasts", *["contrasts_by_round"] * bool(BY_ROUND))
LABELLED = tables(
    X,
    *["labelled", "judge_agreement", "labelled_contrasts"] * OWN.is_labelled,
)


rule:
    name:
        f"measure_{study}"
    input:
        **tables(X, "turns", "outcomes", "pool"),
    output:
        **MEASURED,
    log:
        X / "logs/measure.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        functions=[
            f"dissensus.study.experiment.measures:measure_experiment{BY_ROUND}",
            DECLARED,
        ],
        settings=given(declared=DECLARED, block=OWN.settings.model_dump()),
    message:
        f"Measure the sessions of the {study} study"
    script:
        "../scripts/study/run_stage.py"


rule:
    name:
        f"compare_{study}_arms"
    input:
        **MEASURED,
        looks=looks_of(study),
    output:
        **COMPARED,
    log:
        X / "logs/compare_arms.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        functions=[
            f"dissensus.study.experiment.contrasts:compare_experiment{BY_ROUND}",
            DECLARED,
        ],
        settings=given(
            OWN,
            "settings.inference",
            "settings.again",
            declared=DECLARED,
            seed=SETTINGS.seed,
        ),
    message:
        f"Compare the arms of the {study} study"
    script:
        "../scripts/study/run_stage.py"


if OWN.is_labelled:

    rule:
        name:
            f"compare_{study}_with_people"
        input:
            **tables(X, "turns", "outcomes", "pool", "metrics", "contrasts"),
            labels=OWN.label_settings.file,
        output:
            **LABELLED,
        log:
            X / "logs/compare_with_people.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=[
                "dissensus.study.experiment.labels.compared:compare_with_people",
                DECLARED,
            ],
            settings=given(
                declared=DECLARED, block=OWN.settings.model_dump(), seed=SETTINGS.seed
            ),
        message:
            f"Compare the judge of the {study} study with people"
        script:
            "../scripts/study/run_stage.py"


rule:
    name:
        study
    input:
        core(study),
        MEASURED.values(),
        COMPARED.values(),
        LABELLED.values(),
        made_in_own_folder(study),
    message:
        f"All results of the {study} study"
