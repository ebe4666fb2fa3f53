"""The clusters of the map as a table, on the map's page and among the tables of the study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dissensus.report.frames import Column, tabulate
from dissensus.report.labels import number, p_value, percent, share_interval
from dissensus.report.tables import Table
from dissensus.report.view import View

from ..tables import ALL

LIFT = Column("Lift", "lift", lambda lift: number(None if lift is None else 100 * lift, 1))
P_VALUES = (
    Column("p", "p_value", p_value),
    Column("p (Holm)", "p_adjusted", p_value),
    Column("p (BH)", "p_bh", p_value),
)


def all_or(what: str) -> Callable[[str], str]:
    """Writes a name as it is, or what stands for all of its kind."""
    return lambda name: f"all {what}" if name == ALL else name


def share_column(header: str, name: str) -> Column:
    """A share with its interval."""
    return Column(header, (name, f"{name}_low", f"{name}_high"), share_interval)


def cluster_table(clusters: Iterable[Mapping[str, Any]], view: View) -> Table:
    """All numbers of the clusters.

    Parameters
    ----------
    clusters : rows of ``clusters.parquet`` with those of ``cluster_names.parquet``.
    """
    columns = (
        Column("Motion", "motion_id", all_or("motions")),
        Column("No.", "cluster"),
        Column("Cluster", "name"),
        Column("Claims", "claims"),
        Column("Distinct", "distinct"),
        Column("Debates", "debates"),
        Column("Speakers", "speakers", lambda speakers: str(len(speakers))),
        Column("By the proposition", "proposition", percent),
        share_column("Survive", "survives"),
        Column("Won", "won", percent),
        LIFT,
        *P_VALUES,
        Column("Students, coached", ("first_epoch", "last_epoch"), _shift),
        Column("Students, control", ("first_epoch_control", "last_epoch_control"), _shift),
    )
    note = (
        "Distinct: claims in different words. Survive: share of the claims that stand at the end "
        f"of their debate, with a {view.level} interval that resamples draws. Won: share of "
        "debates won by the sides that make a claim of the cluster; lift: percentage points above "
        "the base rate of their side. Nobody was told at random what to claim: a lift is an "
        "association. p by permutation of verdicts within motion, adjusted over its clusters. "
        "Students: the cluster’s share of their claims, first and last epoch."
    )
    return tabulate("table_clusters", "Clusters of arguments", columns, clusters, note, view)


def _shift(first: float, last: float) -> str:
    return f"{percent(first, 0)} → {percent(last, 0)}"
