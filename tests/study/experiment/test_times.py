"""The time to an event, from texts to curves and contrasts; some sessions end before it comes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.design.contrasts import HEADLINE, METHODS, RANDOMISATION, Options
from dissensus.errors import SettingError
from dissensus.stats.multiplicity import adjust
from dissensus.study.experiment import EventFree, Experiment, Outcome, RestrictedMean
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from dissensus.study.experiment.courses import CONTRASTS_BY_ROUND, curves
from dissensus.study.experiment.registered import registered_analysis
from dissensus.study.experiment.shown import shown_settings
from marking import thorough_but
from panel_study import declared
from played_study import played, study_of

UNTIL = 5
OUTCOMES = {
    "stays": Outcome("Rounds.", "Rounds", statistic=RestrictedMean("until", "flips", until=UNTIL)),
    "left": Outcome("Not flipped.", statistic=EventFree("until", "flips", at=2)),
    "until": Outcome("Round of the flip, or the last one."),
    "flips": Outcome("1 where it flips.", is_share=True),
}
OPTIONS = Options(0.95, 500, 1)


def study(**more: Any) -> type[Experiment]:
    def measure(self: Any, turns: pd.DataFrame, item: Any) -> dict[str, float]:
        until, flips = turns["value"]
        return {"until": until, "flips": flips}

    return study_of(**{"outcomes": OUTCOMES, "measure": measure, **more})


def flipped(
    cls: type[Experiment], items: int, rng: np.random.Generator, hazard: dict[str, float],
    ends: float = 0.2, spread: float = 0.0, repeats: int = 1,
) -> pd.DataFrame:  # fmt: skip
    """Metrics of sessions that flip in each round by chance, and of which some end before.

    An agent flips by ``hazard``, more or less from item to item. After each round the session ends
    with the chance of ``ends``, whatever was said.
    """
    odds = rng.normal(0, spread, items)

    def says(row: Any) -> list[float]:
        given = hazard[row["arm"]]
        logit = math.log(given / (1 - given)) + odds[int(row["item_id"][1:])]
        for round_ in range(1, 9):
            if rng.random() < 1 / (1 + math.exp(-logit)):
                return [float(round_), 1.0]
            if rng.random() < ends:
                break
        return [float(round_), 0.0]

    return played(cls, items, says, repeats)[0]


def test_from_texts_what_is_planted_is_found_though_sessions_end_before() -> None:
    cls = study()
    hazard = {"a": 0.15, "b": 0.4}
    metrics = flipped(cls, 700, np.random.default_rng(1), hazard)
    assert 0.2 < 1 - metrics["flips"].mean() < 0.6
    rows = compare(metrics, Compared.of(cls), OPTIONS)
    assert all(set(row) == set(CONTRASTS.columns) for row in rows)
    found = {(r["outcome"], r["arm"], r["reference"], r["method"]): r for r in rows}
    planted = {arm: sum((1 - h) ** t for t in range(UNTIL)) for arm, h in hazard.items()}
    for arm, h in hazard.items():
        mean, left = found["stays", arm, "", HEADLINE], found["left", arm, "", HEADLINE]
        assert mean["ci_low"] < planted[arm] < mean["ci_high"] < UNTIL
        assert left["ci_low"] < (1 - h) ** 2 < left["ci_high"]
        # Those who count a session that ended as one that never flips are wrong.
        of = metrics[metrics["arm"] == arm]
        naive = np.where(of["flips"] == 1, np.minimum(of["until"], UNTIL), UNTIL).mean()
        assert naive > mean["ci_high"] or arm == "b"
    row = found["stays", "b", "a", HEADLINE]
    assert row["headline"] and row["p_value"] < 0.001
    assert abs(row["estimate"] - (planted["b"] - planted["a"])) < 3 * row["se"] < 0.5
    assert found["stays", "b", "a", RANDOMISATION]["p_value"] < 0.01


def test_the_curves_are_at_every_round_with_a_family_of_their_own() -> None:
    cls = study()
    assert cls.has_courses() and not cls.round_outcomes()
    assert {figure.name for figure in cls.figures} == {"outcomes", "rounds"}
    made = cls(cls.Settings.model_validate({"model": "m"}))
    by_round = shown_settings(made)["outcomes_by_round"]
    assert by_round == {"stays": "Rounds: share without it"}
    (_, second) = [stage.function.rpartition(":")[2] for stage in made.stages({})]
    assert second == "compare_experiment_by_round"
    (line,) = [e for e in registered_analysis(made).estimands if e.startswith("stays")]
    assert "the mean until without flips, of which no more than 5 counts" in line
    metrics = flipped(cls, 200, np.random.default_rng(2), {"a": 0.1, "b": 0.3})
    rows = list(curves(metrics, Compared.of(cls), OPTIONS))
    assert all(set(row) == set(CONTRASTS_BY_ROUND.columns) for row in rows)
    means = {(r["arm"], r["round"]): r for r in rows if not r["reference"]}
    assert set(means) == {(arm, t) for arm in "ab" for t in range(UNTIL + 1)}
    assert means["a", 0]["estimate"] == 1.0
    for arm, h in (("a", 0.1), ("b", 0.3)):
        inside = [
            means[arm, t]["ci_low"] < (1 - h) ** t < means[arm, t]["ci_high"]
            for t in range(1, UNTIL + 1)
        ]
        assert sum(inside) >= 4
    for method in METHODS:
        family = [r for r in rows if r["method"] == method and r["reference"]]
        holm = adjust([math.nan if r["p_value"] is None else r["p_value"] for r in family], "holm")
        given = [math.nan if r["p_adjusted"] is None else r["p_adjusted"] for r in family]
        assert given == pytest.approx(list(holm), nan_ok=True)


@pytest.mark.parametrize("studies", thorough_but((6, 300), 6))
def test_arms_that_flip_alike_are_not_told_apart(studies: int) -> None:
    """Items differ in how soon they flip, and have two draws each."""
    cls, rng, found = study(), np.random.default_rng(3), dict.fromkeys(METHODS, 0)
    for seed in range(studies):
        metrics = flipped(cls, 20, rng, {"a": 0.25, "b": 0.25}, spread=1.0, repeats=2)
        for row in compare(metrics, Compared.of(cls), Options(0.95, 300, seed)):
            if row["outcome"] == "stays" and row["reference"]:
                found[row["method"]] += row["p_value"] <= 0.05
    room = 3 * math.sqrt(0.05 * 0.95 * studies)
    assert max(found.values()) <= 0.05 * studies + room


@pytest.mark.parametrize(
    ("statistic", "sentence"),
    [
        (RestrictedMean("until", "flips"), "until is 0.0; it must be a time, such as"),
        (RestrictedMean("until", "flips", until="3"), "until is '3'; it must be a time"),  # type: ignore[arg-type]
        (EventFree("until", "flips", at=-1), "at is -1; it must be a time"),
        (EventFree("until", "flip", at=1), "computed from 'flip'; it may be an outcome"),
    ],
)
def test_a_time_that_is_none_is_a_sentence(statistic: Any, sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        declared(outcomes={"until": "u", "flips": "f", "x": Outcome("x", statistic=statistic)})
    assert sentence in str(caught.value)
