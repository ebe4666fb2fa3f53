"""Judges of a benchmark of debates with sides exchanged, through the audit of anybody's judges.

Its repository has no licence, so that no vote is kept: what is kept is what the audit says of the
votes, and how many there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from dissensus.audit.report import audit_votes, records
from dissensus.audit.votes import ALL, read_votes
from dissensus.errors import ResourceError
from dissensus.report.claims.published import OPEN, Published, Section
from dissensus.report.labels import interval
from dissensus.validation.sources import Data, Figures

NAME, FILE, COUNTS = "judges", "judges_audit.csv", "judges_counts.csv"
_REPORTS = "reports/debate_matchup_judgments"
_GROUP = re.compile(r"^- side_swap_group_id: `([^`]+)`$", re.M)
_TOPIC = re.compile(r"^- topic_id: `([^`]+)`$", re.M)
_DEBATE = re.compile(r"^## Debate (\w+)$", re.M)
_ROLES = re.compile(r"^- roles: PRO = \*\*([^*\n]+)\*\*, CON = \*\*([^*\n]+)\*\*$", re.M)
_VOTE = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([+-]?[\d.]+) \| [+-]?[\d.]+ \| [^|]* \|$", re.M)
#: What the benchmark's status report prints, by judge as its matchup reports call them.
_PRINTED = {
    "Kimi K2.6": (1273, 656),
    "Qwen 3.6 Max Preview": (1262, 647),
    "Gemini 3.1 Pro Preview": (308, 155),
    "Claude Sonnet 4.6 (high reasoning)": (277, 139),
    "Grok 4.3": (266, 133),
    "GPT-5.5 (high reasoning)": (222, 112),
}
_ROWS, _AGREEMENT, _BIAS = 3608, 0.553, 0.157


def votes(folder: Path) -> pd.DataFrame:
    """A row a judgment, from the benchmark's reports.

    Raises
    ------
    ResourceError : a report has not the form that is read.
    """
    paths = sorted((folder / _REPORTS).rglob("matchup-judgment-*.md"))
    return pd.DataFrame([row for path in paths for row in _judgments(path)])


def _judgments(path: Path) -> Iterator[dict[str, str]]:
    text = path.read_text("utf-8")
    group, topic = _GROUP.search(text), _TOPIC.search(text)
    if not group or not topic:
        raise ResourceError(f"{path} names no group and topic; take the commit that is named.")
    _, *parts = _DEBATE.split(text)
    for debate, part in zip(parts[::2], parts[1::2], strict=True):
        roles = _ROLES.search(part)
        if roles:
            for judge, _, margin in _VOTE.findall(part):
                yield {
                    **{"item": group[1], "topic": topic[1], "debate": debate},
                    **{"judge": judge.strip(), "margin_pro": margin},
                    **{"pro": roles[1], "con": roles[2]},
                }


def figures(folder: Path) -> dict[str, pd.DataFrame]:
    """What is kept: the audit's numbers, and counts."""
    table = votes(folder)
    with TemporaryDirectory() as place:
        path = Path(place) / "votes.csv"
        table.to_csv(path, index=False)
        audited = records(audit_votes(read_votes(path, ["item=item"])))
    by_judge = table.groupby("judge").agg(rows=("item", "size"), groups=("item", "nunique"))
    counts = by_judge.reset_index().assign(agreed="", decisions="")
    agreed, decisions = _same_winner(table)
    whole = {
        **{"judge": ALL, "rows": len(table), "groups": table["item"].nunique()},
        **{"agreed": agreed, "decisions": decisions},
    }
    return {FILE: pd.DataFrame(audited), COUNTS: pd.DataFrame([*counts.to_dict("records"), whole])}


def _same_winner(table: pd.DataFrame) -> tuple[int, int]:
    """Pairs of judges who name the same winner of a matchup, by their margins over both debates."""
    first = table[["pro", "con"]].min(axis=1)
    margin = table["margin_pro"].astype(float)
    signed = margin.where(table["pro"] == first, -margin)
    by_judge = signed.groupby([table["item"], table["judge"]]).sum().unstack()
    won = by_judge.gt(0).astype(float).sub(by_judge.lt(0).astype(float)).where(by_judge.notna())
    agreed = decisions = 0
    for place, one in enumerate(won.columns):
        for other in won.columns[:place]:
            both = won[[one, other]].dropna()
            agreed += int((both[one] == both[other]).sum())
            decisions += len(both)
    return agreed, decisions


FIGURES: dict[str, Figures] = {NAME: figures}


def sections(data: Data) -> Iterator[Section]:
    """What the benchmark prints of its judges, and what the audit finds."""
    counts = {str(row["judge"]): row for row in data.figures(COUNTS).to_dict("records")}
    audited = data.figures(FILE)
    whole = counts[ALL]
    share = int(whole["agreed"]) / int(whole["decisions"])
    lines = [Published("Judgments", _ROWS, int(whole["rows"]))]
    for judge, (rows, groups) in _PRINTED.items():
        here = counts[judge]
        lines.append(Published(f"{judge}, judgments", rows, int(here["rows"])))
        lines.append(Published(f"{judge}, matchups", groups, int(here["groups"])))
    why = (
        f"{OPEN}: of {int(whole['decisions']):,} pairs, by the sum of a judge's margins over both "
        "debates, a tie being a third name; the code that computes the printed one is not published"
    )
    quantity = "Pairs of judges who name the same winner of a matchup"
    lines.append(Published(quantity, _AGREEMENT, share, why, digits=3))
    for statistic, quantity, why in _FOUND:
        lines.append(_found(audited, ALL, statistic, quantity, why))
    sided = audited[audited["statistic"].eq("pro_of_following") & audited["judge"].ne(ALL)]
    for judge in sided["judge"]:
        quantity = f"{judge}: of the pairs that follow the side, for PRO"
        lines.append(_found(audited, judge, "pro_of_following", quantity, ""))
    yield Section(NAME, "Judges of debates with sides exchanged", lines, _WORDS)


_WORDS = (
    "The benchmark prints no test of whether its judges favour a side. The audit is that of "
    "`dissensus audit`, on the votes of its reports of matchups ([Judges of anybody](audit.md)). "
    f"Its mean bias for the presented side, {_BIAS}, is of a column (who is shown first) that "
    "these reports do not have: it is left out here, and open."
)
_FOUND = (
    (
        "pro_of_following",
        "Of the pairs of votes that follow the side, for PRO",
        "the same judge on the same two models with sides exchanged; .5 without a bias",
    ),
    (
        "pro_of_following_by_cluster",
        "The same, with motions as what varies",
        "motions that are easier to argue for look like a bias of judges",
    ),
    ("following", "Pairs of votes that follow the side", "of all exchanged pairs without a tie"),
    ("krippendorff_alpha", "Krippendorff's alpha of the judges", "of one debate's votes"),
    ("gwet_ac1", "Gwet's AC1 of the judges", "of one debate's votes"),
    ("kish_effective_number", "Independent judges that they are worth", "Kish"),
)


def _found(audited: pd.DataFrame, judge: str, statistic: str, quantity: str, why: str) -> Published:
    """A number of the audit, that nobody published."""
    rows = audited[audited["judge"].eq(judge) & audited["statistic"].eq(statistic)]
    row = rows.iloc[0]
    limits = ""
    if row["ci_low"] and row["ci_high"]:
        limits = interval(float(row["ci_low"]), float(row["ci_high"]))
    return Published(
        quantity, None, float(row["estimate"]), why or "no test is printed", 3, limits=limits
    )
