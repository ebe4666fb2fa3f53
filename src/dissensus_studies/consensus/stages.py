"""What the consensus study makes of its sessions, in the order data takes.

Its parts are training debates (0), what is said of their examples (1), debates (2), those of agents
who have learned (3), and questions to the agents (4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dissensus.study.stages import Stage

from .settings import ConsensusSettings


def stages_of(settings: ConsensusSettings, speech: Mapping[str, Any]) -> list[Stage]:
    """What CCAgent learns from, the measures and the estimates.

    Parameters
    ----------
    speech : model -> settings of simulated agents, whose equations say what was planted; none for
        all other models.
    """
    return [*(_learning(settings) if settings.learns else ()), *_of_debates(settings, speech)]


def _learning(settings: ConsensusSettings) -> list[Stage]:
    prompts = {"prompts": settings.learning.prompts}
    return [
        # Reads the training debates alone, so that agents who learn wait for nothing else.
        Stage(
            f"{__package__}.learning.profiles:profile_training",
            ("learning.examples", "learning.characters"),
            name="profile_agents",
            reads=prompts,
            part={"turns": 0},
            lasting=("manifest",),
            message="Profile the agents of the training debates, and choose the best and the worst",
        ),
        Stage(
            f"{__package__}.learning.block:write_fewshot",
            reads=prompts,
            part={"turns": 1},
            named={"page": "fewshot.md"},
            message="Write the few-shot block: examples, and why each is one",
        ),
        # Nothing of the run reads it: it is for training models with open weights.
        Stage(
            f"{__package__}.training.triplets:export_triplets",
            ("domains",),
            files=("domains",),
            message="Export preference data for models with open weights",
        ),
    ]


def _of_debates(settings: ConsensusSettings, speech: Mapping[str, Any]) -> list[Stage]:
    return [
        Stage(
            f"{__package__}.records:measure_debates",
            ("embedder",),
            name="measure_consensus",
            named={"calls": "embedding_calls.parquet"},
            message="Read the votes out of the turns, and measure every debate",
            on_node=True,
        ),
        Stage(
            f"{__package__}.sanity.scoring:score_answers",
            ("embedder", "domains", "inference"),
            ("domains",),
            name="score_sanity",
            part={"turns": 4},
            lasting=("manifest",),
            named={"calls": "sanity_calls.parquet"},
            message="Score the agents' answers about themselves",
            on_node=True,
        ),
        Stage(
            f"{__package__}.estimates:estimate_all",
            ("inference", "arms", "compared", "temperatures", "reference", "again", "rounds"),
            computed={"models": settings.models_by_arm, "speech": speech},
            name="estimate_consensus",
            message=f"Compare the strategies with {settings.reference}, ccagent with its parts, "
            "and say what was planted",
        ),
    ]
