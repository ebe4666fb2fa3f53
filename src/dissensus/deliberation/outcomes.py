"""What is measured of every session: what each outcome counts, said once."""

from __future__ import annotations

from typing import Any

from dissensus.deliberation.measures.records import METRICS
from dissensus.report.declared import Outcome

#: Declared before any data: what the study is about.
PRIMARY = "retention_last"


def _of(column: str, title: str, short: str, noun: str = "", **more: Any) -> Outcome:
    """An outcome that means what its column of the metrics does."""
    return Outcome(METRICS.columns[column].meaning, title, noun=noun, short=short, **more)


OUTCOMES = {
    PRIMARY: _of(
        PRIMARY,
        "Divergence in the last round over that in the first",
        "Retention",
        "divergence in the last round over that in the first",
    ),
    "entropy_last": _of("entropy_last", "Stance entropy, last round", "Entropy, last", unit="bits"),
    "entropy_drop": _of("entropy_drop", "Drop in stance entropy", "Entropy drop", unit="bits"),
    "density_mean": _of(
        "density_mean", "Directed rebuttal density", "Rebuttal density", is_share=True
    ),
    "claim_engagement": _of(
        "claim_engagement", "Share of opposing claims engaged", "Claims engaged", is_share=True
    ),
    "rival_coverage": _of(
        "rival_coverage", "Share of rival options engaged", "Rival coverage", is_share=True
    ),
    "groupthink": _of("groupthink", "Disagreement lost, rivals not engaged", "Groupthink"),
    "silent_share": _of(
        "silent_share", "Share of opposing claims never engaged", "Silence", is_share=True
    ),
    "dominance": _of("dominance", "Gini of engagements received", "Dominance"),
    "ignored_share": _of(
        "ignored_share", "Share of claims that nobody engages", "Ignored claims", is_share=True
    ),
    "sycophancy_per_opportunity": _of(
        "sycophancy_per_opportunity",
        "Share of agents outside the majority who join it",
        "Sycophancy",
        is_share=True,
    ),
    "quality_last": _of("quality_last", "CRIT score of a turn, last round", "Quality"),
    "agreement_last": _of(
        "agreement_last",
        "Share of agents on the modal stance, last round",
        "Agreement",
        is_share=True,
    ),
    "abstained_last": _of(
        "abstained_last", "Share of agents that abstain, last round", "Abstained", is_share=True
    ),
    "correct_last": _of(
        "correct_last", "Share of agents on the true option, last round", "Correct", is_share=True
    ),
    "consistency": _of(
        "consistency",
        "Share of stances that follow from the reasoning",
        "Consistency",
        is_share=True,
    ),
    "hint_accepted": _of(
        "hint_accepted", "Share of valid hints accepted", "Valid hint accepted", is_share=True
    ),
    "hint_rejected": _of(
        "hint_rejected", "Share of invalid hints rejected", "Invalid hint rejected", is_share=True
    ),
    "silence_effect": _of(
        "silence_effect", "P(moves | silent) − P(moves | engaged)", "Silence effect"
    ),
    "entropy_first": _of(
        "entropy_first", "Stance entropy, first round", "Entropy, first", unit="bits"
    ),
    "undecidable": _of(
        "undecidable", "Share of stances that nothing decides", "Undecidable", is_share=True
    ),
}
