"""What debates were like: references, distances of models, control, influence."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dissensus.deliberation.figures.frames import (
    arm_words,
    arms_of,
    complete,
    numbers,
    schedules_of,
)
from dissensus.deliberation.measures.distances import SPREAD
from dissensus.design.contrasts import defined, robust_mean
from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import records
from dissensus.report.labels import MISSING, interval, number, p_value, percent
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import View
from dissensus.stats.results import Estimate

_DISTANCES = ("kl", "jsd", "wasserstein", "tv", "nmi")


def table_references(artefacts: Artefacts, view: View) -> Table:
    """Whether engagements name an agent and a claim that are there."""
    metrics = artefacts.frame("metrics")
    ended = complete(metrics)
    rows = []
    for arm in arms_of(view):
        own = ended[ended["arm"] == arm]
        resolved, ambiguous, dangling = (
            _mean(own[name]) for name in ("compliance", "ambiguous", "dangling")
        )
        other = 1.0 - resolved - ambiguous - dangling
        shares = (resolved, ambiguous, dangling, max(other, 0.0) if other == other else other)
        cells = [percent(share) for share in (*shares, _mean(own["parsed_share"]))]
        rows.append((arm_words(arm), str(len(numbers(own["compliance"]))), *cells))
    note = (
        "Means over the sessions with any engagement. Resolved: agent and claim both exist and "
        "came earlier. Ambiguous: several claims fit, or the agent named is not the author. "
        "Dangling: no claim fits. Own or later: a claim of oneself, or one not yet seen. Read: "
        "share of turns whose structured part could be read, in the end."
    )
    columns = ("Arm", "N", "Resolved", "Ambiguous", "Dangling", "Own or later", "Turns read")
    return make("table_references", "Compliance of references", columns, rows, note, view.simulated)


def _mean(column: pd.Series[float]) -> float:
    values = numbers(column)
    return float(values.mean()) if len(values) else np.nan


def table_pairs(artefacts: Artefacts, view: View) -> Table:
    """How far models are apart: every pair in the reference, the mean over pairs elsewhere."""
    pairs = artefacts.frame("pairs")
    rows: list[Row] = []
    for arm in arms_of(view):
        first, last = (
            pairs[(pairs["arm"] == arm) & (pairs["round"] == when)] for when in ("first", "last")
        )
        if arm == view.reference:
            names = ["agent_a", "agent_b"]
            for begins, ends in zip(
                records(first.sort_values(names)), records(last.sort_values(names)), strict=True
            ):
                both = f"{ends['agent_a']}, {ends['agent_b']}"
                cells = [number(one[name]) for name in _DISTANCES for one in (begins, ends)]
                tested = (p_value(ends["nmi_p"]), str(ends["n"]))
                rows.append((arm_words(arm), both, *cells, *tested))
        if len(last):
            cells = [number(_mean(one[name])) for name in _DISTANCES for one in (first, last)]
            rows.append((arm_words(arm), "mean of all pairs", *cells, MISSING, MISSING))
    note = (
        "1: in the first round, R: in the last. Distributions over a topic's options, means over "
        "the sessions that two models share. "
        f"KL of the first from the second (with {percent(SPREAD)} of belief spread evenly) and "
        "Jensen-Shannon divergence in bits; W, Wasserstein on "
        "|k − l|/(K − 1) for ordered options; TV, total variation for others; NMI, normalised "
        "mutual information of stances over sessions, p in the last round against permuted "
        "sessions. Every pair of every arm is in pairs.parquet."
    )
    heads = ("KL", "JSD", "W", "TV", "NMI")
    columns = (
        *("Arm", "Models", *(f"{head}, {when}" for head in heads for when in ("1", "R"))),
        *("p (NMI)", "Sessions"),
    )
    return make("table_pairs", "Distances between models", columns, rows, note, view.simulated)


def table_control(artefacts: Artefacts, view: View) -> Table:
    """Where contentiousness ended, and how far quality was then from the target."""
    rounds, target = artefacts.frame("rounds"), view["target"]
    rows = []
    for arm, schedule in schedules_of(view).items():
        own = rounds[(rounds["arm"] == arm) & rounds["contentiousness"].notna()]
        ends = own[own["round"] == own["round"].max()]
        final = robust_mean(
            ends["contentiousness"].to_numpy(dtype=float),
            ends["draw_id"].to_numpy(dtype=str),
            view.confidence,
        )
        gain = _quality_gain(rounds, ends, view)
        steered = own[own["error"].notna()]
        rows.append(
            (
                arm_words(arm),
                schedule,
                str(len(ends)),
                number(_mean(own.loc[own["round"] == 1, "contentiousness"]), 2),
                number(defined(final.estimate), 2),
                interval(defined(final.ci_low), defined(final.ci_high), 2),
                number(_mean(own.loc[own["round"] == 1, "quality"]), 2),
                number(_mean(ends["quality"]), 2),
                number(defined(gain.estimate), 2),
                interval(defined(gain.ci_low), defined(gain.ci_high), 2),
                number(_mean(ends["error"]), 2),
                f"{int(steered['frozen'].sum())} of {len(steered)}" if len(steered) else MISSING,
            )
        )
    note = (
        "Contentiousness β that debaters were told and mean quality ρ of their arguments, means "
        f"over sessions with {view.level} intervals by draw. Error: ρ* − ρ with ρ* = {target:g}, "
        "plus what a fall of disagreement without evidence adds. Gain: ρ in the last round minus "
        "that of the arm whose contentiousness stays as it is, paired by draw. Frozen: rounds in "
        "which the loop stood still, since quality had been falling with contentiousness."
        if rows
        else "No arm of this run steers contentiousness."
    )
    columns = (
        *("Arm", "Schedule", "Sessions", "β first", "β last", f"{view.level} CI, β", "ρ first"),
        *("ρ last", "Gain", f"{view.level} CI, gain", "Error last", "Frozen"),
    )
    return make("table_control", "Control of contentiousness", columns, rows, note, view.simulated)


def _quality_gain(rounds: pd.DataFrame, ends: pd.DataFrame, view: View) -> Estimate:
    """Quality in the last round against the arm with the fixed schedule, within draws."""
    fixed = [arm for arm, schedule in schedules_of(view).items() if schedule == "fixed"]
    base = rounds[rounds["arm"].isin(fixed[:1]) & (rounds["round"] == ends["round"].max())]
    both = ends.merge(base, on="draw_id", suffixes=("", "_fixed"))
    gains = both.loc[both["arm"] != both["arm_fixed"], ["draw_id", "quality", "quality_fixed"]]
    gains = gains.dropna()
    return robust_mean(
        (gains["quality"] - gains["quality_fixed"]).to_numpy(dtype=float),
        gains["draw_id"].to_numpy(dtype=str),
        view.confidence,
    )


def table_influence(artefacts: Artefacts, view: View) -> Table:
    """Who leads and who is passed over, by model."""
    influence, metrics, manifest = artefacts.frames("influence", "metrics", "manifest")
    seats = pd.DataFrame(
        [
            (row["session_id"], f"A{seat}", model)
            for row in records(manifest)
            for seat, model in enumerate(row["cast"], start=1)
        ],
        columns=["session_id", "agent", "model"],
    )
    frame = influence.merge(seats, on=["session_id", "agent"], how="left")
    ended = complete(metrics)
    leaders = ended.rename(columns={"top_influencer": "agent"})[["session_id", "agent"]].merge(
        seats, on=["session_id", "agent"], how="left"
    )
    led = leaders[leaders["model"].notna()]
    rows = [_model(str(model), own, led) for model, own in frame.groupby("model", sort=True)]
    gini = number(_mean(ended["dominance"]), 2)
    note = (
        f"All arms. A session has a leader where one agent's Katz sum is greater than any other's, "
        f"{len(led)} of {len(ended)}; the mean Gini of in-degrees is {gini}. Influence: "
        "P(another moves | it refers to the model) − P(moves | it does not), within a session; "
        "openness the same for the model's own moves; associations both. Passed over: mean share "
        "of a seat's claims that nobody engaged."
    )
    columns = ("Model", "Seats", "Leads", "Influence", "Openness", "Katz", "Claims", "Passed over")
    title = "Influence by model"
    return make("table_influence", title, columns, rows, note, view.simulated)


def _model(model: str, own: pd.DataFrame, led: pd.DataFrame) -> Row:
    share = float((led["model"] == model).mean()) if len(led) else np.nan
    cells = [number(_mean(own[name])) for name in ("direct_out", "direct_in", "katz")]
    return (
        model,
        str(len(own)),
        percent(share),
        *cells,
        number(_mean(own["claims"]), 1),
        percent(_mean(own["marginalisation"])),
    )
