"""A registered finding is predicted of the next model, and said to hold for it or not."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml

from dissensus.design.contrasts import Options
from dissensus.errors import ResourceError, SettingError
from dissensus.keep.codebook import SHARED, schemas
from dissensus.plan import confirmation
from dissensus.plan.confirmation import (
    THE_SAME,
    confirmation_page,
    confirmed,
    eligibility,
    prediction_words,
    predictions,
    registered_prediction,
    verdict_of,
)
from dissensus.plan.deviations import Deviation
from dissensus.plan.registering.models import Models, asked_by
from dissensus.study.configuration import load
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from dissensus.study.experiment.diagnosis import _played
from dissensus.study.registry import STUDIES
from dissensus.study.run_settings import ConfirmSettings
from dissensus.tables.artefact import write
from scripted import default_configuration
from support import ROOT, Project
from tuned_study import Tuned

#: Of a rating from 0 to 100, whose noise has a standard deviation of 5.
EFFECT, NOISE = 10.0, 5.0
MODELS = 20


def contrasts(word: str, seed: int, effect: float = EFFECT) -> list[dict[str, Any]]:
    """The contrasts of a study that one simulated model plays, from its texts."""
    speech = {"word": word, "effect": effect, "noise": NOISE}
    models = {"m": {"provider": "simulated", "behaviour": "tuned_study", "speech": speech}}
    study = Tuned(Tuned.Settings.model_validate({"model": "m"}))
    _, rows = Tuned.collect(study.settings.model_dump(), 7)["pool"]
    items = {row["item_id"]: row for row in rows}
    metrics = _played(seed, study=study, items=items, models=models, is_null=False)
    return compare(metrics, Compared.of(Tuned), Options(0.95, 1000, seed))


def prediction(folder: Path, word: str, effect: float = EFFECT) -> dict[str, Any]:
    """What a run with a model of its own predicts."""
    write(folder / "contrasts.parquet", CONTRASTS, contrasts(word, 1, effect), {})
    return {
        "run": "first",
        "plan_sha256": "0f",
        "condition": {"released_after": "2026-11-27", "first_of_family": True},
        "declared": {"model": "Otter 2", "released": "2026-12-03", "first_of_family": True},
        "rows": predictions(folder / "contrasts.parquet", lambda row: None),
    }


def verdicts(folder: Path, words: list[str]) -> Counter[str]:
    """How often each verdict is reached over the models, in the words of their pages."""
    registered = prediction(folder, "heron")
    count: Counter[str] = Counter()
    for seed, word in enumerate(words, start=100):
        (row,) = confirmed(registered, contrasts(word, seed))
        page = confirmation_page("tuned", registered, [row], [], simulated=True)
        assert page.splitlines()[2].startswith("*Simulated models")
        (said,) = re.findall(r"^- rating, prompted-plain: ([a-z ]+):", page, re.M)
        assert said == row["verdict"]
        count[said] += 1
    return count


@pytest.mark.thorough
def test_a_prompt_that_is_tuned_to_one_model_does_not_transfer_to_twenty(tmp_path: Path) -> None:
    count = verdicts(tmp_path, [f"otter-{number}" for number in range(MODELS)])
    # No effect: its interval has 0 in it in 95% of runs.
    assert count["confirmed"] == 0 and count["not confirmed"] >= 16, count


def test_an_effect_that_all_models_have_is_confirmed(tmp_path: Path) -> None:
    count = verdicts(tmp_path, ["heron"] * MODELS)
    # A prediction interval has 95% of them.
    assert count["confirmed"] >= 16, count
    assert count["confirmed"] + count["another size"] == MODELS, count


def test_without_an_effect_nothing_is_predicted(tmp_path: Path) -> None:
    registered = prediction(tmp_path, "heron", effect=0.0)
    (row,) = confirmed(registered, contrasts("heron", 5))
    assert row["verdict"] == "nothing predicted"


def test_the_prediction_interval_is_as_wide_as_two_runs_vary(tmp_path: Path) -> None:
    (row,) = prediction(tmp_path, "heron")["rows"]
    half = (row["predicted_high"] - row["predicted_low"]) / 2
    # Differences of two draws of the noise: 5 sqrt(2) by draw; t of 19 degrees of freedom.
    assert half == pytest.approx(2.093 * NOISE * 2**0.5 / 20**0.5, rel=0.4)
    predicted = (row["prediction_high"] - row["prediction_low"]) / 2
    assert predicted == pytest.approx(half * 1.41421356)


def test_a_run_with_a_larger_error_has_more_room(tmp_path: Path) -> None:
    """Of two runs with errors s and 2 s, 5% of the differences lie outside 1.96 sqrt(5) s."""
    registered, rng, times, outside = (
        prediction(tmp_path, "heron"),
        np.random.default_rng(1),
        2000,
        0,
    )
    (row,) = registered["rows"]
    key = {"contrast": row["contrast"], "outcome": row["outcome"], "headline": True, "n": 5}
    for _ in range(times):
        first, second = rng.normal(5, 1), rng.normal(5, 2)
        of_first = {
            "predicted": first,
            "predicted_low": first - 1.96,
            "predicted_high": first + 1.96,
        }
        rows = {**registered, "rows": [{**row, **of_first}]}
        found = {**key, "estimate": second, "ci_low": second - 3.92, "ci_high": second + 3.92}
        (made,) = confirmed(rows, [found])
        outside += not made["prediction_low"] <= second <= made["prediction_high"]
    assert outside / times == pytest.approx(0.05, abs=3 * (0.05 * 0.95 / times) ** 0.5)


def test_a_prediction_ends_where_no_difference_of_shares_can_be(tmp_path: Path) -> None:
    wide = {"estimate": 0.8, "ci_low": 0.4, "ci_high": 1.2}
    rows = [{**row, **wide} for row in contrasts("heron", 1) if row["headline"]]
    write(tmp_path / "contrasts.parquet", CONTRASTS, rows, {})
    (row,) = predictions(tmp_path / "contrasts.parquet", lambda row: (-1.0, 1.0))
    assert (row["prediction_low"], row["prediction_high"]) == (pytest.approx(0.2343, abs=1e-4), 1)
    (made,) = confirmed({"rows": [row]}, [{**rows[0], "headline": True}])
    assert made["prediction_high"] == 1.0 and "within [0.234, 1.000]" in made["sentence"]
    assert "possible" not in made
    # A plan of an earlier version bounds nothing.
    del row["possible"]
    (made,) = confirmed({"rows": [row]}, [{**rows[0], "headline": True}])
    assert made["prediction_high"] == pytest.approx(0.8 + 0.4 * 2**0.5)


def test_the_plan_says_what_holds_for_a_run_of_another_size(tmp_path: Path) -> None:
    (said,) = (each for each in prediction_words(prediction(tmp_path, "heron")) if "sqrt" in each)
    assert "A run of another size is judged by the errors of both" in said


@pytest.mark.parametrize(
    ("study", "row", "possible"),
    [
        ("consensus", {"outcome": "agreement", "arm": "a", "reference": "b"}, (-1, 1)),
        ("consensus", {"outcome": "agreement", "arm": "a", "reference": ""}, (0, 1)),
        ("consensus", {"outcome": "switches", "arm": "a", "reference": "b"}, None),
        ("deliberation", {"outcome": "retention_last", "arm": "a", "reference": "b"}, None),
        ("union", {"outcome": "student_votes", "contrast": "difference"}, (-1, 1)),
        ("identity", {"measure": "ibc", "condition": "difference"}, (-2, 2)),
        ("language", {"outcome": "hi_z", "arm": "zh", "reference": "en"}, None),
    ],
)
def test_what_an_estimate_of_a_study_can_be(
    study: str, row: dict[str, str], possible: tuple[float, float] | None
) -> None:
    assert load(default_configuration()).study(study).possible(row) == possible


@pytest.mark.parametrize(
    ("estimate", "low", "high", "verdict"),
    [
        (1.1, 0.5, 1.7, "confirmed"),
        (0.3, 0.1, 0.5, "another size"),
        (2.5, 2.0, 3.0, "another size"),
        (0.1, -0.3, 0.5, "not confirmed"),
        (0.8, -0.1, 1.7, "undecided"),
        (-0.9, -1.5, -0.3, "the other way"),
        (None, None, None, "no estimate"),
    ],
)
def test_every_verdict(
    estimate: float | None, low: float | None, high: float | None, verdict: str
) -> None:
    predicted = {"predicted": 1.0, "predicted_low": 0.6, "predicted_high": 1.4}
    predicted |= {"prediction_low": 0.434, "prediction_high": 1.566}
    found = {"estimate": estimate, "ci_low": low, "ci_high": high, "n": 20}
    assert verdict_of(predicted, found) == verdict


@pytest.mark.parametrize(
    ("released", "first", "said"),
    [
        ("2026-12-03", True, "Eligible by what is declared."),
        ("2026-11-27", True, "Not eligible: it was released on 2026-11-27, which is not after "
         "2026-11-27."),
        ("2026-12-03", False, "Not eligible: it is not declared to be the first of its family."),
    ],
)  # fmt: skip
def test_what_is_declared_is_printed_and_compared_with_the_condition(
    tmp_path: Path, released: str, first: bool, said: str
) -> None:
    registered = prediction(tmp_path, "heron")
    registered["declared"] |= {"released": released, "first_of_family": first}
    condition, declared, verdict = eligibility(registered)
    assert condition.endswith("was released after 2026-11-27 and is the first of its family.")
    assert f"Otter 2; released {released}" in declared and "not checked" in declared
    assert verdict == said
    assert verdict in prediction_words(registered)


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("eligible.released_after", "soon", "it must be a date such as 2026-11-27"),
        ("confirms.released", "2026-13-01", "it must be a date such as 2026-11-27"),
        ("creator.orcid", "0000-0001", "it must be an address such as https://orcid.org/0000"),
    ],
)
def test_a_wrong_date_or_address_is_a_sentence(setting: str, value: str, said: str) -> None:
    block, _, name = setting.partition(".")
    good = {"confirms": {"run": "first", "model": "Otter 2"}, "creator": {"name": "A"}}
    given: Any = {**good.get(block, {}), name: value}
    wrong = {block: [given] if block == "creator" else given}
    with pytest.raises(SettingError, match=said):
        load({**default_configuration(), **wrong})


def test_a_day_that_yaml_reads_as_a_date_is_one() -> None:
    settings = load({**default_configuration(), "eligible": {"released_after": date(2026, 11, 27)}})
    assert settings.eligible and settings.eligible.released_after == "2026-11-27"


def test_a_design_that_differs_is_listed_on_the_page(tmp_path: Path) -> None:
    registered = prediction(tmp_path, "heron")
    rows = confirmed(registered, contrasts("heron", 3))
    changed = [Deviation("setting", "tuned.draws", "tuned.draws was 20 and is 10.")]
    page = confirmation_page("tuned", registered, rows, changed, simulated=False)
    assert "tuned.draws was 20 and is 10." in page and "the registered one in all but" not in page
    assert "the registered one in all but" in confirmation_page("t", registered, rows, [], False)


def test_a_run_that_is_not_there_or_states_no_headline_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="to its end first"):
        predictions(tmp_path / "contrasts.parquet", lambda row: None)
    rows = [{**row, "headline": False} for row in contrasts("heron", 1)]
    write(tmp_path / "contrasts.parquet", CONTRASTS, rows, {})
    with pytest.raises(ResourceError, match="has no headline with an interval"):
        predictions(tmp_path / "contrasts.parquet", lambda row: None)


def plan(model: str, **speech: Any) -> dict[str, Any]:
    """The settings of a plan with one model; a simulated one where it has a speech."""
    kind = {"provider": "simulated", "behaviour": "herons"} if speech else {"provider": "host"}
    entry = {**kind, **({"speech.word": speech["word"]} if speech else {"model": model})}
    return {"settings": {"own.draws": 5, **{f"models.a.b.{k}": v for k, v in entry.items()}}}


@pytest.mark.parametrize(
    ("then", "now", "is_same"),
    [
        (plan("otter-1"), plan("otter-2"), False),
        (plan("otter-1"), plan("Otter-1"), True),
        (plan("", word="heron"), plan("", word="otter"), False),
        (plan("", word="heron"), plan("", word="heron"), True),
        (plan("otter-1"), plan("", word="heron"), False),
    ],
)
def test_the_same_model_is_not_the_next_one(
    tmp_path: Path, then: dict[str, Any], now: dict[str, Any], is_same: bool
) -> None:
    models = Models(asked_by(then), asked_by(now))
    assert models.are_the_same is is_same
    registered = prediction(tmp_path, "heron")
    rows = confirmed(registered, contrasts("heron", 3), models.are_the_same)
    page = confirmation_page("t", registered, rows, [], False, models)
    assert ("NOT another model: this run asks none" in page) is is_same
    assert ("Not eligible: it is the model of the registered run" in page) is is_same
    assert rows[0]["sentence"].startswith(THE_SAME) is is_same
    assert "Asked then: a.b" in page and "Asked now: a.b" in page


def test_a_model_under_another_name_is_known_by_what_answers() -> None:
    asked = [asked_by(plan(name)) for name in ("otter-1", "my-alias")]
    assert Models(*asked, ["otter-1-0711"], ["otter-1-0711"]).are_the_same
    other = Models(*asked, ["otter-1-0711"], ["otter-2-1203"])
    assert not other.are_the_same
    assert "Answered now, as replies name themselves: otter-2-1203." in [*other.sentences]


def test_a_judge_that_stays_is_named(tmp_path: Path) -> None:
    judge = {"models.judge.provider": "host", "models.judge.model": "owl"}
    given = [plan(name) for name in ("otter-1", "otter-2")]
    for each in given:
        each["settings"] |= judge
    models = Models(*map(asked_by, given))
    assert not models.are_the_same and "Asked in both: judge (owl)." in [*models.sentences]


def test_a_run_of_fewer_draws_has_a_wider_prediction(tmp_path: Path) -> None:
    """Of 20 draws and 5: squared errors s^2 and 4 s^2, so that limits are sqrt(5) as wide."""
    write(tmp_path / "contrasts.parquet", CONTRASTS, contrasts("heron", 1), {})
    path = tmp_path / "contrasts.parquet"
    (row,) = predictions(path, lambda row: None, 20 / 5)
    half = (row["predicted_high"] - row["predicted_low"]) / 2
    assert (row["prediction_high"] - row["prediction_low"]) / 2 == pytest.approx(half * 5**0.5)
    assert row["predicted_n"] == 20
    words = prediction_words({**prediction(tmp_path, "heron"), "draws": [20, 5]})
    assert any(
        "the 5 draws of this run, where run first had 20: 2.24 times" in each for each in words
    )


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_says_which_rows_it_is_judged_by_or_has_none(name: str) -> None:
    settings = load(default_configuration())
    study = settings.study(name)
    if not study.headline_rows:
        with pytest.raises(ResourceError, match=f"the {name} study marks none of its estimates"):
            registered_prediction(
                ConfirmSettings(run="first", model="Otter 2", released="2026-12-03"), study
            )
        return
    asked = {"contrast", "outcome", "headline", "estimate", "ci_low", "ci_high", "n"}
    every = schemas()
    named = {each.name: each for each in (*every[SHARED], *every[name])}
    assert asked <= {*named[study.headline_rows].columns}


@pytest.mark.thorough
def test_the_next_model_is_tried_on_a_registered_design(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    (project.folder / "tuned").mkdir()
    shutil.copy(ROOT / "tests/tuned_study.py", project.folder / "tuned/study.py")

    def configure(run: str, word: str, **more: Any) -> None:
        speech = {"word": word, "effect": EFFECT, "noise": NOISE}
        agent = {"provider": "simulated", "behaviour": "tuned.study", "speech": speech}
        given = {
            **{"run": run, "studies": ["tuned"], "study_folders": {"tuned": "tuned"}},
            **{"models": {run: agent}, "tuned": {"model": run}, **more},
        }
        (project.folder / "more.yaml").write_text(yaml.safe_dump(given), encoding="utf-8")

    declared = {"run": "first", "model": "Otter 2", "released": "2026-12-03"}
    configure("first", "heron", eligible={"released_after": "2026-11-27"})
    project.succeed("preregistration")
    plan = (project.results("first", "tuned") / "preregistration.md").read_text("utf-8")
    assert "## The next model\nA model that was released after 2026-11-27." in plan
    configure("next", "otter", confirms=declared)
    done = project.run("preregistration")
    assert done.returncode and "run first to its end first" in done.stdout + done.stderr
    configure("first", "heron", eligible={"released_after": "2026-11-27"})
    project.succeed("results/first/tuned/contrasts.parquet")
    configure("next", "otter", confirms=declared)
    project.succeed("preregistration")
    folder = project.results("next", "tuned")
    plan = (folder / "preregistration.md").read_text("utf-8")
    assert "this run's estimate should be in [" in plan
    said = project.succeed("confirm")
    (row,) = pq.read_table(folder / "confirmation.parquet").to_pylist()
    assert row["verdict"] == "not confirmed" and f"tuned: {row['sentence']}" in said
    page = (folder / "confirmation.md").read_text("utf-8")
    assert "Asked then: first (simulated" in page and "Asked now: next (simulated" in page
    assert "NOT another model" not in page
    assert "does not transfer to this model" in page and "Eligible by what is declared" in page
    assert "The design is the registered one in all but its model." in page
    assert confirmation._NOTE.split(" (")[0] in page
