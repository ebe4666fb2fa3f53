"""The measures and their inference as functions: texts, answers or frames in, numbers out.

The stages of the workflow call the same code, so that a notebook gets the numbers of a run.
docs/library.md does in thirty lines what the language study does. It imports
``design``, ``stats`` and ``text``.
"""

from dissensus.measures.answers import (
    Conformity,
    Discovery,
    OracleGap,
    Transitions,
    conformity,
    discovery,
    oracle_gap,
    transitions,
    vote,
)
from dissensus.measures.channels import Divergence, channel_divergence
from dissensus.measures.judges import agreement, effective_number, effective_sample
from dissensus.measures.opinions import degroot_weights
from dissensus.measures.similarity import (
    cosines,
    homogeneity,
    lexical_similarity,
    paired_effect,
    semantic_similarity,
    similarities,
)
from dissensus.measures.texts import facts_in, survival, vendi, vendi_of
from dissensus.stats.agreement import clustered_agreement
from dissensus.stats.multiplicity import tied_sets, told_apart
from dissensus.stats.prediction_powered import prediction_powered
from dissensus.text.reuse import reuse_ratio

__all__ = [
    "Conformity",
    "Discovery",
    "Divergence",
    "OracleGap",
    "Transitions",
    "agreement",
    "channel_divergence",
    "clustered_agreement",
    "conformity",
    "cosines",
    "degroot_weights",
    "discovery",
    "effective_number",
    "effective_sample",
    "facts_in",
    "homogeneity",
    "lexical_similarity",
    "oracle_gap",
    "paired_effect",
    "prediction_powered",
    "reuse_ratio",
    "semantic_similarity",
    "similarities",
    "survival",
    "tied_sets",
    "told_apart",
    "transitions",
    "vendi",
    "vendi_of",
    "vote",
]
