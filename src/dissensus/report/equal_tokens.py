"""Is debate worth its tokens: accuracy by tokens, and the debate against every other strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dissensus.design.equal_tokens import REFINE, REFINE_VOTE, SAMPLES
from dissensus.report.claims.ranked import Ranked
from dissensus.report.facts import Facts
from dissensus.report.forms import AFTER_HOLM, course, fill_key, forest, key_of, legend
from dissensus.report.frames import Record, significant
from dissensus.report.labels import counted, interval, listed, number, p_clause, signed
from dissensus.report.style import Mark, marks, new_figure, notice, zero_line
from dissensus.report.view import Drawn, View

#: What stands in the place of a verdict.
WORTH, NOT_WORTH, UNTOLD = (
    "debate is worth its tokens",
    "debate is not worth its tokens",
    "whether debate is worth its tokens cannot be told",
)


def draw_equal_tokens(strategies: Facts, group: str, unit: str, missing: str, view: View) -> Drawn:
    """Draw each group as a row: curves at the left, differences at the right.

    Parameters
    ----------
    strategies : rows of :func:`dissensus.design.equal_tokens.equal_tokens_schema`.
    group : the column that names a group.
    unit : what is answered: a question, a draw.
    missing : the sentence where there are no rows.
    """
    frame = strategies.frame
    facts = describe(strategies, group, unit, missing, view)
    groups = list(dict.fromkeys(frame[group]))
    if not groups:
        return Drawn(notice(missing, view.simulated), facts)
    names = list(dict.fromkeys(frame.loc[frame["step"] > 0, "strategy"]))
    look = marks(names, names[0]) if names else {}
    figure = new_figure(0.35 + 2.3 * len(groups), view.simulated)
    panels = figure.subplots(len(groups), 2, squeeze=False)
    for name, (left, right) in zip(groups, panels, strict=True):
        rows = frame[frame[group] == name]
        _curves(left, rows, look)
        _differences(right, strategies.rows(**{group: name, "compared": True}), view)
        left.set_title(str(name))
    panels[-1][0].set_xlabel(f"mean tokens on a {unit}")
    panels[-1][1].set_xlabel("accuracy of the debate − of the other")
    legend(figure, [*map(key_of, look.values()), *fill_key(*AFTER_HOLM)], 3)
    return Drawn(figure, facts)


def _curves(axes: Axes, rows: pd.DataFrame, look: dict[str, Mark]) -> None:
    """Accuracy after every step of each strategy that has several; the first is the debate."""
    for place, (name, mark) in enumerate(look.items()):
        of_strategy = rows[rows["strategy"] == name]
        if len(of_strategy):
            limits = {"accuracy_low": "ci_low", "accuracy_high": "ci_high"}
            named = of_strategy.drop(
                columns=["round", "estimate", "ci_low", "ci_high"], errors="ignore"
            )
            named = named.rename(columns={"tokens": "round", "accuracy": "estimate", **limits})
            course(axes, named, mark, step="tokens", banded=place == 0)
    axes.set_ylabel("accuracy")
    axes.set_xlim(left=0.0)


def _differences(axes: Axes, compared: Sequence[Record], view: View) -> None:
    """The debate less every other strategy, where that has spent no more; named with its price."""
    names = {row["strategy"]: f"{row['strategy']}, {_price(row)}" for row in compared}
    mark = marks(["debate"], "debate")["debate"]
    forest(axes, names, [(mark, {row["strategy"]: row for row in compared})], significant(view))
    zero_line(axes, vertical=True)


def _price(row: Mapping[str, Any]) -> str:
    """Such as "3,012 tokens" or "3,012 tokens, $0.0021"."""
    tokens = "tokens unknown" if pd.isna(row["tokens"]) else f"{row['tokens']:,.0f} tokens"
    return tokens if pd.isna(row["usd"]) else f"{tokens}, ${number(row['usd'], 4)}"


def verdict(rows: Sequence[Record], alpha: float) -> str:
    """What the compared rows of a group say together, after adjustment."""
    told = [row for row in rows if row["p_adjusted"] < alpha]
    if any(row["estimate"] < 0 for row in told):
        return NOT_WORTH
    return WORTH if rows and len(told) == len(rows) else UNTOLD


def describe(strategies: Facts, group: str, unit: str, missing: str, view: View) -> dict[str, str]:
    """What the caption says: the verdict of every group, and the strategies that decide it."""
    verdicts = []
    for name in dict.fromkeys(strategies.frame[group]):
        steps = strategies.rows(**{group: name, "is_debate": True})
        debate = max(steps, key=lambda row: row["step"])
        among = strategies.rows(**{group: name, "compared": True})
        compared = [row for row in among if not _is_debate(row)]
        best = Ranked.least(compared).words(_against, lambda row: str(row["strategy"]))
        against = f"; the strongest without debate is {best}" if best else ""
        verdicts.append(
            f"{name}: {verdict(compared, view.alpha)} ({debate['strategy']}, accuracy "
            f"{number(debate['accuracy'])} at {_price(debate)}{against}; "
            f"{counted(debate['n'], unit)})"
        )
    return {
        "found": f"{'; '.join(verdicts)}." if verdicts else missing,
        "curves": listed(_curve_words(strategies.frame)) or "none",
        "level": view.level,
    }


def _against(row: Mapping[str, Any]) -> str:
    """Another strategy, its price, and what the debate is better by."""
    limits = interval(row["ci_low"], row["ci_high"], 3, "−")
    return (
        f"{row['strategy']} at {_price(row)}, the debate less it {signed(row['estimate'])} "
        f"{limits}, {p_clause(row['p_adjusted'])} after Holm"
    )


def _curve_words(frame: pd.DataFrame) -> list[str]:
    """What is drawn of every strategy that has several steps."""
    described = {
        SAMPLES: "self-consistency (the vote over more and more answers of agents that see nobody)",
        REFINE: "self-refine (one agent that revises its own answer)",
        REFINE_VOTE: "self-refine, then vote (agents that each revise their own)",
    }
    names = dict.fromkeys(frame.loc[frame["step"] > 0, "strategy"])
    return [
        described.get(name, f"{name} (the vote of the agents after every round)") for name in names
    ]


def _is_debate(row: Record) -> bool:
    """Whether another debate is what is compared: it says nothing of debate as such."""
    return str(row["strategy"]).startswith("debate")
