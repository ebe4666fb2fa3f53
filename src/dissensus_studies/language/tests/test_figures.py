"""Figures at several sizes of run: nothing overlaps, bytes repeat, simulated models are named."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dissensus.report import forms as clouds
from dissensus.report.facts import Facts, unmarked
from dissensus.report.style import save
from dissensus.study.makes import resolve
from drawn import outside, overlaps, visible_texts
from marking import thorough_but

from ..figures import (
    FIGURES,
    domains,
    flow,
    paired_effects,
    reuse,
    saturation,
    specifications,
)
from ..inference.estimators import NET, OFFSET
from .figure_frames import LOOKED_AT, VIEW, Run, looked_at, make_run

SIZES = [
    (4, 2, ("en", "zh")),
    (24, 9, ("en", "zh", "an_own")),
]

DRAWN = {declared.name: resolve(declared.maker) for declared in FIGURES}

run_of = cache(make_run)


@pytest.mark.parametrize("name", thorough_but(["paired_effects", "power", "domains"], "power"))
def test_the_scale_of_a_study_that_may_stop_has_room(name: str) -> None:
    figure = DRAWN[name](looked_at(run_of(*SIZES[1])).artefacts, LOOKED_AT).figure
    texts = visible_texts(figure)
    assert any("fitted on block 1" in text for text, _ in texts)
    assert overlaps(texts) == [] and outside(texts, figure) == []


def test_the_caption_of_a_study_that_may_stop_has_its_last_look_and_its_scale() -> None:
    said = paired_effects.describe(looked_at(run_of(*SIZES[1])).artefacts, LOOKED_AT)
    assert "Chinese − English +0.600 (95% CI [0.100, 1.100], p = 0.020" in unmarked(said["effects"])
    assert said["unit"].endswith("the first block as read in English")
    assert "at all looks together" in said["interval"]
    plain = paired_effects.describe(run_of(*SIZES[1]).artefacts, VIEW)
    assert plain["unit"].endswith("fitted on English")
    assert "anew in each resample" in plain["interval"]


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name", ["paired_effects", "components", "reuse"])
def test_pictures_of_thousands_stay_light(name: str, tmp_path: Path) -> None:
    run = crowd()
    svg = tmp_path / "f.svg"
    save(DRAWN[name](run.artefacts, VIEW).figure, svg, tmp_path / "f.png")
    text = svg.read_text()
    # The dots are an image; as shapes they were 5 to 20 MB.
    assert "<image" in text
    assert len(text) < 500_000
    assert text.count("<use") < 1_000


@pytest.mark.parametrize("name", ["paired_effects", "components", "reuse"])
def test_a_mark_that_leads_to_a_debate_lies_on_its_dot(name: str) -> None:
    run = run_of(*SIZES[0])
    for panel in (drawn := DRAWN[name](run.artefacts, VIEW)).marks:
        dots = {
            (round(float(x), 9), round(float(y), 9))
            for line in panel.axes.lines
            for x, y in zip(*line.get_data(), strict=True)
        }
        assert {
            (round(float(x), 9), round(float(y), 9)) for x, y in zip(panel.x, panel.y, strict=True)
        } <= dots
        known = {*run.metrics["draw_id"], *run.metrics["session_id"]}
        assert set(panel.targets) <= known
    assert drawn.marks


def test_a_mark_stands_for_the_debate_with_its_value() -> None:
    run = run_of(*SIZES[0])
    lexical = DRAWN["components"](run.artefacts, VIEW).marks[0]
    values = run.metrics.set_index(["draw_id", "language"])["s_lex"]
    assert lexical.y == [values[draw, "en"] for draw in lexical.targets]
    by_character = DRAWN["reuse"](run.artefacts, VIEW).marks[0]
    ratios = run.reuse.groupby("session_id")["characters"].apply(set)
    assert all(
        x in ratios[session]
        for x, session in zip(by_character.x, by_character.targets, strict=True)
    )


def test_a_crowd_gets_lines_for_some_draws_and_says_so() -> None:
    assert [clouds.stride(n) for n in (1, 1000, 1001, 10_000)] == [1, 1, 3, 25]
    assert paired_effects.describe(crowd().artefacts, VIEW)["lines"] == "a line for some"
    few = paired_effects.describe(run_of(*SIZES[0]).artefacts, VIEW)
    assert few["lines"] == "a line each"


@cache
def crowd() -> Run:
    """A run whose metrics and reuse are those of twenty-four draws, a hundred times over."""
    run = run_of(24, 9, ("en", "zh"))
    crowds = []
    for frame in (run.metrics, run.reuse):
        ids = ("session_id", "draw_id")
        copies = [frame.assign(**{name: frame[name] + f"-{i}" for name in ids}) for i in range(100)]
        crowds.append(pd.concat(copies, ignore_index=True))
    return replace(run, metrics=crowds[0], reuse=crowds[1])


def test_drawing_leaves_the_settings_of_matplotlib_alone() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    DRAWN["reuse"](run_of(*SIZES[0]).artefacts, VIEW)
    assert dict(mpl.rcParams) == before


def test_flow_counts_what_was_lost() -> None:
    run = run_of(12, 5, ("en", "zh", "fr"))
    found = flow.trace(run.pool, run.manifest, run.outcomes, "en")
    assert (found.motions, found.without_function, found.drawable) == (16, 1, 15)
    assert (found.draws, found.complete_draws) == (12, 11)
    assert [arm.language for arm in found.arms] == ["en", "zh", "fr"]
    assert [arm.lost for arm in found.arms] == [0, 0, 1]
    assert sum(found.first.values()) == 12
    assert found.casts.to_numpy().sum() == 48
    described = flow.describe(run.artefacts, [arm.language for arm in found.arms])
    said = {name: unmarked(text) for name, text in described.items()}
    assert said["incomplete"] == "1 of 12 draws"
    assert said["lost"] == "0 in English, 0 in Chinese and 1 in fr".replace("in fr", "in French")


def test_domain_effects_are_students_by_hand() -> None:
    run = make_run(30, 4, ("en", "zh"))
    found = domains.domain_effects(run.metrics, "hi_z", "zh", VIEW)
    values = run.metrics.pivot(index="draw_id", columns="language", values="hi_z").dropna()
    by_draw = run.metrics.drop_duplicates("draw_id").set_index("draw_id")["domain_id"]
    one = found.index[found["n"] > 2][0]
    d = (values["zh"] - values["en"])[by_draw.reindex(values.index) == one].to_numpy()
    from scipy.stats import t

    half = t.ppf(0.975, len(d) - 1) * d.std(ddof=1) / len(d) ** 0.5
    assert found.loc[one, "estimate"] == pytest.approx(d.mean())
    assert found.loc[one, "ci_high"] == pytest.approx(d.mean() + half)


def test_a_saturated_arm_is_named_in_the_caption() -> None:
    run = make_run(20, 3, ("en", "zh"), shift=12.0)
    said = unmarked(saturation.describe(run.artefacts.facts("saturation"), VIEW)["warning"])
    assert "Warning" in said
    assert "index: 100% in Chinese" in said
    none = Facts("saturation", run.saturation.assign(warning=False), ())
    calm = unmarked(saturation.describe(none, VIEW)["warning"])
    assert calm == "No arm of any scale has more than 5% of its sessions at a bound."


def test_extremes_come_from_draws_held_in_every_language() -> None:
    run = run_of(4, 2, ("en", "zh"))
    most, least = reuse.extremes(run.artefacts.facts("reuse")) or (None, None)
    assert most is not None and least is not None
    assert (most.draw_id, most.language, most.speaker, most.ratio) == ("d001", "en", "P1", 0.9)
    whole = reuse.comparable(run.reuse)
    assert "d004" not in set(whole["draw_id"])
    assert least.ratio == whole["characters"].min()


def test_options_with_one_way_only_are_left_out_of_the_curve() -> None:
    rows = specifications.options(run_of(4, 2, ("en", "zh")).curve)
    assert [(title, name) for title, name, _ in rows] == [
        ("Lexical weight", "0.25"),
        ("Lexical weight", "0.5"),
        ("Unit", "turn"),
        ("Unit", "speaker"),
        ("Lexical length", "as spoken"),
        ("Lexical length", "matched"),
        ("Anchor", "z"),
        ("Anchor", "ECDF"),
    ]


def test_components_are_drawn_as_they_are_said_net_where_the_instrument_was_measured() -> None:
    run = run_of(12, 5, ("en", "zh"))
    offset = {"contrast": "zh-en", "outcome": "s_lex", "method": OFFSET, "estimate": 0.05}
    net = {**offset, "method": NET, "n": 12, "ci_low": 0.0, "ci_high": 0.2, "headline": False}
    others = run.effect[run.effect["outcome"] != "s_lex"]
    effect = pd.concat([others, pd.DataFrame([offset, net])], ignore_index=True)
    panel = DRAWN["components"](replace(run, effect=effect).artefacts, VIEW).figure.axes[0]
    dots = {line.get_marker(): line for line in panel.lines if line.get_marker() in "oD"}
    english, chinese = (np.asarray(dots[mark].get_ydata(), dtype=float) for mark in "oD")
    read = run.metrics[run.metrics["complete"].astype(bool)]
    sessions = read.groupby("language")["s_lex"]
    np.testing.assert_allclose(sorted(english), sorted(sessions.get_group("en")))
    np.testing.assert_allclose(sorted(chinese), sorted(sessions.get_group("zh") - 0.05))
    assert any(text.get_text().startswith("net +0.050") for text in panel.texts)
