"""What coaching changes: coached less control debates, over all epochs in which memos are read.

A draw (a motion, an epoch, a run) has a debate in each arm, with the same order, lenses, passages
and gates. In the first epoch nobody has a memo yet, so that the arms differ by chance alone; in
later ones the students of the coached arm read the memo of the epoch before.

Where memos change nothing, the two debates of any draw are exchangeable, so that the paired
randomisation may flip the sign of every draw's difference by itself: its null is that the memos of
these motions change nothing. With six motions or more, which can reach a p of 5%, whole motions are
flipped: the null is then that chains of memos change nothing or, over motions, as often one way as
the other. The headline is the mean
difference over the draws of all coached epochs. The last epoch less the first is beside it, for
whoever would see memos build up: it has a fraction of the draws and the noise of both epochs. There
draws of a motion are alike in all epochs too, and may change places between the two that are
compared; see :mod:`dissensus.stats.differences`.

All coached debates of an epoch read one and the same memo, which was written from one and the same
set of debates: the memos of a motion are one chain, and one cluster. Tests and intervals over draws
speak of further runs of these motions under these chains of memos, not of other memos that a coach
might have written. With several motions the clustered interval speaks of motions and their chains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, prod
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import Row, adjust_family, robust_mean
from dissensus.design.manifest import stream
from dissensus.stats.checks import FloatArray
from dissensus.stats.differences import flipped_gain, spread_of_gain
from dissensus.stats.location import paired_t
from dissensus.stats.power import detectable, power_t
from dissensus.stats.results import NAN, Estimate
from dissensus.stats.shares import none_or_all, share_limits
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, flag, number, share, text

from ..outcomes import OUTCOMES
from ..tables import (
    CLUSTERED,
    COACHED,
    COACHED_EPOCHS,
    CONTROL,
    DIFFERENCE,
    EXACT,
    FEWEST_FLIPPED,
    IN_DIFFERENCES,
    LOGIT,
    MEAN,
    RANDOMISATION,
)

#: With two motions an interval over motions is wider than all that a share can be.
FEWEST_MOTIONS = 3

_POWER = 0.8
_TIE = 1e-12

COACHING = Schema(
    name="coaching",
    row="outcome, what is estimated, arm, epoch and method",
    columns={
        "outcome": text("A column of verdicts.parquet: student_survival, _votes or _demolitions."),
        "contrast": text("mean of an arm, difference of arms, or difference_in_differences."),
        "arm": text("Arm of a mean; coached-control where arms are compared."),
        "epoch": Column(
            "int",
            "Epoch, from 1; 0 for all from 2 on; differences of differences are less those of 1.",
        ),
        "method": text("logit_t or exact, of a mean; paired_randomisation or cluster_robust."),
        **common("estimate?", "ci_low?", "ci_high?", "p_value?", "simulation_error?"),
        **common("p_adjusted?", "p_bh?", "n", "n_clusters"),
        "assigned": count("Draws, or of a mean debates, that the design has of these epochs."),
        "chains": count("Chains of memos behind the coached debates: one a motion; 0 for none."),
        "headline": flag(
            "Whether this is what the study asks: the primary outcome, all coached epochs."
        ),
        "mde_80": number("Smallest gain that such runs find with 80% power.", "share, 0 to 1"),
        "note": text("Whom the interval speaks of, or why numbers are missing."),
        "power_{gain}": share("Power to find a gain of so much; missing where nothing is tested."),
    },
    key=("outcome", "contrast", "arm", "epoch", "method"),
    where={"gain": r"[0-9.e-]+"},
)


@dataclass(frozen=True)
class Draws:
    """Coached less control of one outcome: a value a draw that has it in both arms."""

    differences: FloatArray
    motions: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.differences)


NO_DRAWS = Draws(np.zeros(0), ())


@makes(coaching=COACHING)
def estimate_coaching(
    verdicts: pd.DataFrame,
    manifest: pd.DataFrame,
    inference: Mapping[str, Any],
    gains: Sequence[float],
    seed: int,
) -> list[Row]:
    """The effect of coaching on the students' claims and votes, epoch by epoch.

    Parameters
    ----------
    verdicts : columns of ``verdicts.parquet``.
    manifest : the debates of the design, lost ones included.
    inference : settings ``confidence`` and ``resamples``.
    gains : effects of which the power is wanted.
    seed : of the random sign patterns, where not all are taken.

    Returns
    -------
    Rows of :data:`COACHING`, for each outcome: the difference over all coached epochs together, by
    both methods; means by epoch and arm; the difference in every epoch, in the first by chance
    alone; and that of the last less that of the first. A design without epoch 2 or without one of
    the arms has rows with no number and a note. P-values of the difference over all coached epochs
    are adjusted over the outcomes, for each method; those of epochs over the epochs from 2, for
    each outcome. The headline is the primary outcome's over all coached epochs, by randomisation.

    Notes
    -----
    A draw that lost one debate is left out of the contrasts; ``assigned`` says how many there were
    to be. From six motions on, what is flipped, counted in ``n_clusters`` and averaged are the
    motions' mean differences. The interval inverts the test: it has every constant gain that the
    sign flips do not reject. ``mde_80`` and power are those of a t test with the observed spread of
    the draws and n - 2 degrees of freedom (n - 1 without epoch 1), for as many draws as there are;
    for the clustered method, of its own standard error.
    """
    debates = manifest[manifest["kind"] == "debate"]
    names = ["session_id", *OUTCOMES]
    frame = debates.merge(verdicts[names], on="session_id", how="left")
    epochs = sorted(set(frame["epoch"])) or [1]
    arms = sorted(set(frame["arm"]))
    outcomes = [_Outcome(frame, name, inference, tuple(gains), seed) for name in OUTCOMES]
    pooled = {
        method: [outcome.contrast(DIFFERENCE, COACHED_EPOCHS, method) for outcome in outcomes]
        for method in (RANDOMISATION, CLUSTERED)
    }
    pooled[RANDOMISATION][0]["headline"] = True
    for family in pooled.values():
        adjust_family(family)
    rows = []
    for place, outcome in enumerate(outcomes):
        by_epoch = [outcome.contrast(DIFFERENCE, epoch, RANDOMISATION) for epoch in epochs]
        adjust_family(by_epoch, lambda row: row["epoch"] > 1)
        rows += [family[place] for family in pooled.values()]
        rows += [outcome.mean(epoch, arm) for epoch in epochs for arm in arms]
        rows += [*by_epoch, outcome.contrast(IN_DIFFERENCES, epochs[-1], RANDOMISATION)]
    return rows


class _Outcome:
    """One outcome's rows."""

    def __init__(
        self,
        frame: pd.DataFrame,
        outcome: str,
        inference: Mapping[str, Any],
        gains: tuple[float, ...],
        seed: int,
    ):
        self.frame, self.outcome, self.gains, self.seed = frame, outcome, gains, seed
        self.confidence, self.resamples = inference["confidence"], inference["resamples"]
        values = frame[outcome].astype(float)
        self.values = frame.assign(value=values)
        arms = set(frame["arm"])
        self.lacking = next((arm for arm in (COACHED, CONTROL) if arm not in arms), "")
        self.undefined = bool(values.isna().all())
        self.motions = int(frame["motion_id"].nunique())

    def mean(self, epoch: int, arm: str) -> Row:
        """The mean of an arm in an epoch, with Student's t interval of its logit over debates."""
        debates = self.values[(self.values["epoch"] == epoch) & (self.values["arm"] == arm)]
        sample = debates["value"].dropna().to_numpy(dtype=float)
        mean, note = Estimate(float(sample.mean()) if len(sample) else NAN, n=len(sample)), ""
        method = LOGIT
        if len(sample) > 1 and np.ptp(sample) > _TIE:
            t = paired_t(sample, self.confidence)
            mean = Estimate(t.estimate, t.se, *share_limits(t), NAN, t.n, t.n)
        elif len(sample) > 1 and mean.estimate in (0.0, 1.0):
            n, method = len(sample), EXACT
            mean = Estimate(
                mean.estimate, NAN, *none_or_all(mean.estimate, n, self.confidence), NAN, n, n
            )
        elif len(sample):
            note = "No interval: a single debate, or debates that do not differ."
        else:
            note = self._why_nothing()
        note = note or _speaks_of(debates, "debates", arm == COACHED and epoch > 1)
        row = self._row(MEAN, arm, epoch, method, mean, note)
        return row | {"assigned": len(debates), "n_clusters": mean.n}

    def contrast(self, contrast: str, epoch: int, method: str) -> Row:
        """Coached less control in an epoch or in all coached ones, less the first if so asked."""
        is_pooled, epochs = epoch == COACHED_EPOCHS, self.frame["epoch"]
        is_later = epochs > 1 if is_pooled else epochs == epoch
        is_first = (epochs == 1) & (contrast == IN_DIFFERENCES)
        later = self._draws(is_later)
        first = self._draws(is_first) if contrast == IN_DIFFERENCES else None
        assigned = self.frame[is_later | is_first]
        n = len(later) + len(first or NO_DRAWS)
        more: Row = {"assigned": int(assigned["draw_id"].nunique())}
        note = self._why_not(epoch, later, first)
        if note:
            return self._row(contrast, "", epoch, method, Estimate(NAN), note) | more
        if method == CLUSTERED:
            gain, note = clustered_gain(later, first, self.confidence)
            se, df = gain.se, gain.n_clusters - 1.0
        else:
            key = ("union", "coaching", self.seed, self.outcome, contrast, epoch)
            note = _speaks_of(assigned, "runs", epoch != 1)
            if len(gains := motion_gains(later, first)) >= FEWEST_FLIPPED:
                later, first = Draws(gains.to_numpy(dtype=float), tuple(gains.index)), None
                note = _of_motions(len(gains), epoch != 1)
            beside = (first or NO_DRAWS).differences
            gain, test = flipped_gain(
                later.differences,
                beside,
                strata=(later.motions, (first or NO_DRAWS).motions),
                confidence=self.confidence,
                flips=self.resamples,
                seed=stream(*key),
            )
            gain = replace(gain, n=n)
            more["simulation_error"] = test.simulation_error
            least = _least_p(later, first)
            se, df = spread_of_gain(later.differences, beside)
            if np.isinf(gain.ci_high - gain.ci_low):
                note += " A missing limit is infinite."
            if least >= 1.0 - self.confidence:
                note, se = f"{note} So few draws allow no p-value below {least:.3g}.", NAN
        powers = self._powers(se, df)
        return self._row(contrast, "", epoch, method, gain, note) | more | powers

    def _draws(self, chosen: pd.Series) -> Draws:
        debates = self.values[chosen]
        wide = debates.pivot(index=["motion_id", "draw_id"], columns="arm", values="value")
        wide = wide.reindex(columns=[COACHED, CONTROL]).dropna().sort_index()
        differences = (wide[COACHED] - wide[CONTROL]).to_numpy(dtype=float)
        return Draws(differences, tuple(str(name) for name, _ in wide.index))

    def _why_not(self, epoch: int, later: Draws, first: Draws | None) -> str:
        """Why a contrast has no estimate; empty where it has one."""
        if self.lacking:
            return f"The design has no {self.lacking} arm: nothing to compare with."
        is_alone = self.frame["epoch"].max() == 1
        if is_alone and (first is not None or epoch == COACHED_EPOCHS):
            return "The design has one epoch: no memo was read."
        if self.undefined:
            return self._why_nothing()
        if not len(later) or (first is not None and not len(first)):
            return "No draw has this outcome in both arms."
        return ""

    def _why_nothing(self) -> str:
        if self.undefined and self.outcome == "student_votes":
            return "No debate has it: no vote could be read, or students are on both sides."
        return "No debate has this outcome."

    def _powers(self, se: float, df: float) -> Row:
        """The smallest gain found with 80% power, and the power of each gain."""
        if not (np.isfinite(se) and se > _TIE and df >= 1.0):
            return {}
        alpha = 1.0 - self.confidence
        power_of = {power_name(gain): power_t(gain, se, df, alpha) for gain in self.gains}
        return {"mde_80": detectable(se, df, _POWER, alpha), **power_of}

    def _row(
        self, contrast: str, arm: str, epoch: int, method: str, estimated: Estimate, note: str
    ) -> Row:
        numbers = ("estimate", "ci_low", "ci_high", "p_value")
        return {
            "outcome": self.outcome,
            "contrast": contrast,
            "arm": arm or f"{COACHED}-{CONTROL}",
            "epoch": int(epoch),
            "method": method,
            **{name: _finite(getattr(estimated, name)) for name in numbers},
            "simulation_error": None,
            "p_adjusted": None,
            "p_bh": None,
            "n": estimated.n,
            "n_clusters": estimated.n_clusters,
            "assigned": 0,
            "chains": 0 if arm == CONTROL or epoch == 1 else self.motions,
            "headline": False,
            "mde_80": None,
            "note": note,
            **{power_name(gain): None for gain in self.gains},
        }


def power_name(gain: float) -> str:
    """The column of the power to find a gain."""
    return f"power_{gain:g}"


def _least_p(later: Draws, first: Draws | None) -> float:
    """The smallest p-value that so many draws allow.

    Of all patterns those are as extreme as any that have all signs turned; and, where every motion
    has as many draws in both epochs, those with turned signs and epochs exchanged.
    """
    of_later, other = Counter(later.motions), Counter((first or NO_DRAWS).motions)
    places = prod(comb(of_later[name] + other[name], of_later[name]) for name in of_later)
    as_extreme = 4.0 if of_later == other else 2.0
    return as_extreme / (2.0 ** (of_later.total() + other.total()) * places)


def clustered_gain(later: Draws, first: Draws | None, confidence: float) -> tuple[Estimate, str]:
    """The mean of the motions' gains, with the motion and its memos as the cluster; and a note."""
    gains = motion_gains(later, first)
    mean = robust_mean(gains.to_numpy(dtype=float), gains.index.to_numpy(str), confidence)
    n = len(later) + len(first or NO_DRAWS)
    gain = Estimate(mean.estimate, mean.se, mean.ci_low, mean.ci_high, mean.p_value, n, len(gains))
    if len(gains) < 2:
        return gain, "One motion is one cluster: no interval over motions."
    if len(gains) < FEWEST_MOTIONS:
        gain = replace(gain, se=NAN, ci_low=NAN, ci_high=NAN, p_value=NAN)
        return gain, "Two motions are too few: no interval over motions."
    if np.isnan(mean.se):
        return gain, "No interval: the motions' gains do not differ."
    return gain, _of_motions(len(gains), True)


def motion_gains(later: Draws, first: Draws | None) -> pd.Series:
    """By motion, the mean difference of the later draws, less that of the first where asked."""
    gains = _by_motion(later)
    return gains if first is None else (gains - _by_motion(first)).dropna()


def _of_motions(motions: int, has_memos: bool) -> str:
    memos = " and their chains of memos" if has_memos else ""
    return f"This is about motions{memos}, from {motions} of them."


def _by_motion(draws: Draws) -> pd.Series:
    values = pd.Series(draws.differences, index=list(draws.motions), dtype=float)
    return values.groupby(level=0).mean()


def _speaks_of(debates: pd.DataFrame, what: str, has_memos: bool) -> str:
    """Whom an interval over debates or draws speaks of."""
    motions = debates["motion_id"].nunique()
    whose = "this motion" if motions == 1 else f"these {motions} motions"
    memos = "this chain of memos" if motions == 1 else "their chains of memos"
    return f"This is about further {what} of {whose}" + (f" under {memos}." if has_memos else ".")


def _finite(value: float) -> float | None:
    """A number; nothing for a limit that rules nothing out."""
    return float(value) if np.isfinite(value) else None
