"""Levels, power and coverage of all that a study declares, in worlds whose truth is known."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from scipy import stats

from dissensus.design.contrasts import HEADLINE, RANDOMISATION
from dissensus.stats.balance import clopper_pearson
from dissensus.study.experiment import Factor, diagnosis
from dissensus.study.experiment.worlds import ALIKE, DIFFER, PLANTED, Told, World, worlds
from marking import thorough_but
from noisy_study import Dosed, Noisy

ITEMS = 12


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is played within a second."""
    monkeypatch.setattr(diagnosis, "_SESSIONS", 700)


class Ordered(Noisy):
    """Two arms, and a factor that changes nothing."""

    name = "ordered"
    factors: ClassVar = {"order": Factor(("ab", "ba"), "crossed")}


def made(cls: type[Noisy], n: int, is_null: bool, **speech: float) -> dict[str, World]:
    given = {"noise": 1.0, "effect": 0.0, "skew": 0.0, **speech}
    models = {"m": {"provider": "simulated", "behaviour": "noisy_study", "speech": given}}
    study = cls(cls.Settings.model_validate({"model": "m"}))
    (source,) = cls.collect(study.settings.model_dump(), 1).values()
    items = {row["item_id"]: row for row in source[1]}
    found = worlds(study, items, models, n, 1, is_null=is_null, size=ITEMS)
    return {world.name: world for world in found}


def told(world: World, contrast: str, method: str = HEADLINE) -> Told:
    (found,) = [t for t in world.told if (t.contrast, t.method) == (contrast, method)]
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("n", thorough_but((60, 500), 60))
def test_nothing_is_found_too_often_where_nothing_is_true(n: int) -> None:
    found = made(Ordered, n, is_null=True, effect=3.0)
    assert set(found) == {ALIKE, DIFFER}
    for world in found.values():
        contrasts = {each.contrast for each in world.told}
        # No mean of an arm is 0 there, and none is told.
        assert contrasts == {"told-plain", "order ba-ab", "told-plain, order ba-ab"}
        for each in world.told:
            assert each.truth == 0.0 and each.tested == n
            _, low, high = each.rejection(0.999)
            assert low <= 0.05
            if each.method == HEADLINE:
                assert each.spanned == n and each.coverage(0.999)[2] >= 0.95
                # A test that never finds anything would have a level below 0.05, too.
                assert high >= 0.04 and each.coverage(0.999)[1] <= 0.96
        for (family, _), (some, of) in world.families.items():
            assert of == n and clopper_pearson(some, of, 0.999)[0] <= 0.05
            assert family in ("headline", "others")


def test_clusters_differ_in_the_null_of_the_mean_and_not_in_the_sharp_one() -> None:
    study = Noisy(Noisy.Settings.model_validate({"model": "m"}))
    models = {
        "m": {
            "provider": "simulated",
            "behaviour": "noisy_study",
            "speech": {"noise": 0.1, "effect": 5.0, "skew": 0.0},
        }
    }
    (source,) = Noisy.collect(study.settings.model_dump(), 1).values()
    items = {row["item_id"]: row for row in source[1]}
    library = diagnosis.Library.play(study, items, models, 1, 1, is_null=False, is_whole=True)
    drawn = library.draw(400, np.random.default_rng(1), is_turned=True)
    wide = drawn.pivot(index="item_id", columns="arm", values="said")
    apart = wide["told"] - wide["plain"]
    # Each has its whole effect, and half of them the other way round.
    assert np.allclose(apart.abs(), 5.0, atol=0.7)
    assert abs((apart > 0).mean() - 0.5) < 3 * (0.25 / len(apart)) ** 0.5


@pytest.mark.parametrize("studies", thorough_but((30, 100), 30))
def test_what_is_planted_is_found_and_intervals_hold_it(studies: int) -> None:
    world = made(Noisy, studies, is_null=False, effect=1.0)[PLANTED]
    row = told(world, "told-plain")
    assert abs(row.truth - 1.0) < 0.15 and world.families == {}
    share, low, high = row.rejection(0.999)
    # Of a paired t-test of 12 differences, whose noise is sqrt 2, by a noncentral t.
    shift, critical = row.truth * (ITEMS / 2) ** 0.5, stats.t.ppf(0.975, ITEMS - 1)
    power = float(stats.nct.sf(critical, ITEMS - 1, shift))
    assert low < power < high and 0.4 < share < 0.9
    assert row.coverage(0.999)[2] >= 0.95
    assert told(world, "told-plain", RANDOMISATION).spanned == 0
    # Means are there, with what the library comes to.
    assert told(world, "told").coverage(0.999)[2] >= 0.95


@pytest.mark.parametrize("studies", thorough_but((8, 40), 8))
def test_a_study_of_one_arm_has_its_levels_alone(studies: int) -> None:
    found = made(Dosed, studies, is_null=True, effect=4.0)
    for world in found.values():
        assert {each.contrast for each in world.told} == {"dose slope", "dose 2-0"}
        assert all(each.rejection(0.999)[1] <= 0.05 for each in world.told)
