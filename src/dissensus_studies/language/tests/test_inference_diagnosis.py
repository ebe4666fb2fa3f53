"""The design diagnosis, reduced: a planted null and a planted effect, from texts to intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.design.diagnosis import DIAGNOSIS
from dissensus.design.simulated_stop import SimulatedStop
from dissensus.design.stopping import ANYTIME
from scripted import ROOT
from simulation import motions

from ..inference import diagnosis
from ..inference.diagnosis import (
    AS_RUN,
    DIAGNOSED,
    FIXED,
    LIBRARY_MEAN,
    SHIFTS,
    diagnose,
    draw_study,
    plant,
    plant_as_run,
)
from ..inference.estimators import NET, REFITTED
from ..inference.library import Library, simulate_library
from ..inference.paired_readings import estimate_at_stop
from .inference_frames import CONFIG, Letters, checked

SIMULATIONS = 200
#: Of words alone.
SHARES = (1.0, 0.0)
RECYCLE = {"zero": 0.36, "large": 0.8}


def settings(**changes: Any) -> dict[str, Any]:
    own = CONFIG["language"]
    simulated = {
        **own["diagnosis"],
        "simulations": SIMULATIONS,
        "draws": [60],
        "sessions": 2,
        "truth_sessions": 3,
    }
    return {
        "languages": own["languages"],
        "reference": "en",
        "protocol": {**own["protocol"], "session_deadline_s": None},
        "measures.unit": "turn",
        "measures.weights": {"lexical": 1.0, "semantic": 0.0},
        "inference.confidence": 0.95,
        "diagnosis": simulated | changes,
    }


def pool(number: int) -> dict[str, dict[str, Any]]:
    some = list(motions().items())[:number]
    return {
        name: {**row, "domain_id": place % 4, "drawable": True}
        for place, (name, row) in enumerate(some)
    }


@pytest.fixture(scope="module")
def texts() -> Library:
    """Debates that are held, rendered and measured: nothing planted, and a large effect."""
    from ..measures import components

    patch = pytest.MonkeyPatch()
    patch.chdir(ROOT)
    patch.setattr(components, "_embedder", lambda name: Letters())
    conditions = diagnosis._conditions(settings(recycle=RECYCLE))
    made = simulate_library(list(pool(24).values()), conditions, 2, 7)
    patch.undo()
    return made


@pytest.fixture(scope="module")
def frame(texts: Library, tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    patch = pytest.MonkeyPatch()
    patch.setattr(diagnosis, "simulate_library", lambda *_: texts)
    rows = diagnose(pool(24), settings(recycle=RECYCLE), 7)
    patch.undo()
    made = checked(rows, DIAGNOSIS, tmp_path_factory.mktemp("diagnosis"))
    return made.set_index(["world", "estimator"])


@pytest.mark.thorough
def test_every_world_has_its_estimators(frame: pd.DataFrame) -> None:
    worlds = 2 + len(SHIFTS)
    assert len(frame) == worlds * len(DIAGNOSED) + 1
    assert (frame["simulations"].drop(("zero_as_run", "library_mean")) == SIMULATIONS).all()


@pytest.mark.thorough
def test_the_null_of_the_texts_is_one(frame: pd.DataFrame) -> None:
    """What the library of equal debaters came out as, before it was moved to zero."""
    assert frame.loc[("zero_as_run", "library_mean"), "coverage"] == 1.0


@pytest.mark.thorough
def test_net_has_its_size_and_the_papers_index_finds_the_ruler(frame: pd.DataFrame) -> None:
    zero = frame.loc["zero_60_draws"]
    assert zero.loc[NET, "true"] == 0 and abs(zero.loc[NET, "bias"]) < 0.05
    assert zero.loc[NET, "rejection"] < 0.11
    assert zero.loc[NET, "coverage"] > 0.89
    assert zero.loc[REFITTED, "mean"] > 0.2
    assert zero.loc[REFITTED, "rejection"] > 3 * zero.loc[NET, "rejection"]


@pytest.mark.thorough
def test_net_finds_what_is_planted_and_covers_it(frame: pd.DataFrame) -> None:
    large = frame.loc["large_60_draws"]
    assert large.loc[NET, "true"] > 0.5 and large.loc[NET, "rejection"] > 0.95
    assert large.loc[NET, "type_s"] == 0 and large.loc[NET, "coverage"] > 0.89


@pytest.mark.thorough
def test_anchors_that_are_held_cover_too_little(frame: pd.DataFrame) -> None:
    far = frame.loc[f"shifted_{SHIFTS[-1]:g}_SD_60_draws"]
    assert far.loc[FIXED, "coverage"] < 0.85 < 0.89 < far.loc[NET, "coverage"]


@pytest.mark.parametrize(
    ("world", "studies"),
    [pytest.param("zero", 150, marks=pytest.mark.thorough), ("large", 40)],
)
def test_studies_that_stop_find_what_is_planted_in_texts_and_nothing_else(
    texts: Library, world: str, studies: int
) -> None:
    """From texts to the last look: at most 5% of null studies ever find something."""
    stop = SimulatedStop.of({"alpha": 0.05, "half_width": None, "most": None}, 0.95, 12)
    assert stop is not None
    plans = {plan.name: plan for plan in plant(texts, SHARES, [60])[0]}
    plan = plans[f"{world}_60_draws"]
    rows = []
    for number in range(studies):
        rng = np.random.default_rng([number, 60])
        read = draw_study(texts, plan.treated, 60, rng)
        rows.append(estimate_at_stop(read, SHARES, stop, (plan.true, plan.raw), rng))
    found = np.mean([row.p_value <= 0.05 for row in rows])
    # Three standard errors of simulation beside 5%.
    assert np.mean([not row.ci_low <= plan.true <= row.ci_high for row in rows]) <= 0.104
    if world == "zero":
        assert found <= 0.104
        assert np.mean([row.saved for row in rows]) < 0.05
    else:
        assert found > 0.9 and np.mean([row.saved for row in rows]) > 0.3
        assert all(row.estimate > 0.3 for row in rows if row.p_value <= 0.05)


@pytest.mark.thorough
def test_the_debaters_own_effect_is_that_of_a_library_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ..measures import components

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(components, "_embedder", lambda name: Letters())
    recycle = {"zero": 0.36, "planted": 0.56}
    few = {"recycle": recycle, "simulations": 2, "truth_sessions": 2}
    stops = {"stop": {"alpha": 0.05, "half_width": None, "most": 30}, "block_size": 10, "draws": 40}
    rows = pd.DataFrame(diagnose(pool(6), {**settings(**few), **stops}, 7))
    rows = rows.set_index(["world", "estimator"])
    own = rows.loc[(AS_RUN, LIBRARY_MEAN)]
    # The default debaters recycle so. With as many sessions, these are the very ones.
    assert own["true"] == pytest.approx(rows.loc[("planted_60_draws", NET), "true"])
    assert own["true_se"] == pytest.approx(rows.loc[("planted_60_draws", NET), "true_se"])
    # Where a study may stop, all worlds have what it finds there, and the debaters' own too.
    stopped = rows.xs(ANYTIME, level="estimator")
    assert set(stopped.index) == set(rows.index.get_level_values("world")) - {"zero_as_run"}
    assert (stopped["simulations"] == 2).all() and stopped["saved"].between(0, 1).all()
    found = plant_as_run(pool(6), settings(**{**few, "truth_sessions": 8}), 7)
    assert found is not None and found[1].true_se < own["true_se"]
    complete = np.isfinite(found[0].reference + found[1].treated).all(axis=(2, 3)).sum()
    assert 45 <= complete <= 48
    assert plant_as_run(pool(6), settings(recycle={"zero": 0.36, "large": 0.8}), 7) is None


def library(rng: np.random.Generator) -> Library:
    reference = rng.normal(size=(6, 50, 2, 2))
    treated = rng.normal(size=(6, 50, 2, 2)) + 0.3
    domains = np.array([1, 1, 1, 2, 2, 3])
    return Library(tuple("abcdef"), domains, reference, {"zero": treated, "more": treated + 1.0})


def test_studies_draw_what_the_library_says_is_true() -> None:
    made = library(np.random.default_rng(1))
    planted, _ = plant(made, (0.5, 0.5), [60])
    more = next(one for one in planted if one.name == "more_60_draws")
    rng = np.random.default_rng(2)
    means = []
    for _ in range(300):
        r = draw_study(made, more.treated, 60, rng)
        means.append(
            (r.treated - r.reference_rendered + r.treated_rendered - r.reference).mean() / 2
        )
    # Domains uniformly, then motions: the spread of the reference is near 1 by construction.
    assert np.mean(means) == pytest.approx(more.true, abs=0.05)
    zero = next(one for one in planted if one.name == "zero_60_draws")
    assert zero.true == 0.0
