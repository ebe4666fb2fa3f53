# The identity study: its measures and estimates, in the order data takes.
#
# in:    results/<run>/identity/: turns, outcomes, manifest, questions
# out:   results/<run>/identity/: answers, transitions, metrics, estimates, fits of the debate model, power
# steps: read_answers; estimate_identity, compare_identity, compare_identity_baselines, fit_dcm, test_martingale,
#        compute_identity_power
# What every study goes through is in study.smk.

I = RESULTS / "identity"
IDENTITY = SETTINGS.identity


use rule local_stage as read_answers with:
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
    params:
        functions=["dissensus.identity.measures.metrics:measure_identity"],
    message:
        "Read what every agent answered, and whom it followed"


use rule local_stage as estimate_identity with:
    input:
        metrics=I / "metrics.parquet",
        transitions=I / "transitions.parquet",
        manifest=I / "manifest.parquet",
    output:
        estimates=I / "estimates.parquet",
    log:
        I / "logs/estimate_identity.log",
    params:
        functions=["dissensus.identity.inference.estimates:estimate_identity"],
        settings=given(
            confidence=IDENTITY.inference.confidence,
            resamples=IDENTITY.inference.resamples,
            seed=SETTINGS.seed,
        ),
    message:
        "Estimate conformity, obstinacy and the Identity Bias Coefficient"


use rule local_stage as compare_identity with:
    input:
        metrics=I / "metrics.parquet",
        transitions=I / "transitions.parquet",
        manifest=I / "manifest.parquet",
    output:
        comparisons=I / "comparisons.parquet",
    log:
        I / "logs/compare_identity.log",
    params:
        functions=["dissensus.identity.inference.comparisons:compare_identity"],
        settings=given(
            confidence=IDENTITY.inference.confidence,
            resamples=IDENTITY.inference.resamples,
            seed=SETTINGS.seed,
        ),
    message:
        "Test the differences that the paper claims"


use rule local_stage as compare_identity_baselines with:
    input:
        answers=I / "answers.parquet",
        calls=of_shards("identity", "calls"),
        manifest=I / "manifest.parquet",
        questions=I / "questions.parquet",
    output:
        equal_tokens=I / "equal_tokens.parquet",
    log:
        I / "logs/compare_identity_baselines.log",
    params:
        functions=["dissensus.identity.inference.baselines:compare_baselines"],
        settings=given(
            confidence=IDENTITY.inference.confidence,
            resamples=IDENTITY.inference.resamples,
            seed=SETTINGS.seed,
        ),
    message:
        "Compare debates with what their tokens find without debate"


use rule stage as fit_dcm with:
    input:
        answers=I / "answers.parquet",
        questions=I / "questions.parquet",
        manifest=I / "manifest.parquet",
    output:
        dcm=I / "dcm.parquet",
        tests=I / "dcm_tests.parquet",
    log:
        I / "logs/fit_dcm.log",
    params:
        functions=["dissensus.identity.inference.dcm:estimate_dcm"],
        settings=given(
            inference=dict(
                confidence=IDENTITY.inference.confidence,
                resamples=IDENTITY.inference.resamples,
                goodness_resamples=IDENTITY.inference.goodness_resamples,
                seed=SETTINGS.seed,
            ),
        ),
    message:
        "Fit the Dirichlet compound multinomial model of debate"


use rule local_stage as test_martingale with:
    input:
        metrics=I / "metrics.parquet",
    output:
        martingale=I / "martingale.parquet",
    log:
        I / "logs/test_martingale.log",
    params:
        functions=["dissensus.identity.inference.martingale:martingale_tests"],
        settings=given(
            confidence=IDENTITY.inference.confidence,
            margin=IDENTITY.inference.equivalence_margin,
            seed=SETTINGS.seed,
        ),
    message:
        "Test whether debate changes mean accuracy"


use rule local_stage as compute_identity_power with:
    input:
        metrics=I / "metrics.parquet",
    output:
        power=I / "power.parquet",
    log:
        I / "logs/compute_identity_power.log",
    params:
        functions=["dissensus.identity.inference.power:power_rows"],
        settings=given(
            confidence=IDENTITY.inference.confidence,
        ),
    message:
        "Compute how many questions an identity bias needs"


rule identity:
    """All results of the identity study."""
    input:
        core("identity"),
        rules.read_answers.output,
        rules.estimate_identity.output,
        rules.compare_identity.output,
        rules.compare_identity_baselines.output,
        rules.fit_dcm.output,
        rules.test_martingale.output,
        rules.compute_identity_power.output,
