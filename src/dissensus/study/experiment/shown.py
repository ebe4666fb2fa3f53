"""Figures and tables of an experiment, and what they are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dissensus.design.again import again_of
from dissensus.report.declared import Figure, Table
from dissensus.study.experiment.factors import TIMES
from dissensus.study.experiment.outcomes import Outcome

if TYPE_CHECKING:
    from dissensus.study.experiment.design import ExperimentDesign

_REPORT = "dissensus.report"
_FIGURES, _TABLES = "1 Figures", "2 Tables"

OUTCOMES = Figure(
    "outcomes", f"{_REPORT}.arms:plot", ("contrasts",), "Outcomes by arm", _FIGURES, True
)
CONTRASTS = Table("table_contrasts", f"{_REPORT}.arms:table", ("contrasts",), "Arms", _TABLES, True)
_FACTORS = (
    Figure(
        "factors",
        f"{_REPORT}.factors:plot",
        ("contrasts",),
        "Outcomes by level of the factors",
        _FIGURES,
    ),
    Table("table_factors", f"{_REPORT}.factors:table", ("contrasts",), "Arms", _TABLES),
)
BY_ROUND_OUTPUTS = (
    Figure(
        "rounds",
        f"{_REPORT}.rounds:plot",
        ("contrasts_by_round",),
        "Outcomes by round",
        _FIGURES,
    ),
    Table(
        "table_rounds",
        f"{_REPORT}.rounds:table",
        ("contrasts_by_round", "contrasts"),
        "Arms",
        _TABLES,
    ),
)
_ROUNDS_LEVELS = Table(
    "table_rounds_levels", f"{_REPORT}.rounds:levels", ("contrasts_by_round",), "Arms", _TABLES
)

#: The table of a study of which a factor is a sample.
_SAMPLE = Table(
    "table_sample",
    f"{_REPORT}.factors:sample",
    ("contrasts",),
    "Arms",
    _TABLES,
    True,
    "Does it hold for others like them?",
)

_SHOWN = "dissensus.study.experiment.labels.shown"
#: The tables of a study that people have labelled.
LABELS = (
    Table(
        "table_labels",
        f"{_SHOWN}:estimates",
        ("labelled_contrasts", "judge_agreement"),
        "Arms",
        _TABLES,
        True,
        "What do people's labels change?",
    ),
    Table("table_agreement", f"{_SHOWN}:agreement", ("judge_agreement",), "Arms", _TABLES),
)


def outputs_of(cls: type[ExperimentDesign]) -> tuple[tuple[Figure, ...], tuple[Table, ...]]:
    """Its figures and tables, with those of factors and of rounds where it has any."""
    figures, tables = list(cls.figures), list(cls.tables)
    for has_any, (figure, table) in (
        (cls.factors, _FACTORS),
        (cls.has_courses(), BY_ROUND_OUTPUTS),
    ):
        figures += [figure] if has_any and figure not in figures else []
        tables += [table] if has_any and table not in tables else []
    if cls.sample and _SAMPLE not in tables:
        tables.append(_SAMPLE)
    if cls.factors and cls.round_outcomes() and _ROUNDS_LEVELS not in tables:
        tables.append(_ROUNDS_LEVELS)
    return tuple(figures), tuple(tables)


def shown_settings(study: ExperimentDesign) -> dict[str, Any]:
    """Arms, contrasts, factors, titles of outcomes, and what means are tested against."""

    def titles(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
        return {name: outcome.words(name) for name, outcome in outcomes.items()}

    return {
        "arms": list(study.arms),
        "reference": study.arms[0],
        "again": again_of(study.arms) if study.settings.again else "",
        "labelled": study.labelled_outcome if study.is_labelled else "",
        "cluster": study.cluster,
        "outcomes": titles(
            {name: each for name, each in study.declared_outcomes().items() if not each.keys}
        ),
        "statistics": list(study.statistics()),
        "outcomes_by_round": titles(study.round_outcomes()) | _curves(study),
        "by_design": [
            *(name for name, each in study.session_outcomes().items() if each.where),
            *study.statistics(),
        ],
        "nulls": {name: outcome.null for name, outcome in study.declared_outcomes().items()},
        "contrasts": [[each.name, each.arm, each.reference] for each in study.compared()],
        "factors": {
            name: {"levels": list(factor.names), "is_numeric": factor.has_slope}
            for name, factor in study.declared_factors().items()
        },
        "sample": study.sample,
        "interactions": [TIMES.join(pair) for pair in study.interactions],
    }


def _curves(study: ExperimentDesign) -> dict[str, str]:
    """Statistic -> what its curve is called."""
    return {
        name: f"{outcome.title or name.replace('_', ' ')}: share without it"
        for name, outcome in study.statistics().items()
        if outcome.statistic is not None and outcome.statistic.curve
    }
