"""Figures and tables of experiments: arms, factors and rounds, with what is missing left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dissensus.design.contrasts import Options
from dissensus.report import arms, factors, rounds
from dissensus.report.style import sentence_of
from dissensus.report.view import Artefacts, View
from dissensus.study.experiment import Factor, Outcome
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from dissensus.study.experiment.courses import CONTRASTS_BY_ROUND, compare_by_round
from drawn import overlaps, visible_texts
from made_frames import frame_of
from played_study import played, study_of

OUTCOMES = {
    "y": Outcome("Last.", "Score", null=1.0),
    "gap": Outcome("Of several alone.", "Gap"),
    "course": Outcome("Each.", "Course", by="round"),
}
DOSE = {"dose": Factor((1, 6), "crossed"), "side": Factor(("for", "against"), "crossed")}


def measured(self: Any, turns: pd.DataFrame, item: Any) -> dict[str, Any]:
    said = turns["value"].tolist()
    is_alone = turns["arm"].isin(["a"]).all()
    return {"y": said[-1], "gap": None if is_alone else said[0], "course": dict(enumerate(said))}


def made(**more: Any) -> tuple[Artefacts, View]:
    """Artefacts of a small study, and what its figures are told."""
    study = study_of(**{"outcomes": OUTCOMES, "measure": measured, **more})
    rng = np.random.default_rng(1)
    metrics, by_round = played(study, 8, lambda row: rng.normal(1, 1, rng.integers(2, 4)).tolist())
    design, options = Compared.of(study), Options(0.95, 100, 1)
    courses, areas = compare_by_round(by_round, study.round_outcomes(), design, options)
    loaded = {
        "contrasts": frame_of(CONTRASTS, compare(metrics, design, options, areas)),
        "contrasts_by_round": frame_of(CONTRASTS_BY_ROUND, courses),
    }
    shown = study(study.Settings.model_validate({"model": "m"})).shown()
    return Artefacts({}, loaded), View("x", {**shown, "confidence": 0.95}, simulated=True)


def titles(figure: Figure) -> list[str]:
    return [axes.get_title(loc="left") for axes in figure.axes]


def rows_of(figure: Figure, panel: int) -> list[str]:
    return [label.get_text() for label in figure.axes[panel].get_yticklabels()]


def test_an_outcome_without_contrasts_leaves_no_empty_panel() -> None:
    drawn = arms.plot(*made())
    assert titles(drawn.figure) == ["Score", "Difference from a", "Gap"]
    score, _, gap = (axes.get_subplotspec() for axes in drawn.figure.axes)
    assert score is not None and gap is not None
    assert len(score.colspan) == 1 and len(gap.colspan) == 2
    assert all(axes.lines for axes in drawn.figure.axes)
    assert drawn.facts["compared"].startswith("Right: its mean difference from a, draw by draw (8")


def test_one_arm_has_means_alone() -> None:
    artefacts, view = made(arms=("b",), factors=DOSE)
    drawn = arms.plot(artefacts, view)
    assert titles(drawn.figure) == ["Score", "Gap"]
    assert drawn.facts["left"] == "The mean of each arm." and not drawn.facts["compared"]
    by_level = factors.plot(artefacts, view)
    # Means and effects of two outcomes by two factors; no contrast of arms to change.
    assert len(by_level.figure.axes) == 8 and by_level.facts["compared"] == ""
    course = rounds.plot(artefacts, view)
    assert titles(course.figure) == ["Course"] and course.facts["compared"] == ""
    table = arms.table(artefacts, view)
    assert [row[1] for row in table.rows] == ["b", "b"]
    assert {row[3] for row in factors.table(artefacts, view).rows} == {"b"}


def test_declared_contrasts_are_shown_by_their_names() -> None:
    weights = {"both": {"b": 0.5, "c": 0.5, "a": -1}, "last": ("c", "b")}
    artefacts, view = made(arms=("a", "b", "c"), contrasts=weights)
    drawn = arms.plot(artefacts, view)
    assert titles(drawn.figure)[1] == "Contrasts of arms"
    assert rows_of(drawn.figure, 1) == ["both", "last"]
    assert "both is 0.5 b + 0.5 c − a and last is c − b." in drawn.facts["compared"]
    cells = [row[1] for row in arms.table(artefacts, view).rows]
    assert cells[3:5] == ["both: 0.5 b + 0.5 c − a", "last: c − b"]
    (legend,) = rounds.plot(artefacts, view).figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c", "both", "last"]


def test_factors_have_a_row_a_level_and_a_slope_where_they_are_numbers() -> None:
    artefacts, view = made(factors=DOSE)
    drawn = factors.plot(artefacts, view)
    assert rows_of(drawn.figure, 0) == ["1", "6", "slope per unit"]
    assert rows_of(drawn.figure, 3) == ["for", "against"]
    assert drawn.figure.axes[2].get_xlabel() == "Change in the difference from a"
    table = factors.table(artefacts, view)
    of_score = [row[1:4] for row in table.rows if row[0] == "Score"]
    assert of_score[:4] == [("dose", n, arm) for arm in "ab" for n in "16"]
    assert ("dose", "slope", "all arms") in of_score
    assert ("side", "against − for", "b − a") in of_score
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_courses_say_how_many_each_round_rests_on() -> None:
    artefacts, view = made()
    drawn = rounds.plot(artefacts, view)
    assert titles(drawn.figure) == ["Course", "Difference from a"]
    frame = artefacts.frame("contrasts_by_round")
    last = frame[(frame["round"] == 2) & (frame["reference"] == "")]["n"]
    ticks = [label.get_text() for label in drawn.figure.axes[0].get_xticklabels()]
    assert ticks[0] == "0\nn 8" and ticks[2] == f"2\nn {last.min()}–{last.max()}"
    table = rounds.table(artefacts, view)
    assert [row[2] for row in table.rows if row[1] == "b − a"] == ["0", "1", "2", "area"]


@pytest.mark.parametrize("maker", [arms, factors, rounds])
def test_without_any_estimate_a_figure_says_so(maker: Any) -> None:
    artefacts, view = made(factors=DOSE)
    nothing = {name: frame.assign(estimate=np.nan) for name, frame in artefacts.loaded.items()}
    drawn = maker.plot(Artefacts({}, nothing), view)
    (axes,) = drawn.figure.axes
    assert axes.texts[0].get_text().startswith("No session has an outcome")
    # Its caption is that sentence, and not what would be drawn.
    assert sentence_of(drawn.figure).startswith("No session has an outcome")


@pytest.mark.parametrize("maker", [arms, rounds])
def test_long_titles_leave_the_panel_beside_them_alone(maker: Any) -> None:
    title = "Speakers who change their value, of those who have two"
    changed = {
        name: Outcome(outcome.meaning, title, null=outcome.null, by=outcome.by)
        for name, outcome in OUTCOMES.items()
    }
    drawn = maker.plot(*made(outcomes=changed, factors=DOSE))
    texts = visible_texts(drawn.figure)
    assert any(words.replace("\n", " ").startswith(title) for words, _ in texts)
    assert overlaps(texts) == []
