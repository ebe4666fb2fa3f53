"""An experiment that may stop: its random order, what it refuses, and what its diagnosis finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.design.contrasts import HEADLINE
from dissensus.design.looks import looks_of, paired_differences
from dissensus.design.stopping import ANYTIME, Rule
from dissensus.errors import SettingError
from dissensus.study.experiment import Material, Outcome, diagnosis
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.drawing import draw_sessions
from noisy_study import Alone, Noisy
from played_study import played, study_of
from stopping_study import ITEMS, Topics

STOP = {"alpha": 0.05}


def settings_of(**stop: Any) -> dict[str, Any]:
    return {"half_width": None, "most": None, "alpha": 0.05, **stop}


@settings(max_examples=30)
@given(st.integers(2, 30), st.integers(1, 3), st.integers(1, 6), st.integers(0, 99), st.data())
def test_a_larger_most_only_adds_blocks(
    items: int, repeats: int, block_size: int, seed: int, data: st.DataObject
) -> None:
    names = [f"i{number}" for number in range(items)]
    clusters = {name: f"c{data.draw(st.integers(0, items // 2))}" for name in names}

    def drawn(most: int | None) -> list[dict[str, Any]]:
        arms = ("a", "b")
        rows = draw_sessions(
            names, arms, {}, repeats, block_size, seed, clusters=clusters, most=most
        )
        # Ids get wider with the number of draws.
        return [{**row, "session_id": "", "draw_id": int(row["draw_id"][1:])} for row in rows]

    every = drawn(None)
    assert sorted({row["item_id"] for row in every}) == sorted(names)
    assert len(every) == 2 * items * repeats
    most = data.draw(st.integers(1, items * repeats))
    some = drawn(most)
    assert some == every[: len(some)] and len(some) <= 2 * most
    # Whole blocks of whole clusters.
    left = every[len(some) :]
    assert not {row["block"] for row in some} & {row["block"] for row in left}
    for key in clusters.values():
        assert len({row["block"] for row in every if clusters[row["item_id"]] == key}) <= 1


def test_the_order_is_random_and_no_order_without_a_rule() -> None:
    names = [f"i{number:02d}" for number in range(40)]
    given_order = [row["item_id"] for row in draw_sessions(names, ("a",), {}, 1, 10, 1)]
    assert given_order == names
    alone = dict(zip(names, names, strict=True))
    orders = [
        [row["item_id"] for row in draw_sessions(names, ("a",), {}, 1, 10, seed, clusters=alone)]
        for seed in range(3)
    ]
    assert all(sorted(order) == names for order in orders)
    assert len({tuple(order) for order in [names, *orders]}) == 4


def test_what_has_no_paired_difference_says_why_it_cannot_stop() -> None:
    assert Noisy(Noisy.Settings.model_validate({"model": "m"})).never_stops == ""
    alone = Alone(Alone.Settings.model_validate({"model": "m"}))
    assert "one arm" in alone.never_stops
    arms = ("a", "b", "c")
    skewed = study_of(arms=arms, contrasts={"both": {"a": -1.0, "b": 0.5, "c": 0.5}})
    made = skewed(skewed.Settings.model_validate({"model": "m"}))
    assert "its contrast both have different weights" in made.never_stops
    placebo = study_of(arms=("a", "b"), material={"peers": Material("a", ("b",))})
    made = placebo(placebo.Settings.model_validate({"model": "m"}))
    assert "read those of other items" in made.never_stops


def test_a_block_that_most_does_not_fill_is_a_sentence() -> None:
    rows = {f"i{number}": {"item_id": f"i{number}", "level": 1} for number in range(9)}
    block = {"repeats": 1, "block_size": 5, "again": False, "stop": settings_of(most=4)}
    with pytest.raises(SettingError, match=r"noisy\.stop\.most holds 4, and a block has at least"):
        Noisy.draw_manifest(rows, block, 1)


def test_what_is_registered_has_the_rule() -> None:
    made = Topics(Topics.Settings.model_validate({"model": "m", "stop": {**STOP, "most": 80}}))
    said = " ".join(made.registered({}, 1).tests)
    assert (
        "the e-value after Holm is 20 or more (alpha 0.05)" in said and "80 draws at most" in said
    )
    assert [figure.name for figure in made.figures][-1] == "looks"
    without = Topics(Topics.Settings.model_validate({"model": "m"}))
    assert "looked at" not in " ".join(without.registered({}, 1).tests)
    assert "looks" not in [figure.name for figure in without.figures]


SIMULATIONS = 60


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is played within a second, and tests of few signs beside the looks."""
    monkeypatch.setattr(diagnosis, "_SESSIONS", 700)
    monkeypatch.setattr(diagnosis, "_FLIPS", 100)


def diagnosed(stop: dict[str, Any], **speech: float) -> pd.DataFrame:
    """Rows by world and estimator, from texts that a simulated agent says in topics."""
    given = {"simulations": SIMULATIONS, "items": [ITEMS]}
    block = {"model": "m", "diagnosis": given, "block_size": 20, "stop": stop}
    study = Topics(Topics.Settings.model_validate(block))
    (source,) = Topics.collect(study.settings.model_dump(), 1).values()
    items = {row["item_id"]: row for row in source[1]}
    says = {"noise": 1.0, "effect": 0.0, "of_topic": 0.0, "tails": 30.0, **speech}
    model = {"provider": "simulated", "behaviour": "stopping_study", "speech": says}
    rows = diagnosis.diagnose(study, items, {"m": model}, 1, 1)
    return pd.DataFrame(rows).set_index(["world", "estimator"])


@pytest.mark.thorough
def test_simulated_studies_that_stop_find_what_is_there_and_nothing_else(small: None) -> None:
    """From planted texts with heavy tails, in topics with effects of their own, to the interval."""
    error = 2 * (0.05 * 0.95 / SIMULATIONS) ** 0.5
    found = diagnosed(STOP, effect=2.0, of_topic=0.5, tails=2.0)
    world = f"{ITEMS} items, told-plain"
    null, planted = found.loc[f"{world}, null", ANYTIME], found.loc[world, ANYTIME]
    assert null["rejection"] <= 0.05 + error and null["coverage"] >= 0.95 - error
    assert null["saved"] < 0.05
    assert planted["coverage"] >= 0.95 - error
    # It is found sooner than a study of a fixed size ends, but not sooner than it is known.
    assert planted["rejection"] > 0.5 and 0.1 < planted["saved"] < 0.85
    assert pd.isna(found.loc[world, HEADLINE]["saved"])


@pytest.mark.thorough
def test_a_narrow_interval_ends_a_study_whatever_it_finds(
    small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SIMULATIONS", 20)
    found = diagnosed({"half_width": 0.8}).loc[f"{ITEMS} items, told-plain, null", ANYTIME]
    assert found["saved"] > 0.3 and found["width"] <= 1.6
    assert found["coverage"] > 0.8 and found["rejection"] < 0.2


@pytest.mark.thorough
@pytest.mark.parametrize("rates", [(0.05, 0.05, 0.05), (0.02, 0.02, 0.4)], ids=["null", "planted"])
def test_limits_of_bounded_outcomes_hold_together_at_all_looks(
    rates: tuple[float, float, float],
) -> None:
    """Shares that are 0 or 1 and seldom 1, whose differences have no symmetry, read from texts."""
    study = study_of(arms=("a", "b", "c"), outcomes={"y": Outcome("Share.", bounds=(0.0, 1.0))})
    design, chance, studies = Compared.of(study), dict(zip("abc", rates, strict=True)), 100
    planted = {f"{arm}-a": chance[arm] - chance["a"] for arm in "bc"}
    missed, found = 0, dict.fromkeys(planted, 0)
    rng = np.random.default_rng(1)

    def says(row: dict[str, Any]) -> list[float]:
        return [float(rng.random() < chance[row["arm"]])]

    for seed in range(studies):
        metrics, _ = played(study, 80, says, seed=seed)
        blocks = {name: place // 20 + 1 for place, name in enumerate(metrics["draw_id"].unique())}
        rows = paired_differences(
            metrics, design.compared, "y", design.columns, blocks, design.outcomes["y"].limits
        )
        looks = pd.DataFrame(looks_of(pd.DataFrame(rows), Rule(None, 1e-12, 0.95)))
        assert looks["block"].nunique() == 4
        true = looks["contrast"].map(planted)
        missed += bool(((looks["family_low"] > true) | (looks["family_high"] < true)).any())
        for row in looks[looks["block"] == 4].to_dict("records"):
            found[row["contrast"]] += row["family_low"] > 0 or row["family_high"] < 0
    most = stats.binom.ppf(0.999, studies, 0.05)
    assert missed <= most and found["b-a"] <= most
    assert found["c-a"] > 0.9 * studies if planted["c-a"] else found["c-a"] <= most
