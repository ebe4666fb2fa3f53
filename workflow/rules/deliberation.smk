# The deliberation study: its measures and estimates, in the order data takes.
#
# in:    results/<run>/deliberation/: turns, outcomes, manifest, topics
# out:   results/<run>/deliberation/: claims, engagements, stances, judgements, rounds, metrics, influence,
#        pairs, contrasts, trajectories, unanswered, equal_tokens, left_out, and the debate graph of any session
# steps: reconstruct_debates, measure_deliberation; estimate_arms, follow_debates, compare_deliberation_baselines,
#        leave_one_out; plot_graph
# What every study goes through is in study.smk.

D = RESULTS / "deliberation"
DELIBERATION = SETTINGS.deliberation


use rule stage as reconstruct_debates with:
    input:
        **tables(D, "turns", "topics"),
    output:
        **tables(D, "claims", "engagements", "stances", "judgements"),
    params:
        functions=["dissensus.deliberation.measures.reconstruct:reconstruct_debates"],
    message:
        "Rebuild every debate's graph from its references"


use rule stage as measure_deliberation with:
    input:
        **tables(D, "claims", "engagements", "stances", "judgements"),
        **tables(D, "manifest", "topics", "outcomes", "turns"),
    output:
        **tables(D, "rounds", "metrics", "influence", "pairs"),
    params:
        functions=["dissensus.deliberation.measures.sessions:measure_deliberation"],
        settings=given(
            DELIBERATION,
            "measures",
            "control",
            "arms",
            "rounds",
            "inference.resamples",
            seed=SETTINGS.seed,
        ),
    message:
        "Measure disagreement, influence and silence in every session"


use rule local_stage as estimate_arms with:
    input:
        **tables(D, "metrics", "manifest"),
        looks=looks_of("deliberation"),
    output:
        contrasts=D / "contrasts.parquet",
    params:
        functions=["dissensus.deliberation.inference.contrasts:contrast_arms"],
        settings=given(
            DELIBERATION,
            "reference",
            "again",
            "compared",
            "inference.confidence",
            "inference.flips",
            seed=SETTINGS.seed,
        ),
    message:
        f"Compare the arms with {DELIBERATION.reference}"


use rule local_stage as follow_debates with:
    input:
        **tables(
            D, "rounds", "manifest", "outcomes", "claims", "engagements", "stances"
        ),
    output:
        **tables(D, "trajectories", "unanswered"),
    params:
        functions=["dissensus.deliberation.inference.trajectories:follow_debates"],
        settings=given(DELIBERATION, "reference", "compared", "inference.confidence"),
    message:
        "Follow disagreement and claims from round to round"


use rule local_stage as compare_deliberation_baselines with:
    input:
        **tables(D, "manifest", "outcomes", "topics", "stances"),
        calls=of_shards("deliberation", "calls"),
    output:
        equal_tokens=D / "equal_tokens.parquet",
    params:
        functions=["dissensus.deliberation.inference.baselines:compare_baselines"],
        settings=given(
            DELIBERATION,
            "reference",
            "arms",
            "inference.confidence",
            "inference.resamples",
            seed=SETTINGS.seed,
        ),
    message:
        "Compare debates with what their tokens find without debate"


use rule local_stage as leave_one_out with:
    input:
        **tables(D, "stances", "manifest"),
    output:
        left_out=D / "left_out.parquet",
    params:
        functions=["dissensus.deliberation.inference.left_out:leave_one_out"],
        settings=given(DELIBERATION, "reference", "arms", "inference.confidence"),
    message:
        "Compare where agents end with and without each model"


# Any session's, from its transcript: snakemake results/<run>/deliberation/graphs/t003-full.svg
use rule local_stage as plot_graph with:
    input:
        transcript=D / "transcripts/{session}.parquet",
        manifest=manifest_with_session("deliberation"),
        topics=D / "topics.parquet",
    output:
        svg=D / "graphs/{session}.svg",
    log:
        D / "logs/plot_graph/{session}.log",
    params:
        functions=["dissensus.deliberation.figures.session_graph:plot_graph"],
        settings=of_session,
    message:
        "Draw the debate graph of session {wildcards.session}"


rule deliberation:
    """All results of the deliberation study."""
    input:
        core("deliberation"),
        rules.reconstruct_debates.output,
        rules.measure_deliberation.output,
        rules.estimate_arms.output,
        rules.follow_debates.output,
        rules.compare_deliberation_baselines.output,
        rules.leave_one_out.output,
