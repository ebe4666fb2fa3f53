"""The diagnosis of a study of one's own, from planted texts to shares of studies."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.design.contrasts import HEADLINE, RANDOMISATION, Options
from dissensus.design.diagnosis import HOLM
from dissensus.plan.diagnosed import no_diagnosis
from dissensus.study.experiment import Material, diagnosis, quoted
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import compare
from noisy_study import Alone, Dosed, Noisy, Three
from shared_study import Shared, number

ITEMS, SIMULATIONS = 12, 100


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is played within a second."""
    monkeypatch.setattr(diagnosis, "_SESSIONS", 700)


def models(**speech: float) -> dict[str, Any]:
    given = {"noise": 1.0, "effect": 0.0, "skew": 0.0, **speech}
    return {"m": {"provider": "simulated", "behaviour": "noisy_study", "speech": given}}


def made(cls: type[Noisy], **more: Any) -> tuple[Noisy, dict[str, Any]]:
    given = {"simulations": SIMULATIONS, "items": [ITEMS]}
    study = cls(cls.Settings.model_validate({"model": "m", "diagnosis": given, **more}))
    (source,) = cls.collect(study.settings.model_dump(), 1).values()
    return study, {row["item_id"]: row for row in source[1]}


def diagnosed(cls: type[Noisy], *, items: list[int] | None = None, **speech: float) -> Any:
    """Rows by world and estimator."""
    study, drawn = made(cls, diagnosis={"simulations": SIMULATIONS, "items": items or [ITEMS]})
    rows = diagnosis.diagnose(study, drawn, models(**speech), 1, 1)
    return pd.DataFrame(rows).set_index(["world", "estimator"])


def power(effect: float, n: int) -> float:
    """Of a paired t-test, differences of two noises of 1 being normal."""
    critical, shift = stats.t.ppf(0.975, n - 1), effect * (n / 2) ** 0.5
    tails = stats.nct.sf(critical, n - 1, shift), stats.nct.cdf(-critical, n - 1, shift)
    return float(sum(tails))


def near(share: float, expected: float, n: int = SIMULATIONS) -> bool:
    return bool(abs(share - expected) < 3.5 * (expected * (1 - expected) / n) ** 0.5)


@pytest.mark.thorough
def test_what_is_planted_is_known_with_its_power_at_each_number_of_items() -> None:
    found = diagnosed(Noisy, effect=1.0, items=[6, 24])
    for n in (6, 24):
        row = found.loc[f"{n} items, told-plain", HEADLINE]
        assert row["items"] == n
        assert abs(row["true"] - 1.0) < 4 * row["true_se"] < 0.4
        assert abs(row["bias"]) < 4 * row["bias_se"]
        assert near(row["coverage"], 0.95)
        assert near(row["rejection"], power(row["true"], n))
        # The effect that has 80% power, about.
        assert power(row["smallest"], n) == pytest.approx(0.8, abs=0.14)
        for test in (HEADLINE, RANDOMISATION):
            null = found.loc[f"{n} items, told-plain, null", test]
            assert null["true"] == null["true_se"] == 0.0
            # Signs of 6 pairs have no p-value between 2/64 and 4/64.
            size = 2 / 64 if n == 6 and test == RANDOMISATION else 0.05
            assert near(null["rejection"], size)
    widths = found.xs(HEADLINE, level="estimator")["smallest"]
    assert widths["6 items, told-plain"] > widths["24 items, told-plain"] * 1.9


def test_the_null_is_played_by_the_reference_however_large_the_effect() -> None:
    study, items = made(Noisy)
    library = diagnosis.Library.play(study, items, models(effect=50.0), 1, 1, is_null=True)
    means = library.metrics.groupby("arm")["said"].mean()
    assert abs(means["told"] - means["plain"]) < 0.3
    # Arms change places, and draws stay whole.
    drawn = library.draw(40, np.random.default_rng(1))
    assert drawn.groupby("draw_id")["arm"].agg(sorted).map(tuple).unique().tolist() == [
        ("plain", "told")
    ]
    assert drawn["draw_id"].nunique() == 40 == drawn["item_id"].nunique()


@pytest.mark.thorough
def test_what_it_says_is_what_new_studies_do_though_arms_are_not_exchangeable() -> None:
    """No effect in the mean, and a skew in one arm: neither test is exact, and it says how far."""
    speech = models(noise=0.3, skew=3.0)
    study, items = made(Noisy)
    found = pd.DataFrame(diagnosis.diagnose(study, items, speech, 1, 1)).set_index(
        ["world", "estimator"]
    )
    said = found["rejection"].to_dict()
    p_values: dict[str, list[float]] = {HEADLINE: [], RANDOMISATION: []}
    times = 60
    for seed in range(times):
        metrics = diagnosis._played(seed + 10**6, study, items, speech, is_null=False)
        for row in compare(metrics, Compared.of(Noisy), Options(0.95, 1000, seed)):
            if row["reference"]:
                p_values[row["method"]].append(row["p_value"])
    for test, ps in p_values.items():
        size = float(np.mean(np.array(ps) < 0.05))
        error = (size * (1 - size) * (1 / times + 1 / SIMULATIONS)) ** 0.5
        assert abs(said["12 items, told-plain", test] - size) < 3.5 * error + 0.01
    # Skew makes the t-test reject more than it should; where nothing has an effect, none does.
    assert said["12 items, told-plain", HEADLINE] > 0.06
    assert near(said["12 items, told-plain, null", HEADLINE], 0.05)


def test_holms_family_is_every_contrast_of_the_headline() -> None:
    found = diagnosed(Three, effect=1.5)
    own = found.loc["12 items, told-plain"]
    assert own.loc[HEADLINE + HOLM, "rejection"] <= own.loc[HEADLINE, "rejection"]
    assert found.loc[("12 items, alike-plain", HEADLINE), "true"] == pytest.approx(0.0, abs=0.15)
    # The share of studies that find anything stands once.
    assert found.loc[("12 items, told-plain, null", HEADLINE + HOLM), "rejection"] < 0.09
    assert ("12 items, alike-plain, null", HEADLINE + HOLM) not in found.index


@pytest.mark.thorough
def test_one_arm_is_diagnosed_by_its_factors_or_by_its_mean() -> None:
    found = diagnosed(Dosed, effect=2.0)
    slope, null = (
        found.loc[("12 items, dose slope" + kind, HEADLINE), :] for kind in ("", ", null")
    )
    assert abs(slope["true"] - 1.0) < 4 * slope["true_se"]
    assert near(null["rejection"], 0.05)
    mean = diagnosed(Alone)
    assert [world for world, _ in mean.index] == ["12 items, plain"]
    _, items = made(Alone)
    level = np.mean([item["level"] for item in items.values()])
    assert mean["true"].iloc[0] == pytest.approx(level - 50.0, abs=0.5)


class Forked(Shared):
    """An agent that answered hears a peer, or another text in the peer's place."""

    name = "forked"
    arms = ("again", "peer", "swapped")
    material: ClassVar = {}

    def debate(self, session: Any) -> Any:
        (first,), heard = session.opening, ""
        if session.arm == "peer":
            ask = f"{session.item.question} Peer."
            turns = yield [
                session.call(name, ask, number, expected="Answer: 4") for name in ("P", "Q")
            ]
            heard = quoted(turns[0].text)
        ask = f"{session.item.question} You said {first.value}. {heard} Again."
        yield session.call("A", ask, number, expected="Answer: 3")


@pytest.mark.thorough
def test_a_fork_stays_within_its_item_and_is_diagnosed() -> None:
    given = {"model": "m", "diagnosis": {"simulations": 40, "items": [8]}}
    study = Forked(Forked.Settings.model_validate(given))
    (source,) = Forked.collect(study.settings.model_dump(), 1).values()
    items = {row["item_id"]: row for row in source[1]}
    model = {"m": {"provider": "simulated", "behaviour": "shared_study", "speech": {}}}
    turns, ended = diagnosis.played(1, study, items, model)
    assert all(row["complete"] for row in ended)
    last = {t["session_id"]: t["value"] for t in turns if t["arm"] == "swapped"}
    # A fork is heard: its own text is taken up.
    assert set(last.values()) == {"999"}
    rows = pd.DataFrame(diagnosis.diagnose(study, items, model, 1, 1))
    found = rows.set_index(["world", "estimator"])
    # Two numbers of 90 differ; what is heard is taken up always.
    for arm in ("peer", "swapped"):
        assert found.loc[(f"8 items, {arm}-again", HEADLINE), "true"] == pytest.approx(0, abs=0.05)
        assert f"8 items, {arm}-again, null" in set(rows["world"])


def test_draws_that_are_not_independent_have_no_diagnosis() -> None:
    assert Shared.diagnosis is None and Noisy.diagnosis is not None

    def said(cls: Any) -> str:
        run = SimpleNamespace(run="r", studies=["x"], study=lambda name: cls)
        (words,) = no_diagnosis(run)  # type: ignore[arg-type]
        return words

    assert said(Shared).startswith(
        "Nothing to diagnose: x of run r; there is none of a study whose"
    )
    # Material of the same item stays within it; a first arm that is a fork can be played by none.
    same, first = (
        {"m": Material("peer", to=("swapped",), item="same")},
        ("swapped", "peer", "again"),
    )
    assert type("Same", (Forked,), {"forks": {}, "material": same}).diagnosis is not None
    assert type("First", (Forked,), {"arms": first}).diagnosis is None
    assert said(Noisy).endswith("diagnoses are of simulated models, and its models are real.")
