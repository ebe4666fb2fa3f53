"""Outcomes that are one number of all sessions of an arm, as a study declares them.

Each names the columns that it is computed from: outcomes of sessions, or columns of items.
:mod:`dissensus.design.resampled` gives intervals and contrasts; nothing here takes long to import.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dissensus.design.weighed import (
    area_under_curve,
    brier_score,
    calibration_error,
    catch_rate,
    event_free,
    majority_right,
    restricted_mean,
)
from dissensus.stats.checks import FloatArray, IntArray

Values = Mapping[str, FloatArray]


class Statistic(ABC):
    """One number of many sessions.

    Attributes
    ----------
    is_share : whether it lies between 0 and 1.
    is_biased : whether chance alone moves it to one side, for which its interval allows.
    shares : those of its columns that must lie between 0 and 1.
    flags : those of its columns that must be 0 or 1.
    of_items : those of its columns that must be the same in all sessions of an item.
    """

    is_share: ClassVar[bool] = True
    is_biased: ClassVar[bool] = False

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the most that it can be; None where nothing bounds it."""
        return (0.0, 1.0) if self.is_share else None

    @property
    def curve(self) -> Mapping[int, Statistic]:
        """Time -> what is shown of it there, of a statistic that sums up a curve."""
        return {}

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """What it is computed from, a number a session each."""

    @property
    def shares(self) -> tuple[str, ...]:
        return ()

    @property
    def flags(self) -> tuple[str, ...]:
        return ()

    @property
    def of_items(self) -> tuple[str, ...]:
        return ()

    @property
    @abstractmethod
    def words(self) -> str:
        """What it counts, within a sentence."""

    @property
    def fault(self) -> str:
        """What is wrong with its declaration, in words; "" where nothing is."""
        return ""

    @abstractmethod
    def of(self, values: Values, items: IntArray, weights: FloatArray) -> FloatArray:
        """The number for many weightings of the sessions.

        Parameters
        ----------
        values : a name each of ``columns`` -> shape (n,), without NaN.
        items : codes from 0, shape (n,).
        weights : shape (b, n).

        Returns
        -------
        Shape (b,); NaN where a weighting does not define it.
        """

    def groups(self, values: Values) -> list[NDArray[np.bool_]]:
        """The sessions that it must have some of: the fewest clusters of any of these count."""
        return [np.ones(len(values[self.columns[0]]), dtype=bool)]


@dataclass(frozen=True)
class _OfScores(Statistic):
    """What compares a score of each session with what is true.

    Attributes
    ----------
    score : outcome of a session, or column of an item: the higher, the more likely it is true.
    truth : outcome or column that is 0 or 1, or False or True.
    """

    score: str
    truth: str

    @property
    def columns(self) -> tuple[str, ...]:
        return self.score, self.truth

    @property
    def flags(self) -> tuple[str, ...]:
        return (self.truth,)

    def groups(self, values: Values) -> list[NDArray[np.bool_]]:
        return [values[self.truth] == each for each in (0.0, 1.0)]


@dataclass(frozen=True)
class AUC(_OfScores):
    """The area under the ROC curve: how often a true case has the higher score; ties count half."""

    @property
    def words(self) -> str:
        return f"the area under the ROC curve of {self.score} for {self.truth}"

    def of(self, values: Values, items: IntArray, weights: FloatArray) -> FloatArray:
        return area_under_curve(values[self.score], values[self.truth], weights)


@dataclass(frozen=True)
class CatchRate(_OfScores):
    """The share of true cases above the best threshold that catches few enough false ones.

    Attributes
    ----------
    at : the largest share of false cases that may be caught.
    """

    at: float = 0.05

    @property
    def words(self) -> str:
        return (
            f"the share of cases with {self.truth} that {self.score} catches where it catches at "
            f"most {100 * self.at:g}% of those without"
        )

    @property
    def fault(self) -> str:
        if isinstance(self.at, int | float) and 0.0 <= self.at < 1.0:
            return ""
        return f"at is {self.at!r}; it must be a share of false cases, such as 0.05"

    def of(self, values: Values, items: IntArray, weights: FloatArray) -> FloatArray:
        return catch_rate(values[self.score], values[self.truth], weights, self.at)


@dataclass(frozen=True)
class _OfProbabilities(Statistic):
    """What compares a probability that each session gives with what is true.

    Attributes
    ----------
    probability : outcome of a session that is a share.
    truth : outcome or column of an item that is 0 or 1, or False or True.
    """

    probability: str
    truth: str

    @property
    def columns(self) -> tuple[str, ...]:
        return self.probability, self.truth

    @property
    def shares(self) -> tuple[str, ...]:
        return (self.probability,)

    @property
    def flags(self) -> tuple[str, ...]:
        return (self.truth,)


@dataclass(frozen=True)
class Brier(_OfProbabilities):
    """The mean squared distance of a probability from 0 or 1, whichever is true."""

    @property
    def words(self) -> str:
        return f"the mean squared distance of {self.probability} from {self.truth} (Brier score)"

    def of(self, values: Values, items: IntArray, weights: FloatArray) -> FloatArray:
        return brier_score(values[self.probability], values[self.truth], weights)


@dataclass(frozen=True)
class CalibrationError(_OfProbabilities):
    """How far, in bins of equal width, probabilities are from the share that is true (ECE).

    Attributes
    ----------
    bins : how many.
    """

    bins: int = 10
    is_biased: ClassVar[bool] = True

    @property
    def words(self) -> str:
        return (
            f"how far the mean of {self.probability} is from the share with {self.truth}, over "
            f"{self.bins} bins of equal width (expected calibration error)"
        )

    @property
    def fault(self) -> str:
        if isinstance(self.bins, int) and not isinstance(self.bins, bool) and self.bins > 0:
            return ""
        return f"bins is {self.bins!r}; it must be a whole number, at least 1"

    def of(self, values: Values, items: IntArray, weights: FloatArray) -> FloatArray:
        given, truths = values[self.probability], values[self.truth]
        return calibration_error(given, truths, weights, self.bins)


@dataclass(frozen=True)
class MajorityVote(Statistic):
    """The share of items of which most sessions of the arm have the true answer; ties share it.

    Attributes
    ----------
    answer : outcome of a session: a number for its answer, such as the place of an option.
    truth : column of an item: the number that stands for the true one.
    """

    answer: str
    truth: str

    @property
    def columns(self) -> tuple[str, ...]:
        return self.answer, self.truth

    @property
    def of_items(self) -> tuple[str, ...]:
        return (self.truth,)

    @property
    def words(self) -> str:
        return (
            f"the share of items of which most sessions have {self.answer} like {self.truth} (of "
            "answers that tie for the most, each counts as much)"
        )

    def of(self, values: Values, items: IntArray, weights: FloatArray) -> FloatArray:
        return majority_right(values[self.answer], values[self.truth], items, weights)


@dataclass(frozen=True)
class _OfTimes(Statistic):
    """What is of the time until an event, where some sessions ended before it came.

    Attributes
    ----------
    time : outcome of a session: when the event happened, such as the round of a flip; or until when
        the session was seen without one.
    event : outcome of a session: 1 where it happened, 0 where the session ended before (censored).
    """

    time: str
    event: str

    @property
    def columns(self) -> tuple[str, ...]:
        return self.time, self.event

    @property
    def flags(self) -> tuple[str, ...]:
        return (self.event,)


@dataclass(frozen=True)
class EventFree(_OfTimes):
    """The share of sessions without the event yet at a time (Kaplan and Meier).

    Attributes
    ----------
    at : the time; an event at it is over then.
    """

    at: float = 0.0

    @property
    def words(self) -> str:
        return f"the share of sessions without {self.event} by {self.time} {self.at:g}"

    @property
    def fault(self) -> str:
        return "" if _is_number(self.at) and self.at >= 0 else f"at is {self.at!r}; {_TIME}"

    def of(self, values: Values, items: IntArray, weights: FloatArray) -> FloatArray:
        at = np.array([float(self.at)])
        return event_free(values[self.time], values[self.event], weights, at)[:, 0]


@dataclass(frozen=True)
class RestrictedMean(_OfTimes):
    """The mean time without the event, of which no more than ``until`` counts.

    Its curve, the share without the event yet, is shown at every whole time.

    Attributes
    ----------
    until : the time that is counted at most, such as the number of rounds.
    """

    until: float = 0.0
    is_share: ClassVar[bool] = False

    @property
    def bounds(self) -> tuple[float, float] | None:
        return 0.0, float(self.until)

    @property
    def curve(self) -> Mapping[int, Statistic]:
        times = range(min(int(self.until), _MOST_TIMES) + 1)
        return {time: EventFree(self.time, self.event, time) for time in times}

    @property
    def words(self) -> str:
        return (
            f"the mean {self.time} without {self.event}, of which no more than {self.until:g} "
            "counts (restricted mean survival time)"
        )

    @property
    def fault(self) -> str:
        return (
            "" if _is_number(self.until) and self.until > 0 else f"until is {self.until!r}; {_TIME}"
        )

    def of(self, values: Values, items: IntArray, weights: FloatArray) -> FloatArray:
        return restricted_mean(values[self.time], values[self.event], weights, float(self.until))


_TIME = "it must be a time, such as the number of rounds"
#: Whole times at which a curve is shown at most.
_MOST_TIMES = 60


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value < float("inf")
