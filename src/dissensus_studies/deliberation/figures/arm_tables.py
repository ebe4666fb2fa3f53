"""What the arms were like: how disagreement ended, engagement, hints and calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import pandas as pd

from dissensus.design.contrasts import HEADLINE
from dissensus.report.frames import (
    Column,
    Record,
    attrition,
    complete,
    defined,
    mean,
    records,
    tabulate,
)
from dissensus.report.labels import MISSING, in_brackets, interval, number, whole
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, View

from ..inference.contrasts import HINTS
from .frames import contrast_words, short_name

_HUNDREDTHS = partial(number, digits=2)

#: Of what means are given: how disagreement ended, and how agents engaged with each other.
_ENDED = (
    *("entropy_first", "entropy_last", "retention_last", "groupthink"),
    *("agreement_last", "abstained_last", "correct_last"),
)
_ENGAGED = (
    *("density_mean", "claim_engagement", "rival_coverage", "silent_share", "ignored_share"),
    *("dominance", "sycophancy_per_opportunity", "quality_last", "consistency", "undecidable"),
)
_COMPLETE = Column("Complete", ("ended", "assigned"), "{}/{}".format)
_MEANS = (
    "Means over the sessions that ran to their end (of those assigned). Where an outcome is "
    "undefined in some of them (no judge, no truth, nobody who disagreed) the number of "
    "sessions stands in brackets."
)


def table_arms(artefacts: Artefacts, view: View) -> Table:
    """How disagreement ended in each arm."""
    metrics, rounds = artefacts.frames("metrics", "rounds")
    last = rounds[rounds["round"] == rounds["round"].max()]
    rows = [
        {**row, **_lost(of_arm, last[last["arm"] == row["arm"]], view)}
        for row, of_arm in _by_arm(metrics, _ENDED, view)
    ]
    levels = " / ".join(f"{level:g}" for level in view["alerts"])
    columns = (
        Column("Arm", "arm", view.arm),
        _COMPLETE,
        *_mean_columns(_ENDED[:2]),
        Column("The same, Miller-Madow", "corrected"),
        Column("Collapsed (premature)", "collapsed"),
        *_mean_columns(_ENDED[2:3]),
        Column(f"Retention below {levels}", "alerts"),
        *_mean_columns(_ENDED[3:]),
    )
    note = (
        f"{_MEANS} Entropy in bits, with Miller and Madow's correction for few "
        "agents beside it. Collapsed: sessions whose entropy fell to the set share of the first "
        "round's, and in how many of them agents shared less evidence in that round than before. "
        "Retention below: sessions that end below each alert. Groupthink: the share of "
        "disagreement lost, times the share of rival options not engaged. Agreement and correct: "
        "of the agents who do not abstain. The measures are the project's own."
    )
    facts = {
        "reference": view.arm(view.reference),
        "attrition": attrition(artefacts, "session", "metrics"),
    }
    return tabulate("table_arms", "Disagreement by arm", columns, rows, note, view, facts)


def table_engagement(artefacts: Artefacts, view: View) -> Table:
    """How agents engaged with each other in each arm."""
    (metrics,) = artefacts.frames("metrics")
    rows = [row for row, _ in _by_arm(metrics, _ENGAGED, view)]
    note = (
        f"{_MEANS} Rival coverage: of the options that others hold, those that an agent engages. "
        "Undecidable: turns of which neither rule nor judge says whether they follow. The "
        "measures are the project's own."
    )
    columns = (Column("Arm", "arm", view.arm), _COMPLETE, *_mean_columns(_ENGAGED))
    return tabulate("table_engagement", "Engagement by arm", columns, rows, note, view)


def _by_arm(
    metrics: pd.DataFrame, outcomes: Sequence[str], view: View
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """An arm's row with its means, and the metrics of its sessions that were held."""
    ended = complete(metrics)
    for arm in view.arms:
        of_arm = ended[ended["arm"] == arm]
        assigned = int((metrics["arm"] == arm).sum())
        means = {name: _mean(of_arm[name], len(of_arm)) for name in outcomes}
        yield {"arm": arm, "ended": len(of_arm), "assigned": assigned, **means}, of_arm


def _mean_columns(outcomes: Sequence[str]) -> Iterator[Column]:
    for name in outcomes:
        yield Column(short_name(name), name)


def _lost(of_arm: pd.DataFrame, last: pd.DataFrame, view: View) -> dict[str, str]:
    """How disagreement ended in the sessions of an arm."""
    collapsed = of_arm["collapse_round"].notna()
    premature = int((of_arm.loc[collapsed, "premature"] == True).sum())  # noqa: E712
    lowest = pd.to_numeric(last["alert"], errors="coerce")
    below = " / ".join(str(int((lowest <= level).sum())) for level in view["alerts"])
    return {
        "corrected": number(mean(last["entropy_mm"]), 2),
        "collapsed": in_brackets(whole(int(collapsed.sum())), "premature", whole(premature)),
        "alerts": below,
    }


def _mean(values: pd.Series[float], n: int) -> str:
    """A mean, with its size where that is not all."""
    n_defined = len(defined(values))
    return in_brackets(number(mean(values), 2), "n", whole(n_defined) if 0 < n_defined < n else "")


def table_hints(artefacts: Artefacts, view: View) -> Table:
    """Acceptance of valid hints beside rejection of invalid ones."""
    metrics, contrasts = artefacts.frames("metrics", "contrasts")
    ended = complete(metrics)
    hinted = {arm: ended.loc[ended["arm"] == arm, list(HINTS)] for arm in view.arms}
    rows = [
        {"arm": view.arm(arm), **{name: _spread(of_arm[name]) for name in HINTS}}
        for arm, of_arm in hinted.items()
        if of_arm.notna().any(axis=None)
    ]
    differences = contrasts[
        (contrasts["method"] == HEADLINE)
        & contrasts["outcome"].isin(list(HINTS))
        & (contrasts["reference"] != view.reference)
    ]
    pairs: dict[tuple[str, str], Record] = {}
    for row in records(differences):
        name = contrast_words(row["arm"], row["reference"], view)
        nothing = {"arm": name, **dict.fromkeys(HINTS, _NOTHING)}
        pairs.setdefault((row["arm"], row["reference"]), nothing)[row["outcome"]] = (
            *(number(row["estimate"], 2), interval(row["ci_low"], row["ci_high"], 2)),
            str(row["n"]),
        )
    columns = [
        Column("Arm", "arm"),
        *(
            Column(head, name, itemgetter(place))
            for name, kind, what in zip(HINTS, ("valid", "invalid"), _HINTED, strict=True)
            for place, head in enumerate((what, f"SD or CI, {kind}", f"N {kind}"))
        ),
    ]
    rows += pairs.values()
    note = (
        "Valid: share of the agents that did not hold the hinted option before and end on it. "
        "Invalid: share of those that do not end on it. Means over sessions with the standard "
        f"deviation; differences within draws with {view.level} intervals by topic. An arm that "
        "rejects all hints alike gains in one column what it loses in the other."
        if rows
        else "No session of this run was given a hint."
    )
    return tabulate("table_hints", "What became of hints", columns, rows, note, view)


_HINTED = ("Valid accepted", "Invalid rejected")
#: Estimate, spread and size where there is nothing.
_NOTHING = (MISSING, MISSING, "0")


def _spread(values: pd.Series[float]) -> tuple[str, str, str]:
    numbers = defined(values)
    sd = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return number(mean(values), 2), number(sd, 2), str(len(numbers))


def table_calls(artefacts: Artefacts, view: View) -> Table:
    """What each arm asked of models, and whether debaters were asked as often as designed."""
    metrics, outcomes, manifest = artefacts.frames("metrics", "outcomes", "manifest")
    frame = complete(metrics).merge(
        manifest[["session_id", "agents", "rounds"]], on="session_id", validate="1:1"
    )
    rows = [
        _calls(arm, frame[frame["arm"] == arm], outcomes[outcomes["arm"] == arm])
        for arm in view.arms
    ]
    columns = (
        Column("Arm", "arm", view.arm),
        Column("Sessions", "sessions"),
        Column("N × R", "designed"),
        Column("Debater calls", "debaters"),
        Column("As designed", ("designed", "debaters"), lambda n, m: "yes" if n == m else "NO"),
        Column("Judge calls", "judges"),
        Column("Retries", "retries"),
        Column("Judge per debater call", "judges_a_call", _HUNDREDTHS),
        Column("Repairs", "repairs"),
        Column("Attempts", "attempts"),
    )
    note = (
        "Turns of the sessions that ran to their end: N agents in R rounds make N × R debater "
        "calls, whatever the arm. Retries are turns that a judge sent back; repairs, further calls "
        "for a reply without its structured part; attempts, how often sessions were begun, lost "
        "ones included."
    )
    return tabulate("table_calls", "Calls by arm", columns, rows, note, view)


def _calls(arm: str, of_arm: pd.DataFrame, begun: pd.DataFrame) -> dict[str, Any]:
    debaters, judges = int(of_arm["debater_calls"].sum()), int(of_arm["judge_calls"].sum())
    return {
        "arm": arm,
        "sessions": len(of_arm),
        "designed": int((of_arm["agents"] * of_arm["rounds"]).sum()),
        "debaters": debaters,
        "judges": judges,
        "retries": int(of_arm["retry_calls"].sum()),
        "judges_a_call": judges / debaters if debaters else None,
        "repairs": int(begun["repairs"].sum()),
        "attempts": int(begun["attempts"].sum()),
    }
