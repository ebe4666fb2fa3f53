"""What an experiment compares, and the means of its arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan

from dissensus.design.again import again_of
from dissensus.design.contrasts import robust_mean
from dissensus.design.over_sessions_rows import Tested
from dissensus.design.pairs import Columns, Labels
from dissensus.design.weights import Contrast
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import Estimate
from dissensus.stats.shares import share_limits
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.factors import Factor
from dissensus.study.experiment.outcomes import Outcome


@dataclass(frozen=True)
class Compared:
    """What is compared.

    Attributes
    ----------
    arms : the reference first.
    outcomes : by name, the primary one first; each a column of the metrics.
    cluster : column of what is independent.
    compared : the contrasts of arms.
    factors : by name.
    again : whether the reference is run a second time.
    statistics : outcomes that are one number of all sessions of an arm, by name.
    main : name of the primary outcome; the first one's where it is empty.
    interactions : pairs of factors, or threes.
    sample : factor whose levels are a sample, too; "" for none.
    """

    arms: Sequence[str]
    outcomes: Mapping[str, Outcome]
    cluster: str
    compared: Sequence[Contrast]
    factors: Mapping[str, Factor] = field(default_factory=dict)
    again: bool = False
    statistics: Mapping[str, Outcome] = field(default_factory=dict)
    main: str = ""
    interactions: Sequence[tuple[str, ...]] = ()
    sample: str = ""

    @classmethod
    def of(cls, study: type[ExperimentDesign], again: bool = False) -> Compared:
        """That of a study; ``again``: as it is set."""
        return cls(
            study.arms,
            study.session_outcomes(),
            study.cluster,
            study.compared(),
            study.declared_factors(),
            again,
            study.statistics(),
            next(iter(study.outcomes)),
            [tuple(among) for among in study.interactions],
            study.sample,
        )

    @property
    def primary(self) -> str:
        """The name of the primary outcome."""
        return self.main or next(iter(self.outcomes))

    @property
    def tested(self) -> list[Tested]:
        """What is estimated over all sessions of an arm."""
        return [
            Tested(name, each.statistic, each.null, name == self.primary)
            for name, each in self.statistics.items()
            if each.statistic is not None
        ]

    @property
    def floor(self) -> list[Contrast]:
        """The reference run again, less the reference; nothing where it is run once."""
        return [Contrast.of(again_of(self.arms), self.arms[0])] if self.again else []

    @property
    def columns(self) -> Columns:
        """Where the metrics have what is compared."""
        return Columns(cluster=self.cluster)


def mean_of(values: FloatArray, clusters: Labels, outcome: Outcome, confidence: float) -> Estimate:
    """A mean of an outcome; the interval of a share's is one of a share.

    See :func:`~dissensus.stats.shares.share_limits`.
    """
    mean = mean_against(values, clusters, confidence, outcome.null)
    if not outcome.is_share:
        return mean
    low, high = share_limits(mean, confidence)
    return replace(mean, ci_low=low, ci_high=high)


def mean_against(
    values: FloatArray, clusters: Labels, confidence: float, null: float | None
) -> Estimate:
    """A mean with its clustered interval, and its p-value against a null where there is one.

    Parameters
    ----------
    values, clusters : shape (n,).
    """
    shift = null or 0.0
    mean = robust_mean(values - shift, clusters, confidence)
    return replace(
        mean,
        estimate=mean.estimate + shift,
        ci_low=mean.ci_low + shift,
        ci_high=mean.ci_high + shift,
        p_value=nan if null is None else mean.p_value,
    )
