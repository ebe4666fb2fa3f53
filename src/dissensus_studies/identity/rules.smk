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
        **tables(I, "turns", "outcomes", "manifest", "questions"),
    output:
        **tables(I, "answers", "transitions", "metrics"),
    params:
        functions=["dissensus_studies.identity.measures.metrics:measure_identity"],
    message:
        "Read what every agent answered, and whom it followed"


use rule local_stage as estimate_identity with:
    input:
        **tables(I, "metrics", "transitions", "manifest"),
    output:
        estimates=I / "estimates.parquet",
    params:
        functions=["dissensus_studies.identity.inference.estimates:estimate_identity"],
        settings=given(
            IDENTITY, "inference.confidence", "inference.resamples", seed=SETTINGS.seed
        ),
    message:
        "Estimate conformity, obstinacy and the Identity Bias Coefficient"


use rule local_stage as compare_identity with:
    input:
        **tables(I, "metrics", "transitions", "manifest"),
    output:
        comparisons=I / "comparisons.parquet",
    params:
        functions=["dissensus_studies.identity.inference.comparisons:compare_identity"],
        settings=given(
            IDENTITY, "inference.confidence", "inference.resamples", seed=SETTINGS.seed
        ),
    message:
        "Test the differences that the paper claims"


use rule local_stage as compare_identity_baselines with:
    input:
        **tables(I, "manifest", "questions"),
        answers=I / "answers.parquet",
        calls=of_shards("identity", "calls"),
    output:
        equal_tokens=I / "equal_tokens.parquet",
    params:
        functions=["dissensus_studies.identity.inference.baselines:compare_baselines"],
        settings=given(
            IDENTITY, "inference.confidence", "inference.resamples", seed=SETTINGS.seed
        ),
    message:
        "Compare debates with what their tokens find without debate"


use rule stage as fit_dcm with:
    input:
        **tables(I, "answers", "questions", "manifest"),
    output:
        dcm=I / "dcm.parquet",
        tests=I / "dcm_tests.parquet",
    params:
        functions=["dissensus_studies.identity.inference.dcm:estimate_dcm"],
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
    params:
        functions=["dissensus_studies.identity.inference.martingale:martingale_tests"],
        settings=given(
            IDENTITY,
            "inference.confidence",
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
    params:
        functions=["dissensus_studies.identity.inference.power:power_rows"],
        settings=given(IDENTITY, "inference.confidence"),
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
