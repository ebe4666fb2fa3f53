"""The reference run again: what it plays, and the noise floor that it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.design.contrasts import HEADLINE, Options
from dissensus.design.looks import judged_by
from dissensus.errors import SettingError
from dissensus.report.facts import Facts, unmarked
from dissensus.report.findings import derived, rows
from dissensus.report.floor import Floor
from dissensus.report.view import View
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from made_frames import frame_of
from played_study import played, study_of

OPTIONS = Options(0.95, 500, 1)
VIEW = View("x", {"confidence": 0.95}, True)
ARMS = ("a", "b", "c")
PLANTED = {"a": 0.0, "a_again": 0.0, "b": 1.5, "c": 0.05}


def spoken(study: Any, items: int, seed: int) -> pd.DataFrame:
    """Metrics of items that differ much from each other, with what is planted in each arm."""
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 2, items)

    def says(row: Any) -> list[float]:
        return [float(level[int(row["item_id"][1:])] + PLANTED[row["arm"]] + rng.normal(0, 0.5))]

    metrics, _ = played(study, items, says, again=True)
    return metrics


def facts_of(contrasts: list[dict[str, Any]]) -> Facts:
    return Facts("contrasts", frame_of(CONTRASTS, contrasts), CONTRASTS.key)


def test_the_floor_is_a_paired_difference_in_no_family() -> None:
    study = study_of(arms=ARMS)
    metrics = spoken(study, 30, 1)
    with_floor = compare(metrics, Compared.of(study, again=True), OPTIONS)
    (row,) = (r for r in with_floor if r["arm"] == "a_again" and r["method"] == HEADLINE
              and r["reference"])  # fmt: skip
    wide = metrics.pivot(index="draw_id", columns="arm", values="y")
    test = stats.ttest_rel(wide["a_again"], wide["a"])
    assert row["estimate"] == pytest.approx(float((wide["a_again"] - wide["a"]).mean()))
    assert row["p_value"] == pytest.approx(test.pvalue)
    assert row["p_adjusted"] is row["p_bh"] is None and not row["headline"]
    # All else is as it is without it.
    without = compare(metrics, Compared.of(study), OPTIONS)
    tested = {"floor_p": None, "floor_n": 0}
    assert [{**r, **tested} for r in with_floor if r["arm"] != "a_again"] == without
    floor = Floor.of(facts_of(with_floor), "a_again", VIEW)
    assert floor is not None and floor.beyond is not None
    assert (floor.beyond.found, floor.beyond.tested) == (1, 2)
    assert unmarked(floor.sentence) == (
        f"Noise floor: a run again differs from itself by {row['estimate']:+.3f} "
        f"[{row['ci_low']:.3f}, {row['ci_high']:.3f}], n = 30; 1 of 2 arms differs from a by more "
        "than that (95%, after Holm)."
    ).replace("-", "−")


def test_weighted_contrasts_and_those_of_a_study_that_may_stop() -> None:
    study = study_of(
        arms=ARMS, contrasts={"both": {"b": 1.0, "c": 1.0, "a": -2.0}, "b_a": ("b", "a")}
    )
    rows_of = compare(spoken(study, 30, 1), Compared.of(study, again=True), OPTIONS)
    floor = Floor.of(facts_of(rows_of), "a_again", VIEW)
    assert floor is not None
    assert unmarked(floor.sentence).endswith(
        "2 of 2 contrasts are larger than what a differs from itself by, with the same weight "
        "(95%, after Holm)."
    )
    look = {"block": 1, "outcome": "y", "estimate": 1.0, "ci_low": 0.5, "ci_high": 1.5}
    look |= {"p_value": 0.01, "n": 30, "n_clusters": 30, "family_low": 0.4, "family_high": 1.6}
    names = {"both": ("b + c", "2 a"), "b_a": ("b", "a")}
    last = [
        {**look, "contrast": name, "arm": arm, "reference": reference}
        for name, (arm, reference) in names.items()
    ]
    stopped = judged_by(last, rows_of)
    assert all(row["floor_p"] is None for row in stopped)
    floor = Floor.of(facts_of([{"factor": "", "level": "", "base": "", **r} for r in stopped]),
                     "a_again", VIEW)  # fmt: skip
    assert floor is not None
    untested = "n = 30; no contrast was tested against it, which takes a number for each draw"
    assert untested in unmarked(floor.sentence)


def test_the_floor_stands_beside_the_headline_and_among_the_findings() -> None:
    study = study_of(arms=ARMS)
    facts = facts_of(compare(spoken(study, 30, 1), Compared.of(study, again=True), OPTIONS))
    floor = Floor.of(facts, "a_again", VIEW)
    found = derived(facts.rows(headline=True), {}, floor)
    assert found.shown.bars[-1].is_null and found.shown.bars[-1].label == "a_again − a"
    said, numbers = rows(found, "")
    (sentence,) = (row for row in said if row["kind"] == "floor")
    assert floor is not None and sentence["sentence"] == unmarked(floor.sentence)
    printed = [row for row in numbers if row["sentence"] == f"finding:{sentence['place']}"]
    assert [row["column"] for row in printed][:3] == ["estimate", "ci_low", "ci_high"]
    # The level is a setting.
    assert [row["artefact"] for row in printed] == [*["contrasts"] * 6, "settings"]
    assert Floor.of(facts, "nobody", VIEW) is None


@pytest.mark.thorough
def test_equal_arms_are_beyond_the_floor_no_more_often_than_the_level_says() -> None:
    study, found = study_of(arms=("a", "b")), []
    for seed in range(200):
        said = np.random.default_rng(seed)
        drawn = {"draw_id": np.repeat(range(12), 3), "arm": ["a", "a_again", "b"] * 12}
        metrics = pd.DataFrame({**drawn, "complete": True, "y": said.normal(size=36)})
        metrics["item_id"] = metrics["draw_id"]
        contrasts = compare(metrics, Compared.of(study, again=True), Options(0.95, 10, 1))
        floor = Floor.of(facts_of(contrasts), "a_again", VIEW)
        assert floor is not None and floor.beyond is not None
        found.append(int(floor.beyond.found))
    assert np.mean(found) < 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


def test_an_arm_of_that_name_is_a_sentence() -> None:
    study = study_of(arms=("a", "a_again"))
    made = study(study.Settings.model_validate({"model": "m", "again": True}))
    with pytest.raises(SettingError, match=r"x\.again is true, .* has an arm 'a_again'"):
        made.check_settings()
    study(study.Settings.model_validate({"model": "m"})).check_settings()
    # Without it, an arm of that name is an arm like any other.
    metrics, _ = played(study, 3, lambda row: [1.0 if row["arm"] == "a_again" else 0.0])
    (row,) = (r for r in compare(metrics, Compared.of(study), OPTIONS) if r["headline"])
    assert (row["arm"], row["estimate"]) == ("a_again", 1.0)


def test_what_is_registered_says_it() -> None:
    study = study_of(arms=ARMS)
    made = study(study.Settings.model_validate({"model": "m", "again": True}))
    assert "a is run a second time (a_again), as the noise floor" in made.summary()
