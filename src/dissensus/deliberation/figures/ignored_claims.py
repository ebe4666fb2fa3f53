"""Which claims are never taken up, and how long the others wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from dissensus.deliberation.figures.frames import ARM
from dissensus.design.contrasts import defined, robust_mean
from dissensus.report.artefacts import Artefacts
from dissensus.report.escaping import label
from dissensus.report.forms import legend, rows_axis, stack, swatch, whisker
from dissensus.report.frames import Array
from dissensus.report.labels import arm_words, interval, listed, percent
from dissensus.report.style import GREY, INK, Mark, new_figure, notice, styled
from dissensus.report.view import Drawn, View
from dissensus.stats.shares import none_or_all

NONE = "No claim could have been answered in a later round, so that none was ignored."

#: Rounds of waiting that are distinguished; what took longer shares the last colour.
_APART = 3

#: From answered at once to never; greys of print fall in the same order.
_WAITS = (
    Mark("after 1 round", "#0b3c6f", ""),
    Mark("after 2 rounds", "#4f86b8", ""),
    Mark("after 3 or more", "#a9c9e0", ""),
    Mark("not answered", "#f2e6cf", ""),
)


@dataclass(frozen=True)
class Waiting:
    """What became of the claims of one group.

    Attributes
    ----------
    name : of the group, for readers.
    never, low, high : share never engaged, with its interval over draws.
    shares : answered after 1, 2, ... rounds, and not at all, shape (_APART + 1,); sums to one.
    n : claims.
    """

    name: str
    never: float
    low: float
    high: float
    shares: Array
    n: int


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw shares never engaged at the left and waiting times at the right, by arm and by model."""
    claims, engagements, stances = artefacts.frames("claims", "engagements", "stances")
    # Who hears nobody engages no claim: baselines are no part of what models leave unanswered.
    claims = claims[claims["arm"].isin(view.arms)]
    frame = fates(claims, engagements, stances)
    facts = describe(claims, engagements, stances, view)
    if frame.empty:
        return Drawn(notice(NONE, view.simulated), facts)
    arms, models = by_arm(frame, view), by_model(frame, view)
    figure = new_figure(1.6 + 0.19 * (len(arms) + len(models)), view.simulated)
    panels = figure.subplots(
        2, 2, sharey="row", width_ratios=[1, 1.35], height_ratios=[len(arms) + 1, len(models) + 1]
    )
    reach = [limit for group in (*arms, *models) for limit in (group.never, group.high)]
    most = float(np.nanmax([0.1, *reach]))
    for row, groups in zip(panels, (arms, models), strict=True):
        _never(row[0], groups, min(1.03, 1.06 * most))
        _waits(row[1], groups)
        rows_axis(row[0], [group.name for group in groups])
        row[1].tick_params(axis="y", length=0)
    panels[0, 0].set_title("a  Never engaged, by arm")
    panels[0, 1].set_title("b  Rounds until first engaged, by arm")
    panels[1, 0].set_title("c  Never engaged, by model")
    panels[1, 1].set_title("d  Rounds until first engaged, by model")
    panels[1, 0].set_xlabel("share of claims")
    panels[1, 1].set_xlabel("share of claims (Kaplan-Meier)")
    legend(figure, map(swatch, _WAITS), right=True)
    return Drawn(figure, facts)


def fates(claims: pd.DataFrame, engagements: pd.DataFrame, stances: pd.DataFrame) -> pd.DataFrame:
    """Every claim that a later round could have answered.

    Returns
    -------
    A frame with session_id, draw_id, arm, model (of the author), engaged, and waited: rounds to
    the first engagement by another agent, or else those that were left to the debate.
    """
    resolved = engagements[
        (engagements["status"] == "resolved")
        & (engagements["source"] != engagements["resolved_agent"])
    ]
    first = resolved.groupby(["session_id", "resolved_claim"])["round"].min()
    first.index.names = ["session_id", "claim_id"]
    last = stances.groupby("session_id")["round"].max().rename("last")
    models = stances.drop_duplicates(["session_id", "agent"])[["session_id", "agent", "model"]]
    frame = (
        claims.merge(last, on="session_id")
        .merge(models, on=["session_id", "agent"], how="left")
        .merge(first.rename("first").reset_index(), on=["session_id", "claim_id"], how="left")
    )
    frame = frame[frame["round"] < frame["last"]]
    engaged = frame["first"].notna()
    waited = frame["first"].where(engaged, frame["last"]) - frame["round"]
    kept = frame[["session_id", "draw_id", "arm", "model"]]
    return kept.assign(engaged=engaged, waited=waited.astype(int))


def by_arm(frame: pd.DataFrame, view: View) -> list[Waiting]:
    """The arms that have claims, the reference first."""
    named_arms = set(frame["arm"])
    return [
        _waiting(arm_words(arm), frame[frame["arm"] == arm], view)
        for arm in view.arms
        if arm in named_arms
    ]


def by_model(frame: pd.DataFrame, view: View) -> list[Waiting]:
    """The authors' models, over all arms."""
    return [
        _waiting(label(model), frame[frame["model"] == model], view)
        for model in sorted(set(frame["model"]))
    ]


def _waiting(name: str, rows: pd.DataFrame, view: View) -> Waiting:
    """Share never engaged as the mean over sessions, a draw's sessions as one cluster."""
    never = 1.0 - rows.groupby(["draw_id", "session_id"])["engaged"].mean()
    draws = never.index.get_level_values("draw_id").to_numpy(dtype=str)
    mean = robust_mean(never.to_numpy(dtype=float), draws, view.confidence)
    low, high = none_or_all(mean.estimate, mean.n_clusters, view.confidence)
    if not np.isnan(low):
        mean = replace(mean, ci_low=low, ci_high=high)
    shares = first_answers(rows["waited"].to_numpy(), rows["engaged"].to_numpy(dtype=bool))
    return Waiting(name, mean.estimate, mean.ci_low, mean.ci_high, shares, len(rows))


def first_answers(waited: Array, engaged: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Array:
    """Shares answered after 1, 2 and more rounds, and not within the longest wait observed.

    A claim of a late round had less time: by Kaplan and Meier (1958, JASA 53:457-481), those at
    risk after k rounds are the claims that waited as long.
    """
    left, shares = 1.0, np.zeros(_APART + 1)
    for step in range(1, int(waited.max()) + 1):
        hazard = float(engaged[waited == step].sum() / (waited >= step).sum())
        shares[min(step, _APART) - 1] += left * hazard
        left *= 1.0 - hazard
    shares[_APART] = left
    return shares


def _never(axes: Axes, groups: Sequence[Waiting], most: float) -> None:
    """A dot and an interval for each group."""
    for row, group in enumerate(groups):
        whisker(axes, (group.never, max(group.low, 0.0), group.high), row, ARM)
    axes.grid(axis="x", color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlim(0.0, most)
    # The last number would meet the first of the panel at the right.
    axes.xaxis.set_major_locator(MaxNLocator(5, prune="upper"))


def _waits(axes: Axes, groups: Sequence[Waiting]) -> None:
    """A bar for each group, from answered at once to never."""
    names = [mark.name for mark in _WAITS]
    for row, group in enumerate(groups):
        stack(axes, row, dict(zip(names, group.shares, strict=True)), _WAITS)
        axes.text(1.015, row, f"{group.n:,}", va="center", size=6.5, color=GREY)
        if group.shares[-1] > 0.08:
            left = percent(group.shares[-1], 0)
            axes.text(0.985, row, left, va="center", ha="right", size=6.5, color=INK)
    axes.set_xlim(0.0, 1.1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])


def describe(
    claims: pd.DataFrame, engagements: pd.DataFrame, stances: pd.DataFrame, view: View
) -> dict[str, str]:
    """What the caption says."""
    frame = fates(claims, engagements, stances)
    if frame.empty:
        return {"text": NONE}
    arms, models = by_arm(frame, view), by_model(frame, view)

    def clause(group: Waiting) -> str:
        limits = interval(defined(group.low), defined(group.high), 2)
        return f"{percent(group.never, 0)} in {group.name} ({limits})"

    most, least = (pick(models, key=lambda group: group.never) for pick in (max, min))
    text = (
        f"Claims that another agent could still have answered, {len(frame):,} of {len(claims):,} "
        "(the last round's cannot be). Left: share never engaged by any other agent, mean over "
        f"sessions with {view.level} intervals over draws. Right: rounds until the first "
        "engagement; later claims had fewer rounds, which the Kaplan-Meier estimate allows for; "
        "the number at the right counts claims, the percentage those left without answer. "
        f"Never engaged: {clause(arms[0])}"
    )
    others = sorted(arms[1:], key=lambda group: group.never)
    ends = others if len(others) < 3 else [others[0], others[-1]]
    text += f"; of the other arms {listed(map(clause, ends))}. " if ends else ". "
    if most is not least:
        text += "By model: " + listed(
            f"{percent(group.never, 0)} of the claims of {group.name}" for group in (most, least)
        )
        text += ". "
    return {"text": text + "An engagement counts whatever its relation, if its reference resolves."}
