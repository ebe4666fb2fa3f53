# The consensus study: what CCAgent learns from, the study's measures and estimates, in the order data takes.
#
# in:    results/<run>/consensus/: turns, outcomes, manifest, statements
# out:   results/<run>/consensus/: profiles, fewshot, fewshot.md; votes, metrics, embedding_calls; estimates, contrasts,
#        planted, ablations; triplets; sanity
# steps: profile_agents, write_fewshot, export_triplets; score_sanity; measure_consensus; estimate_consensus
# What every study goes through is in study.smk. Its parts: training debates (0), which profile_agents reads; what is
# said of their examples (1), which write_fewshot reads; debates (2), and those of agents who have learned (3); and
# questions to the agents (4), which score_sanity reads.

from dissensus.study.given import planted_speech

C = RESULTS / "consensus"
CONSENSUS = SETTINGS.consensus
# The settings of simulated agents, whose equations say what was planted; none for all other models.
SPEECH = planted_speech(
    SETTINGS, CONSENSUS.models_by_arm.values(), "dissensus.consensus.simulated"
)


# Reads the training debates alone, so that agents who learn wait for nothing else.
use rule local_stage as profile_agents with:
    input:
        turns=of_shards("consensus", "turns", part=0),
        manifest=ancient(C / "manifest.parquet"),
        statements=C / "statements.parquet",
        prompts=CONSENSUS.learning.prompts,
    output:
        profiles=C / "profiles.parquet",
    params:
        functions=["dissensus.consensus.learning.profiles:profile_training"],
        settings=given(CONSENSUS, "learning.examples", "learning.characters"),
    message:
        "Profile the agents of the training debates, and choose the best and the worst"


use rule local_stage as write_fewshot with:
    input:
        turns=of_shards("consensus", "turns", part=1),
        profiles=C / "profiles.parquet",
        prompts=CONSENSUS.learning.prompts,
    output:
        fewshot=C / "fewshot.parquet",
        page=C / "fewshot.md",
    params:
        functions=["dissensus.consensus.learning.block:write_fewshot"],
    message:
        "Write the few-shot block: examples, and why each is one"


# Nothing of the run reads it: it is for `python -m dissensus.consensus.training`.
use rule local_stage as export_triplets with:
    input:
        [f"{folder}/agents.yaml" for folder in CONSENSUS.domains.values()],
        **tables(C, "profiles", "fewshot"),
    output:
        triplets=C / "triplets.parquet",
    params:
        functions=["dissensus.consensus.training.triplets:export_triplets"],
        settings=given(CONSENSUS, "domains"),
    message:
        "Export preference data for models with open weights"


use rule stage as measure_consensus with:
    input:
        **tables(C, "manifest", "statements", "outcomes", "turns"),
    output:
        **tables(C, "votes", "metrics"),
        calls=C / "embedding_calls.parquet",
    localrule: ON_LOGIN_NODE and not is_own(CONSENSUS.embedder)
    params:
        functions=["dissensus.consensus.records:measure_debates"],
        settings=given(CONSENSUS, "embedder"),
    message:
        "Read the votes out of the turns, and measure every debate"


use rule stage as score_sanity with:
    input:
        turns=of_shards("consensus", "turns", part=4),
        manifest=ancient(C / "manifest.parquet"),
        questions=[
            file
            for name, file in CONSENSUS.files().items()
            if name.endswith(".questions")
        ],
    output:
        sanity=C / "sanity.parquet",
        calls=C / "sanity_calls.parquet",
    localrule: ON_LOGIN_NODE and not is_own(CONSENSUS.embedder)
    params:
        functions=["dissensus.consensus.sanity.scoring:score_answers"],
        settings=given(
            CONSENSUS, "embedder", "domains", "inference", seed=SETTINGS.seed
        ),
    message:
        "Score the agents' answers about themselves"


use rule local_stage as estimate_consensus with:
    input:
        **tables(C, "metrics", "manifest", "statements"),
    output:
        **tables(C, "estimates", "contrasts", "planted", "ablations"),
    params:
        functions=["dissensus.consensus.estimates:estimate_all"],
        settings=given(
            CONSENSUS,
            "inference",
            "arms",
            "compared",
            "temperatures",
            "reference",
            "again",
            "rounds",
            models=CONSENSUS.models_by_arm,
            speech=SPEECH,
            seed=SETTINGS.seed,
        ),
    message:
        f"Compare the strategies with {CONSENSUS.reference}, ccagent with its parts, and say what was planted"


rule consensus:
    """All results of the consensus study."""
    input:
        core("consensus"),
        (
            [
                rules.profile_agents.output,
                rules.write_fewshot.output,
                rules.export_triplets.output,
            ]
            if CONSENSUS.learns
            else []
        ),
        rules.score_sanity.output,
        rules.measure_consensus.output,
        rules.estimate_consensus.output,
