"""The design diagnosis, reduced: a planted null and a planted effect, from texts to intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.design.diagnosis import DIAGNOSIS
from dissensus.language.inference.diagnosis import (
    AS_RUN,
    DIAGNOSED,
    FIXED,
    LIBRARY_MEAN,
    SHIFTS,
    diagnose,
    draw_study,
    plant,
    true_effect,
)
from dissensus.language.inference.estimators import NET, REFITTED
from dissensus.language.inference.library import Library
from language.inference_frames import CONFIG, checked
from scripted import ROOT
from simulation import motions

SIMULATIONS = 200


def settings(**changes: Any) -> dict[str, Any]:
    own = CONFIG["language"]
    diagnosis = {
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
        "diagnosis": diagnosis | changes,
    }


def pool(number: int) -> dict[str, dict[str, Any]]:
    some = list(motions().items())[:number]
    return {
        name: {**row, "domain_id": place % 4, "drawable": True}
        for place, (name, row) in enumerate(some)
    }


class Letters:
    """Stands for an embedder where meaning has no weight: the chain is that of the words."""

    name, dimensions = "letters", 26

    def embed(self, texts):
        counts = np.array(
            [[text.lower().count(chr(97 + i)) + 1 for i in range(26)] for text in texts]
        )
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    from dissensus.language.measures import components

    patch = pytest.MonkeyPatch()
    patch.chdir(ROOT)
    patch.setattr(components, "_embedder", lambda name: Letters())
    rows = diagnose(pool(24), settings(recycle={"zero": 0.36, "large": 0.8}), 7)
    patch.undo()
    made = checked(rows, DIAGNOSIS, tmp_path_factory.mktemp("diagnosis"))
    return made.set_index(["world", "estimator"])


def test_every_world_has_its_estimators(frame: pd.DataFrame) -> None:
    worlds = 2 + len(SHIFTS)
    assert len(frame) == worlds * len(DIAGNOSED) + 1
    assert (frame["simulations"].drop(("zero_as_run", "library_mean")) == SIMULATIONS).all()


def test_the_null_of_the_texts_is_one(frame: pd.DataFrame) -> None:
    """What the library of equal debaters came out as, before it was moved to zero."""
    assert frame.loc[("zero_as_run", "library_mean"), "coverage"] == 1.0


def test_net_has_its_size_and_the_papers_index_finds_the_ruler(frame: pd.DataFrame) -> None:
    zero = frame.loc["zero_60_draws"]
    assert zero.loc[NET, "true"] == 0 and abs(zero.loc[NET, "bias"]) < 0.05
    assert zero.loc[NET, "rejection"] < 0.11
    assert zero.loc[NET, "coverage"] > 0.89
    assert zero.loc[REFITTED, "mean"] > 0.2
    assert zero.loc[REFITTED, "rejection"] > 3 * zero.loc[NET, "rejection"]


def test_net_finds_what_is_planted_and_covers_it(frame: pd.DataFrame) -> None:
    large = frame.loc["large_60_draws"]
    assert large.loc[NET, "true"] > 0.5 and large.loc[NET, "rejection"] > 0.95
    assert large.loc[NET, "type_s"] == 0 and large.loc[NET, "coverage"] > 0.89


def test_anchors_that_are_held_cover_too_little(frame: pd.DataFrame) -> None:
    far = frame.loc[f"shifted_{SHIFTS[-1]:g}_SD_60_draws"]
    assert far.loc[FIXED, "coverage"] < 0.85 < 0.89 < far.loc[NET, "coverage"]


def test_the_debaters_own_effect_is_that_of_a_library_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dissensus.language.measures import components

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(components, "_embedder", lambda name: Letters())
    recycle = {"zero": 0.36, "planted": 0.56}
    few = {"recycle": recycle, "simulations": 2, "truth_sessions": 2}
    rows = pd.DataFrame(diagnose(pool(6), settings(**few), 7)).set_index(["world", "estimator"])
    own = rows.loc[(AS_RUN, LIBRARY_MEAN)]
    # The default debaters recycle so. With as many sessions, these are the very ones.
    assert own["true"] == pytest.approx(rows.loc[("planted_60_draws", NET), "true"])
    assert own["true_se"] == pytest.approx(rows.loc[("planted_60_draws", NET), "true_se"])
    more = true_effect(pool(6), settings(**{**few, "truth_sessions": 8}), 7)
    assert more is not None and 45 <= more.n <= 48 and more.se < own["true_se"]
    assert true_effect(pool(6), settings(recycle={"zero": 0.36, "large": 0.8}), 7) is None


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
