"""The schemas of what is read from transcripts, and of what is measured on it."""

from __future__ import annotations

from dissensus.tables.artefact import Schema

_IDS = {"session_id": "string", "draw_id": "string", "topic_id": "string", "arm": "string"}

CLAIMS = Schema(
    name="claims",
    row="claim",
    columns={
        **_IDS,
        "claim_id": "string",
        "agent": "string",
        "round": "int",
        "option": "string",
        "text": "string",
        "evidence": "strings",
    },
    key=("session_id", "claim_id"),
)

ENGAGEMENTS = Schema(
    name="engagements",
    row="reference of a turn to a claim: the edges of the debate graph",
    columns={
        **_IDS,
        "round": "int",
        "source": "string",
        "index": "int",
        "target_agent": "string",
        "target_claim": "string",
        "relation": "string",
        "quote": "string",
        "status": "string",
        "resolved_agent": "string",
        "resolved_claim": "string",
    },
    key=("session_id", "round", "source", "index"),
)

STANCES = Schema(
    name="stances",
    row="agent and round",
    columns={
        **_IDS,
        "round": "int",
        "agent": "string",
        "model": "string",
        "stance": "string",
        "probabilities": "floats",
        "confidence": "float?",
        "parsed": "bool",
        "abstained": "bool",
        "switched": "bool",
        "conclusion": "string",
        "consistent": "bool?",
    },
    key=("session_id", "round", "agent"),
)

JUDGEMENTS = Schema(
    name="judgements",
    row="reply of a judge",
    columns={
        **_IDS,
        "round": "int",
        "agent": "string",
        "judge": "string",
        "kind": "string",
        "attempt": "int",
        "gamma": "float?",
        "signed": "float?",
        "reasons": "floats",
        "rivals": "floats",
        "accepted": "bool?",
        "parsed": "bool",
    },
    key=("session_id", "round", "agent", "kind", "attempt"),
)

ROUNDS = Schema(
    name="rounds",
    row="session and round",
    columns={
        **_IDS,
        "round": "int",
        "entropy": "float?",
        "entropy_mm": "float?",
        "js": "float?",
        "retention": "float?",
        "alert": "string",
        "density": "float?",
        "claim_engagement": "float?",
        "compliance": "float?",
        "evidence_overlap": "float?",
        "quality": "float?",
        "quality_signed": "float?",
        "contentiousness": "float?",
        "error": "float?",
        "control": "float?",
        "frozen": "bool",
        "quadrant": "string",
    },
    key=("session_id", "round"),
)

METRICS = Schema(
    name="metrics",
    row="session; without measures where it failed for good",
    columns={
        **_IDS,
        "complete": "bool",
        "debater_calls": "int",
        "judge_calls": "int",
        "retry_calls": "int",
        "entropy_first": "float?",
        "entropy_last": "float?",
        "entropy_drop": "float?",
        "collapse_round": "int?",
        "premature": "bool?",
        "retention_last": "float?",
        "density_mean": "float?",
        "claim_engagement": "float?",
        "compliance": "float?",
        "dangling": "float?",
        "ambiguous": "float?",
        "silent_share": "float?",
        "silence_effect": "float?",
        "dominance": "float?",
        "top_influencer": "string",
        "marginalisation_max": "float?",
        "ignored_share": "float?",
        "sycophancy_per_switch": "float?",
        "sycophancy_per_opportunity": "float?",
        "switches": "int?",
        "consistency": "float?",
        "undecidable": "float?",
        "parsed_share": "float?",
        "quality_last": "float?",
        "contentiousness_last": "float?",
        "agreement_last": "float?",
        "correct_last": "float?",
        "hint_accepted": "float?",
        "hint_rejected": "float?",
    },
    key=("session_id",),
)

INFLUENCE = Schema(
    name="influence",
    row="session and agent",
    columns={
        "session_id": "string",
        "arm": "string",
        "agent": "string",
        "direct_in": "float?",
        "direct_out": "float?",
        "katz": "float",
        "claims": "int",
        "ignored": "int",
        "marginalisation": "float?",
    },
    key=("session_id", "agent"),
)

PAIRS = Schema(
    name="pairs",
    row="arm, round and pair of models, over the sessions that they share",
    columns={
        "arm": "string",
        "round": "string",
        "agent_a": "string",
        "agent_b": "string",
        "kl": "float?",
        "jsd": "float?",
        "wasserstein": "float?",
        "tv": "float?",
        "nmi": "float?",
        "nmi_p": "float?",
        "n": "int",
    },
    key=("arm", "round", "agent_a", "agent_b"),
)
