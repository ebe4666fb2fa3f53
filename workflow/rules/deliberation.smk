# The deliberation study: its measures and estimates, in the order data takes.
#
# in:    results/<run>/deliberation/: turns, outcomes, manifest, topics
# out:   results/<run>/deliberation/: claims, engagements, stances, judgements, rounds, metrics, influence,
#        pairs, contrasts, equal_tokens, left_out, and the debate graph of any session
# steps: reconstruct_debates, measure_deliberation; estimate_arms, compare_deliberation_baselines,
#        leave_one_out; plot_graph
# What every study goes through is in study.smk.

D = RESULTS / "deliberation"
DELIBERATION = SETTINGS.deliberation


use rule stage as reconstruct_debates with:
    input:
        turns=D / "turns.parquet",
        topics=D / "topics.parquet",
    output:
        claims=D / "claims.parquet",
        engagements=D / "engagements.parquet",
        stances=D / "stances.parquet",
        judgements=D / "judgements.parquet",
    log:
        D / "logs/reconstruct_debates.log",
    params:
        functions=["dissensus.deliberation.measures.reconstruct:reconstruct_debates"],
    message:
        "Rebuild every debate's graph from its references"


use rule stage as measure_deliberation with:
    input:
        claims=D / "claims.parquet",
        engagements=D / "engagements.parquet",
        stances=D / "stances.parquet",
        judgements=D / "judgements.parquet",
        manifest=D / "manifest.parquet",
        topics=D / "topics.parquet",
        outcomes=D / "outcomes.parquet",
        turns=D / "turns.parquet",
    output:
        rounds=D / "rounds.parquet",
        metrics=D / "metrics.parquet",
        influence=D / "influence.parquet",
        pairs=D / "pairs.parquet",
    log:
        D / "logs/measure_deliberation.log",
    params:
        functions=["dissensus.deliberation.measures.sessions:measure_deliberation"],
        settings=given(
            measures=DELIBERATION.measures,
            control=DELIBERATION.control,
            arms=DELIBERATION.arms,
            rounds=DELIBERATION.rounds,
            resamples=DELIBERATION.inference.resamples,
            seed=SETTINGS.seed,
        ),
    message:
        "Measure disagreement, influence and silence in every session"


use rule local_stage as estimate_arms with:
    input:
        metrics=D / "metrics.parquet",
        manifest=D / "manifest.parquet",
    output:
        contrasts=D / "contrasts.parquet",
    log:
        D / "logs/estimate_arms.log",
    params:
        functions=["dissensus.deliberation.inference.contrasts:contrast_arms"],
        settings=given(
            reference=DELIBERATION.reference,
            compared=DELIBERATION.compared,
            confidence=DELIBERATION.inference.confidence,
            flips=DELIBERATION.inference.flips,
            seed=SETTINGS.seed,
        ),
    message:
        f"Compare the arms with {DELIBERATION.reference}"


use rule local_stage as compare_deliberation_baselines with:
    input:
        stances=D / "stances.parquet",
        calls=of_shards("deliberation", "calls"),
        manifest=D / "manifest.parquet",
        topics=D / "topics.parquet",
    output:
        equal_tokens=D / "equal_tokens.parquet",
    log:
        D / "logs/compare_deliberation_baselines.log",
    params:
        functions=["dissensus.deliberation.inference.baselines:compare_baselines"],
        settings=given(
            reference=DELIBERATION.reference,
            arms=DELIBERATION.arms,
            confidence=DELIBERATION.inference.confidence,
            resamples=DELIBERATION.inference.resamples,
            seed=SETTINGS.seed,
        ),
    message:
        "Compare debates with what their tokens find without debate"


use rule local_stage as leave_one_out with:
    input:
        stances=D / "stances.parquet",
        manifest=D / "manifest.parquet",
    output:
        left_out=D / "left_out.parquet",
    log:
        D / "logs/leave_one_out.log",
    params:
        functions=["dissensus.deliberation.inference.left_out:leave_one_out"],
        settings=given(
            reference=DELIBERATION.reference,
            arms=DELIBERATION.arms,
            confidence=DELIBERATION.inference.confidence,
        ),
    message:
        "Compare where agents end with and without each model"


# Any session's, from its transcript: snakemake results/<run>/deliberation/graphs/t003-full.svg
rule plot_graph:
    input:
        transcript=D / "transcripts/{session}.parquet",
        manifest=manifest_with_session("deliberation"),
        topics=D / "topics.parquet",
    output:
        svg=D / "graphs/{session}.svg",
    log:
        D / "logs/plot_graph/{session}.log",
    localrule: True
    conda:
        ENVIRONMENT
    message:
        "Draw the debate graph of session {wildcards.session}"
    script:
        "../scripts/deliberation/plot_graph.py"


rule deliberation:
    """All results of the deliberation study."""
    input:
        core("deliberation"),
        rules.reconstruct_debates.output,
        rules.measure_deliberation.output,
        rules.estimate_arms.output,
        rules.compare_deliberation_baselines.output,
        rules.leave_one_out.output,
