# The identity study: its measures and estimates, in the order data takes.
#
# in:    results/<run>/identity/: turns, outcomes, manifest, questions
# out:   results/<run>/identity/: answers, transitions, metrics, estimates, fits of the debate model, power
# steps: read_answers; estimate_identity, fit_dcm, test_martingale, compute_identity_power
# What every study goes through is in study.smk.

I = RESULTS / "identity"
IDENTITY = SETTINGS.identity


rule read_answers:
    input:
        turns=I / "turns.parquet",
        outcomes=I / "outcomes.parquet",
        manifest=I / "manifest.parquet",
        questions=I / "questions.parquet",
    output:
        answers=I / "answers.parquet",
        transitions=I / "transitions.parquet",
        metrics=I / "metrics.parquet",
    log:
        I / "logs/read_answers.log",
    localrule: True
    conda:
        ENVIRONMENT
    message:
        "Read what every agent answered, and whom it followed"
    script:
        "../scripts/identity/read_answers.py"


rule estimate_identity:
    input:
        metrics=I / "metrics.parquet",
        transitions=I / "transitions.parquet",
        manifest=I / "manifest.parquet",
    output:
        estimates=I / "estimates.parquet",
    log:
        I / "logs/estimate_identity.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        settings=given(
            inference=IDENTITY.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Estimate conformity, obstinacy and the Identity Bias Coefficient"
    script:
        "../scripts/identity/estimate_identity.py"


rule fit_dcm:
    input:
        answers=I / "answers.parquet",
        questions=I / "questions.parquet",
        manifest=I / "manifest.parquet",
    output:
        dcm=I / "dcm.parquet",
        tests=I / "dcm_tests.parquet",
    log:
        I / "logs/fit_dcm.log",
    conda:
        ENVIRONMENT
    params:
        settings=given(
            inference=IDENTITY.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Fit the Dirichlet compound multinomial model of debate"
    script:
        "../scripts/identity/fit_dcm.py"


rule test_martingale:
    input:
        metrics=I / "metrics.parquet",
    output:
        martingale=I / "martingale.parquet",
    log:
        I / "logs/test_martingale.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        settings=given(
            inference=IDENTITY.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Test whether debate changes mean accuracy"
    script:
        "../scripts/identity/test_martingale.py"


rule compute_identity_power:
    input:
        metrics=I / "metrics.parquet",
    output:
        power=I / "power.parquet",
    log:
        I / "logs/compute_identity_power.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        settings=given(
            inference=IDENTITY.inference,
        ),
    message:
        "Compute how many questions an identity bias needs"
    script:
        "../scripts/identity/compute_identity_power.py"


rule identity:
    """All results of the identity study."""
    input:
        core("identity"),
        rules.read_answers.output,
        rules.estimate_identity.output,
        rules.fit_dcm.output,
        rules.test_martingale.output,
        rules.compute_identity_power.output,
