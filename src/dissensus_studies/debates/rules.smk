# The study of imported debates: its measures and estimates, in the order data takes.
#
# in:    results/<run>/debates/: shards (turns, outcomes), manifest, turns
# out:   results/<run>/debates/: metrics, outcomes_by_round, effective_numbers, contrasts, contrasts_by_round
# steps: measure_debates (a shard); gather_debates_measures, compare_debates
# What every study goes through is in study.smk: its sessions are played from the file, and no model is asked.

I = RESULTS / "debates"
IMPORTS = SETTINGS.debates


use rule stage as measure_debates with:
    input:
        turns=I / "shards/{shard}/turns.parquet",
        outcomes=I / "shards/{shard}/outcomes.parquet",
        manifest=ancient(I / "manifest.parquet"),
    output:
        metrics=I / "shards/{shard}/metrics.parquet",
        outcomes_by_round=I / "shards/{shard}/outcomes_by_round.parquet",
        calls=I / "shards/{shard}/embedding_calls.parquet",
    log:
        I / "logs/measure_debates/{shard}.log",
    priority: AFTER_A_SHARD
    # On a cluster: embedders behind an address are asked where the sessions are.
    localrule: ON_LOGIN_NODE and not all(is_own(name) for _, name in STUDIES["debates"].embedders())
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        functions=["dissensus_studies.debates.measures:measure_shard"],
        settings=given(IMPORTS, "tokenizer", "embedder"),
    message:
        "Measure the imported sessions of shard {wildcards.shard}"


use rule local_stage as gather_debates_measures with:
    input:
        **tables(I, "turns", "manifest"),
        metrics=of_shards("debates", "metrics"),
        outcomes_by_round=of_shards("debates", "outcomes_by_round"),
    output:
        **tables(I, "metrics", "outcomes_by_round", "effective_numbers"),
    params:
        functions=["dissensus_studies.debates.inference:gather_measures"],
        settings=given(IMPORTS, "arms"),
    message:
        "Put the measures of all imported sessions together"


use rule local_stage as compare_debates with:
    input:
        **tables(I, "metrics", "outcomes_by_round"),
    output:
        **tables(I, "contrasts", "contrasts_by_round"),
    params:
        functions=["dissensus_studies.debates.inference:compare_debates"],
        settings=given(
            IMPORTS,
            "arms",
            "inference",
            is_paired=STUDIES["debates"].is_paired,
            seed=SETTINGS.seed,
        ),
    message:
        "Compare the arms of the imported debates"


rule debates:
    """All results of imported debates."""
    input:
        core("debates"),
        rules.gather_debates_measures.output,
        rules.compare_debates.output,
