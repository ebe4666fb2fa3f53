"""What an experiment derives from its items, arms, steps and outcomes."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.design.contrasts import HEADLINE, METHODS, RANDOMISATION, Options
from dissensus.design.weights import Contrast
from dissensus.errors import ResourceError, SettingError
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.record import as_json
from dissensus.settings import validate
from dissensus.study.experiment import Factor, Outcome, number
from dissensus.study.experiment.compared import Compared, mean_against
from dissensus.study.experiment.contrasts import compare
from dissensus.study.experiment.drawing import draw_sessions
from dissensus.study.experiment.measures import measure_sessions, turns_by_session
from dissensus.study.experiment.session import Read
from marking import thorough_but
from panel_study import Panel, declared, panel

ROW = {"arm": "brief", "side": "for", "seed": 7, "item_id": "i0001"}


def play(study: Panel, replies: dict[str, str], arm: str = "brief") -> list[Any]:
    """Every call of a session, by what each speaker replies."""
    row = {**ROW, "arm": arm}
    item = {"item_id": "i0001", "topic": "trees", "truth": 3}
    (kind,) = study.kinds
    steps = kind.steps(kind.spec(row, item), PlaceholderInputs())()
    calls, step = [], next(steps)
    while True:
        calls.append(list(step))
        turns = [
            call.turn(replies[call.speaker], call.format.read(replies[call.speaker]).value)
            for call in step
        ]
        try:
            step = steps.send(turns)
        except StopIteration:
            return calls


def test_a_session_asks_what_the_steps_say() -> None:
    first, second, third = play(panel(), {"S": "Oaks", "j1": "6", "j2": "9"})
    (speech,) = first
    assert [(m.role, m.content) for m in speech.messages] == [
        ("system", "brief"),
        ("user", "trees"),
    ]
    assert (speech.number, speech.round_label, speech.role, speech.purpose) == (
        *(1, "round 1"),
        *("speaker", "speaker"),
    )
    assert speech.decoding.temperature == 1.0
    assert [(c.speaker, c.model, c.number, c.purpose) for c in second] == [
        ("j1", "j1", 2, "judges"),
        ("j2", "j2", 2, "judges"),
    ]
    assert {c.decoding.temperature for c in second} == {0.0}
    assert [m.content for m in second[0].messages] == ["Oaks?"]
    assert [(c.round_label, c.required, c.number) for c in third] == [("after", False, 3)]
    assert [m.role for m in third[0].messages] == ["user", "assistant", "user"]


def test_a_reply_without_a_value_is_asked_for_again_with_what_is_wrong() -> None:
    judge = play(panel(), {"S": "x", "j1": "6", "j2": "9"})[1][0]
    assert judge.format.read("6").value == 6
    read = judge.format.read("six")
    assert read.value is None and read.problems == (
        "invalid literal for int() with base 10: 'six'",
    )
    again = judge.again(read.problems)
    assert [m.role for m in again] == ["user"]
    assert again[0].content == f"x?\n\nYour last reply would not do: {read.problems[0]}."
    speech = play(panel(), {"S": "x", "j1": "6", "j2": "9"})[0][0]
    assert speech.format.read(" \n").problems == ("it is empty",)


def test_models_purposes_and_cast_come_from_the_settings() -> None:
    study = panel(judges=["j", "j"])
    assert [(use.setting, use.purpose, list(use.models)) for use in study.models()] == [
        ("speaker", "speaker", ["s"]),
        ("judges", "judges", ["j", "j"]),
    ]
    assert study.kinds[0].cast({}) == ["s", "j"]
    assert panel(topics="x.csv").settings.files() == {"topics": "x.csv"}
    assert panel().settings.files() == {}


def test_a_session_depends_on_its_item_and_on_the_settings_of_the_study_alone() -> None:
    item = {"item_id": "i1", "topic": "t", "truth": 1}

    def spec(**more: Any) -> Any:
        return panel(**more).kinds[0].spec(ROW, item)

    assert spec() == spec(draws=3, repeats=2, block_size=1, inference={"flips": 500})
    assert spec() != spec(words=3)
    assert spec() != panel().kinds[0].spec(ROW, {**item, "truth": 2})
    json.dumps(vars(spec()))


def test_a_default_of_a_study_is_checked_like_what_is_set() -> None:
    class Wrong(Panel.Settings):
        words: int = "many"  # type: ignore[assignment]

    with pytest.raises(SettingError, match=r"^mine: panel\.words holds 'many'; it must be a whole"):
        validate(Wrong, {"speaker": "s", "judges": ["j"]}, "mine", "panel.")


def test_a_session_depends_on_the_words_of_the_files_that_settings_name(tmp_path: Path) -> None:
    file, item = tmp_path / "topics.csv", {"item_id": "i1", "topic": "t", "truth": 1}
    specs = []
    for words in ("oaks", "elms", "oaks"):
        file.write_text(words, encoding="utf-8")
        specs.append(panel(topics=str(file)).kinds[0].spec(ROW, item))
    assert specs[0] == specs[2] != specs[1]
    assert not panel().kinds[0].spec(ROW, item).files


@given(
    items=st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=6, unique=True),
    repeats=st.integers(1, 4),
    seed=st.integers(0, 2**40),
)
def test_every_item_is_in_every_arm_and_more_change_nothing(
    items: list[str], repeats: int, seed: int
) -> None:
    arms, factors = ["a", "b", "c"], {"side": Factor(["for", "against"])}
    rows = draw_sessions(items, arms, factors, repeats, 3, seed)
    assert Counter((r["item_id"], r["arm"]) for r in rows) == {
        (item, arm): repeats for item in items for arm in arms
    }
    for draw in {r["draw_id"] for r in rows}:
        sessions = [r for r in rows if r["draw_id"] == draw]
        assert len({(r["item_id"], r["side"], r["block"]) for r in sessions}) == 1
        assert sorted(r["position"] for r in sessions) == [1, 2, 3]
    more = {r["session_id"]: r for r in draw_sessions(items, arms, factors, repeats + 1, 3, seed)}
    assert all(more[r["session_id"]] == r for r in rows)


def test_items_are_named_counted_and_checked() -> None:
    def collected(**more: Any) -> list[dict[str, Any]]:
        settings = {"speaker": "s", "judges": ["j"], "words": 4, "draws": None, **more}
        return Panel.collect(settings, 7)["pool"][1]

    assert [row["item_id"] for row in collected()] == ["i0001", "i0002", "i0003", "i0004"]
    assert collected(draws=2) == collected()[:2]
    with pytest.raises(ResourceError, match="items gives 4 rows, and draws is 5; set draws to 4"):
        collected(draws=5)


def frame(n: int, shift: float, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    values = rng.normal(5.0, 1.0, (n, 1)) + rng.normal(0.0, 0.5, (n, 2)) + [0.0, shift]
    return pd.DataFrame(
        {
            "session_id": f"d{i:03d}-{arm}",
            "draw_id": f"d{i:03d}",
            "topic": f"t{i}",
            "arm": arm,
            "complete": True,
            "score": values[i, j],
        }
        for i in range(n)
        for j, arm in enumerate(("long", "brief"))
    )


def two_arms(outcomes: dict[str, Outcome], cluster: str) -> Compared:
    return Compared(("a", "b"), outcomes, cluster, [Contrast.of("b", "a")])


def test_contrasts_and_means_are_those_of_scipy() -> None:
    from scipy import stats

    metrics = frame(40, 0.8)
    design = Compared(Panel.arms, Panel.session_outcomes(), "topic", Panel.compared())
    rows = compare(metrics, design, Options(0.95, 500, 1))
    wide = metrics.pivot(index="draw_id", columns="arm", values="score")
    found = {(r["arm"], r["reference"], r["method"]): r for r in rows}
    paired = stats.ttest_rel(wide["brief"], wide["long"])
    effect = found["brief", "long", "cluster_robust"]
    assert effect["estimate"] == pytest.approx(float((wide["brief"] - wide["long"]).mean()))
    assert effect["p_value"] == pytest.approx(paired.pvalue, rel=1e-6)
    assert effect["headline"] and not found["brief", "", "cluster_robust"]["headline"]
    for arm in ("long", "brief"):
        one = stats.ttest_1samp(wide[arm], 5.0)
        low, high = one.confidence_interval(0.95)
        row = found[arm, "", "cluster_robust"]
        assert row["p_value"] == pytest.approx(one.pvalue, rel=1e-6)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high))


def test_the_interval_of_a_share_is_a_share() -> None:
    from scipy import stats

    rows = [
        {"draw_id": f"d{n}", "arm": arm, "complete": True, "i": n, "y": float(n % 20 > least)}
        for n in range(40)
        for arm, least in (("a", 0), ("b", -1))
    ]
    said = {"y": Outcome("Right.", is_share=True)}
    found = compare(pd.DataFrame(rows), two_arms(said, "i"), Options(0.95, 100, 1))
    a, b = (next(r for r in found if r["contrast"] == arm) for arm in ("a", "b"))
    # By the delta method, from logit(.95); CR2's standard error of single cases is the usual one.
    half = stats.t.ppf(0.975, 39) * math.sqrt(0.95 * 0.05 / 39) / (0.95 * 0.05)
    limits = [1 / (1 + math.exp(-(math.log(19) + sign * half))) for sign in (-1, 1)]
    assert [a["ci_low"], a["ci_high"]] == pytest.approx(limits, abs=1e-6) and a["ci_high"] < 1
    # Exact where all are right: 40 of 40 happen in 2.5% of runs at the lower limit.
    assert (b["estimate"], b["se"], b["ci_high"]) == (1.0, None, 1.0)
    assert b["ci_low"] == pytest.approx(0.025 ** (1 / 40), abs=1e-9)


def graded(rng: np.random.Generator, share: float, items: int) -> pd.DataFrame:
    """The metrics of sessions whose replies are right by chance, read in their texts.

    Each item has a share of its own (an intraclass correlation of .3), and two sessions an arm.
    """
    said = {"y": Outcome("1 where it is right.", is_share=True)}
    study = declared(
        outcomes=said,
        items=lambda self, rng: [],
        debate=lambda self, session: [],
        measure=lambda self, turns, item: {"y": float(turns["value"].iloc[-1] == "right")},
    )
    reads = Read(lambda reply: reply.rpartition(" ")[2].strip("."))
    rates = rng.beta(share * (1 / 0.3 - 1), (1 - share) * (1 / 0.3 - 1), items)
    turns, outcomes = [], []
    for item, arm, repeat in product(range(items), ("a", "b"), range(2)):
        names = {"draw_id": f"d{item}-{repeat}", "item_id": f"i{item}", "arm": arm}
        names["session_id"] = f"{names['draw_id']}-{arm}"
        right = rng.random() < rates[item]
        reply = reads.read(f"On reflection the answer is {'right' if right else 'wrong'}.")
        turns.append({**names, "turn": 1, "value": as_json(reply.value)})
        outcomes.append({**names, "complete": True})
    by_session = turns_by_session(turns, study.levels())
    pool = {f"i{item}": {"topic": "t"} for item in range(items)}
    made = study(study.Settings.model_validate({"model": "m"}))
    return pd.DataFrame(measure_sessions(made, by_session, outcomes, pool)[0])


@pytest.mark.parametrize("studies", thorough_but((8, 200), 8))
@pytest.mark.parametrize("share", thorough_but([0.5, 0.95], 0.95))
def test_from_texts_a_share_is_held_and_no_difference_is_not_found(
    share: float, studies: int
) -> None:
    rng, options = np.random.default_rng(round(100 * share)), Options(0.95, 100, 1)
    said = {"y": Outcome("Right.", is_share=True)}
    held = found = 0
    for _ in range(studies):
        rows = compare(graded(rng, share, 20), two_arms(said, "item_id"), options)
        one = {(r["arm"], r["reference"], r["method"]): r for r in rows}
        mean, null = one["a", "", HEADLINE], one["b", "a", HEADLINE]
        held += mean["ci_low"] <= share <= mean["ci_high"]
        found += (null["p_value"] or 1.0) < 0.05
    # Three standard errors of the number of studies from what is stated.
    room = 3 * math.sqrt(0.05 * 0.95 * studies)
    assert held >= 0.95 * studies - room
    assert found <= 0.05 * studies + room


def written(rng: np.random.Generator) -> pd.DataFrame:
    """The metrics of sessions that write a number, in which stories matter and arms do not.

    20 stories of 1 to 8 draws; by story, what arm b adds has a mean of 0 and an SD of .5.
    """
    study = declared(
        outcomes={"y": Outcome("The number.")},
        items=lambda self, rng: [],
        debate=lambda self, session: [],
        measure=lambda self, turns, item: {"y": float(turns["value"].iloc[-1])},
    )
    reads = Read(lambda reply: float(reply.rpartition(" ")[2].strip(".")))
    turns, outcomes, pool = [], [], {}
    for story, draws in enumerate(rng.integers(1, 9, 20)):
        added = rng.normal(0, 0.5)
        for draw, arm in product(range(draws), ("a", "b")):
            item = f"i{story}-{draw}"
            pool[item] = {"topic": "t", "story_id": f"s{story}"}
            names = {"draw_id": f"d{story}-{draw}", "item_id": item, "arm": arm}
            names["session_id"] = f"{names['draw_id']}-{arm}"
            number = rng.normal(0, 0.3) + (added if arm == "b" else 0.0)
            value = reads.read(f"All in all I put it at {number:.4f}.").value
            turns.append({**names, "turn": 1, "value": as_json(value)})
            outcomes.append({**names, "complete": True})
    by_session = turns_by_session(turns, study.levels())
    made = study(study.Settings.model_validate({"model": "m"}))
    metrics = pd.DataFrame(measure_sessions(made, by_session, outcomes, pool)[0])
    return metrics.assign(story_id=metrics["item_id"].map(lambda item: pool[item]["story_id"]))


@pytest.mark.parametrize("studies", thorough_but((30, 150), 30))
def test_from_texts_no_difference_is_found_where_declared_clusters_differ(studies: int) -> None:
    rng = np.random.default_rng(12)
    found = dict.fromkeys((*METHODS, "by draw"), 0)
    for seed in range(studies):
        metrics, said = written(rng), {"y": Outcome("The number.")}
        for cluster in ("story_id", "draw_id"):
            rows = compare(metrics, two_arms(said, cluster), Options(0.95, 499, seed))
            for row in rows:
                if row["reference"] and (cluster == "story_id" or row["method"] == RANDOMISATION):
                    name = row["method"] if cluster == "story_id" else "by draw"
                    found[name] += row["p_value"] <= 0.05
    # Three standard errors from 5%; draws taken for independent find one in five.
    room = 3 * math.sqrt(0.05 * 0.95 * studies)
    assert all(found[method] <= 0.05 * studies + room for method in METHODS)
    assert found["by draw"] > 0.05 * studies + room


def test_a_mean_has_a_p_value_only_against_a_null() -> None:
    values, clusters = np.array([0.4, 0.6, 0.9, 0.1]), np.arange(4)
    without = mean_against(values, clusters, 0.95, None)
    against = mean_against(values, clusters, 0.95, 0.5)
    assert math.isnan(without.p_value) and against.p_value == pytest.approx(1.0)
    assert without.ci_low == pytest.approx(against.ci_low)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (lambda session: "words", "step 1 of debate yields str"),
        (lambda session: [session.call("A", "x"), session.call("A", "y")], "has 'A' speak twice"),
    ],
)
def test_a_wrong_step_is_a_sentence(step: Any, sentence: str) -> None:
    def debate(self: Any, session: Any) -> Any:
        yield step(session)

    study = declared(
        debate=debate, items=lambda self, rng: [], measure=lambda self, turns, item: {}
    )
    made = study(study.Settings.model_validate({"model": "m"}))
    (kind,) = made.kinds
    spec = kind.spec({"arm": "a", "seed": 1}, {"topic": "t"})
    steps = kind.steps(spec, PlaceholderInputs())()
    with pytest.raises(ResourceError) as caught:
        next(steps)
    assert sentence in str(caught.value)


def test_a_setting_of_the_protocol_leaves_the_others_as_they_are() -> None:
    given = {"model": "m", "protocol": {"temperature": 0.0}}
    protocol = declared().Settings.model_validate(given).protocol
    assert (protocol.temperature, protocol.max_tokens, protocol.repairs) == (0.0, 1000, 2)
    assert protocol.session_attempts == 2


def test_kinds_of_columns_and_registration() -> None:
    assert number("x").kind == "float?"
    registered = panel().registered({}, 1)
    assert "mean paired difference of score" in registered.estimands[0]
    assert registered.primary == "mean score (points), in each arm against long."
