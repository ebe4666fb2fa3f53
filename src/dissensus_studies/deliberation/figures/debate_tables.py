"""What debates were like: references, distances of models, control, influence."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from dissensus.design.contrasts import defined, robust_mean
from dissensus.report.frames import Column, Record, complete, keyed, mean, records, tabulate
from dissensus.report.labels import MISSING, estimate, interval, number, p_value, percent
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View
from dissensus.stats.results import Estimate

from ..measures.distances import SPREAD
from .frames import schedules_of

_HUNDREDTHS = partial(number, digits=2)
_DISTANCES = ("kl", "jsd", "wasserstein", "tv", "nmi")


def table_references(artefacts: Artefacts, view: View) -> Table:
    """Whether engagements name an agent and a claim that are there."""
    metrics = artefacts.frame("metrics")
    ended = complete(metrics)
    rows = [_references(arm, ended[ended["arm"] == arm]) for arm in view.arms]
    note = (
        "Means over the sessions with any engagement. Resolved: agent and claim both exist and "
        "came earlier. Ambiguous: several claims fit, or the agent named is not the author. "
        "Dangling: no claim fits. Own or later: a claim of oneself, or one not yet seen. Read: "
        "share of turns whose structured part could be read, in the end."
    )
    columns = (
        Column("Arm", "arm", view.arm),
        Column("N", "sessions"),
        Column("Resolved", "compliance", percent),
        Column("Ambiguous", "ambiguous", percent),
        Column("Dangling", "dangling", percent),
        Column("Own or later", "other", percent),
        Column("Turns read", "parsed_share", percent),
    )
    return tabulate("table_references", "Compliance of references", columns, rows, note, view)


def _references(arm: str, of_arm: pd.DataFrame) -> dict[str, Any]:
    names = ("compliance", "ambiguous", "dangling", "parsed_share")
    shares = {name: mean(of_arm[name]) for name in names}
    rest = 1.0 - sum(shares[name] for name in names[:3])
    sessions = len(of_arm["compliance"].dropna())
    # Below zero by rounding alone; what is undefined stays so.
    return {"arm": arm, "sessions": sessions, **shares, "other": max(rest, 0.0)}


def table_pairs(artefacts: Artefacts, view: View) -> Table:
    """How far models are apart: every pair in the reference, the mean over pairs elsewhere."""
    pairs = artefacts.frame("pairs")
    rows: list[Row] = []
    for arm in view.arms:
        first, last = (
            pairs[(pairs["arm"] == arm) & (pairs["round"] == when)] for when in ("first", "last")
        )
        if arm == view.reference:
            names = ["agent_a", "agent_b"]
            for begins, ends in zip(
                records(first.sort_values(names)), records(last.sort_values(names)), strict=True
            ):
                both = f"{ends['agent_a']}, {ends['agent_b']}"
                cells = [number(edge[name]) for name in _DISTANCES for edge in (begins, ends)]
                tested = (p_value(ends["nmi_p"]), str(ends["n"]))
                rows.append((view.arm(arm), both, *cells, *tested))
        if len(last):
            cells = [number(mean(row[name])) for name in _DISTANCES for row in (first, last)]
            rows.append((view.arm(arm), "mean of all pairs", *cells, MISSING, MISSING))
    note = (
        "1: in the first round, R: in the last. Distributions over a topic's options, means over "
        "the sessions that two models share. "
        f"KL of the first from the second (with {percent(SPREAD)} of belief spread evenly) and "
        "Jensen-Shannon divergence in bits; W, Wasserstein on "
        "|k − l|/(K − 1) for ordered options; TV, total variation for others; NMI, normalised "
        "mutual information of stances over sessions, p in the last round against permuted "
        "topics. Every pair of every arm is in pairs.parquet."
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
    rows = [_steered(arm, schedule, rounds, view) for arm, schedule in schedules_of(view).items()]
    columns = (
        Column("Arm", "arm", view.arm),
        Column("Schedule", "schedule"),
        Column("Sessions", "sessions"),
        Column("β first", "beta_first", _HUNDREDTHS),
        *_of_estimate("β last", f"{view.level} CI, β", "beta"),
        Column("ρ first", "rho_first", _HUNDREDTHS),
        Column("ρ last", "rho_last", _HUNDREDTHS),
        Column("Signed, last", "signed_last", _HUNDREDTHS),
        Column("Last rounds", "quadrants"),
        *_of_estimate("Gain", f"{view.level} CI, gain", "gain"),
        Column("Error last", "error", _HUNDREDTHS),
        Column("Frozen", "frozen"),
    )
    note = (
        "Contentiousness β that debaters were told and mean quality ρ of their arguments, means "
        f"over sessions with {view.level} intervals by draw. Signed: reasons less rival reasons, "
        "over their sum; strong rivals raise ρ and lower it. Last rounds: much divergence and "
        "quality are healthy, much divergence and little quality chaotic, little and much "
        f"converged, little and little stuck. Error: ρ* − ρ with ρ* = {target:g}, "
        "plus what a fall of disagreement without evidence adds. Gain: ρ in the last round minus "
        "that of the arm whose contentiousness stays as it is, paired by draw. Frozen: rounds in "
        "which the loop stood still, since quality had been falling with contentiousness."
        if rows
        else "No arm of this run steers contentiousness."
    )
    return tabulate("table_control", "Control of contentiousness", columns, rows, note, view)


def _of_estimate(header: str, limits: str, key: str) -> tuple[Column, Column]:
    return (
        Column(header, key, lambda estimate: number(defined(estimate.estimate), 2)),
        Column(limits, key, lambda f: interval(defined(f.ci_low), defined(f.ci_high), 2)),
    )


def _steered(arm: str, schedule: str, rounds: pd.DataFrame, view: View) -> dict[str, Any]:
    told = rounds[(rounds["arm"] == arm) & rounds["contentiousness"].notna()]
    ends = told[told["round"] == told["round"].max()]
    first, steered = told[told["round"] == 1], told[told["error"].notna()]
    return {
        "arm": arm,
        "schedule": schedule,
        "sessions": len(ends),
        "beta_first": mean(first["contentiousness"]),
        "beta": robust_mean(
            ends["contentiousness"].to_numpy(dtype=float),
            ends["draw_id"].to_numpy(dtype=str),
            view.confidence,
        ),
        "rho_first": mean(first["quality"]),
        "rho_last": mean(ends["quality"]),
        "signed_last": mean(ends["quality_signed"]),
        "quadrants": _quadrants(ends),
        "gain": _quality_gain(rounds, ends, view),
        "error": mean(ends["error"]),
        "frozen": f"{int(steered['frozen'].sum())} of {len(steered)}" if len(steered) else MISSING,
    }


def _quadrants(ends: pd.DataFrame) -> str:
    """Such as "healthy 7, stuck 5"; those of a judged last round."""
    counts = ends.loc[ends["quadrant"] != "", "quadrant"].value_counts()
    return ", ".join(f"{name} {counts[name]}" for name in sorted(counts.index)) or MISSING


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
    influence, metrics, manifest, left_out = artefacts.frames(
        "influence", "metrics", "manifest", "left_out"
    )
    without = keyed(left_out, "model")
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
    rows = [
        _model(str(model), seated, led) | {"without": without.get(str(model))}
        for model, seated in frame.groupby("model")
    ]
    gini = number(mean(ended["dominance"]), 2)
    note = (
        f"All arms. A session has a leader where one agent's Katz sum is greater than any other's, "
        f"{len(led)} of {len(ended)}; the mean Gini of in-degrees is {gini}. Influence: "
        "P(another moves | it refers to the model) − P(moves | it does not), within a session; "
        "openness the same for the model's own moves; associations both. Passed over: mean share "
        "of a seat's claims that nobody engaged. Left out: how far all others end from where they "
        f"end with it (total variation, less that of two arms alike), with {view.level} intervals "
        "by topic, where arms hold the draws again with its turns shown to nobody."
    )
    columns = (
        Column("Model", "model"),
        Column("Seats", "seats"),
        Column("Leads", "leads", percent),
        Column("Influence", "direct_out", number),
        Column("Openness", "direct_in", number),
        Column("Katz", "katz", number),
        Column("Claims", "claims", partial(number, digits=1)),
        Column("Passed over", "marginalisation", percent),
        Column("Left out", "without", _moved),
    )
    return tabulate("table_influence", "Influence by model", columns, rows, note, view)


def _moved(row: Record | None) -> str:
    return estimate(row["estimate"], row["ci_low"], row["ci_high"]) if row else MISSING


def _model(model: str, seated: pd.DataFrame, led: pd.DataFrame) -> dict[str, Any]:
    names = ("direct_out", "direct_in", "katz", "claims", "marginalisation")
    leads = mean(led["model"] == model)
    means = {name: mean(seated[name]) for name in names}
    return {"model": model, "seats": len(seated), "leads": leads, **means}
