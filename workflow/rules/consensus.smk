# The consensus study: its measures and estimates, in the order data takes.
#
# in:    results/<run>/consensus/: turns, outcomes, manifest, statements
# out:   results/<run>/consensus/: votes, metrics, embedding_calls, estimates, contrasts, planted
# steps: measure_consensus; estimate_consensus
# What every study goes through is in study.smk. CCAgent learns from votes and metrics of the split train.

from dissensus.study.rules import planted_speech

C = RESULTS / "consensus"
CONSENSUS = SETTINGS.consensus
# The settings of simulated agents, whose equations say what was planted; none for all other models.
SPEECH = planted_speech(
    SETTINGS, [CONSENSUS.model], "dissensus.consensus.simulated"
).get(CONSENSUS.model)


rule measure_consensus:
    input:
        manifest=C / "manifest.parquet",
        statements=C / "statements.parquet",
        outcomes=C / "outcomes.parquet",
        turns=C / "turns.parquet",
    output:
        votes=C / "votes.parquet",
        metrics=C / "metrics.parquet",
        calls=C / "embedding_calls.parquet",
    log:
        C / "logs/measure_consensus.log",
    localrule: ON_LOGIN_NODE and not is_own(CONSENSUS.embedder)
    conda:
        ENVIRONMENT
    params:
        settings=given(embedder=CONSENSUS.embedder),
    message:
        "Read the votes out of the turns, and measure every debate"
    script:
        "../scripts/consensus/measure_consensus.py"


rule estimate_consensus:
    input:
        metrics=C / "metrics.parquet",
        manifest=C / "manifest.parquet",
        statements=C / "statements.parquet",
    output:
        estimates=C / "estimates.parquet",
        contrasts=C / "contrasts.parquet",
        planted=C / "planted.parquet",
    log:
        C / "logs/estimate_consensus.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        settings=given(
            inference=CONSENSUS.inference,
            arms=CONSENSUS.arm_names,
            reference=CONSENSUS.reference,
            rounds=CONSENSUS.rounds,
            speech=SPEECH,
            seed=SETTINGS.seed,
        ),
    message:
        "Compare the strategies with {CONSENSUS.reference}, and say what was planted"
    script:
        "../scripts/consensus/estimate_consensus.py"


rule consensus:
    input:
        core("consensus"),
        rules.measure_consensus.output,
        rules.estimate_consensus.output,
