"""Contrasts of arms, by the weights of these; nothing here takes long to import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Methods of an outcome that people labelled: a judge alone, people alone, and both
#: (:func:`~dissensus.stats.prediction_powered.prediction_powered`).
JUDGE, PEOPLE, BOTH = "judge", "people", "prediction_powered"


def contrast_name(arm: str, reference: str) -> str:
    """How artefacts name a contrast: ``zh-en`` is Chinese minus English."""
    return f"{arm}-{reference}" if reference else arm


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of arms whose weights sum to zero, such as an arm minus its reference.

    Attributes
    ----------
    name : in artefacts.
    weights : arm -> weight, none of them 0.
    """

    name: str
    weights: Mapping[str, float]

    @classmethod
    def of(cls, arm: str, reference: str) -> Contrast:
        """An arm minus its reference."""
        return cls(contrast_name(arm, reference), {arm: 1.0, reference: -1.0})

    @property
    def arm(self) -> str:
        """What is compared, in words, such as "0.5 debate + 0.5 jury"."""
        return _weighted(self.treated)

    @property
    def reference(self) -> str:
        """What it is compared with, in words that can stand behind a minus: "(0.5 a + 0.5 b)"."""
        words = _weighted(self.referred)
        return f"({words})" if len(self.referred) > 1 else words

    @property
    def treated(self) -> dict[str, float]:
        """The arms with weights above 0."""
        return {arm: weight for arm, weight in self.weights.items() if weight > 0}

    @property
    def referred(self) -> dict[str, float]:
        """The others, with their weights' signs changed."""
        return {arm: -weight for arm, weight in self.weights.items() if weight < 0}

    @property
    def is_swappable(self) -> bool:
        """Whether its two sides have the same weights, so that to swap them changes its sign alone.

        Else a difference may be skewed though all arms are alike, and signs may not be flipped.
        """
        return sorted(self.treated.values()) == sorted(self.referred.values())


def _weighted(arms: Mapping[str, float]) -> str:
    return " + ".join(arm if weight == 1 else f"{weight:g} {arm}" for arm, weight in arms.items())
