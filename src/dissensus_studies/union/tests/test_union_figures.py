"""Figures at several sizes of run: nothing overlaps, and what is drawn is what the data say."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from dissensus.report.facts import unmarked
from dissensus.report.style import ALARM
from dissensus.report.truth import Diagnosed
from dissensus.report.view import Drawn, View
from dissensus.study.makes import resolve
from drawn import said_by, visible_texts

from ..figures import FIGURES
from ..figures.headline import state
from ..figures.truth import effects
from ..inference.coaching import OUTCOMES
from ..map.colours import colour_of
from .union_frames import VIEW, Run, make_run

MAKERS = {declared.name: resolve(declared.maker) for declared in FIGURES}


def make(name: str, run: Run, view: View = VIEW) -> Drawn:
    made: Drawn = MAKERS[name](run.artefacts, view)
    return made


@cache
def shown(name: str, size: tuple[int, int, int] = (2, 4, 5)) -> Drawn:
    """A figure that no test changes, with what it says."""
    return make(name, make_run(*size))


def drawn(name: str, size: tuple[int, int, int] = (2, 4, 5)) -> Figure:
    return shown(name, size).figure


def panel(name: str, letter: str, size: tuple[int, int, int] = (2, 4, 5)) -> Axes:
    """A panel by the letter that its title begins with."""
    found = [axes for axes in drawn(name, size).axes if axes.get_title("left")[:1] == letter]
    assert len(found) == 1
    return found[0]


def dots(axes: Axes) -> set[tuple[float, float]]:
    """The places of all lone dots."""
    return {
        (round(float(line.get_xdata()[0]), 9), round(float(line.get_ydata()[0]), 9))
        for line in axes.lines
        if len(line.get_xdata()) == 1
    }


def bars(axes: Axes) -> list[tuple[float, float, float]]:
    """Row, left end and width of all bars."""
    return [
        (round(p.get_y() + p.get_height() / 2, 9), round(p.get_x(), 9), round(p.get_width(), 9))
        for p in axes.patches
        if isinstance(p, Rectangle)
    ]


def rows_of(axes: Axes) -> dict[str, float]:
    """Name of a row -> its place."""
    return {
        label.get_text(): float(place)
        for place, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    }


def test_verdicts_are_counted_by_arm_and_epoch_and_shared_by_motion() -> None:
    run = make_run()
    axes = panel("verdicts", "b")
    widths: dict[float, list[float]] = {}
    for place, _, width in bars(axes):
        widths.setdefault(place, []).append(width)
    for name, place in rows_of(axes).items():
        arm, _, epoch = name.partition(", epoch ")
        own = run.verdicts[(run.verdicts["arm"] == arm) & (run.verdicts["epoch"] == int(epoch))]
        order = ("proposition", "contested", "opposition")
        shares = [float((own["winner"] == verdict).mean()) for verdict in order]
        assert widths[place] == pytest.approx(shares)
    assert len(widths) == 8
    shown = {x for x, _ in dots(panel("verdicts", "a"))}
    for motion in ("m1", "m2"):
        won = (run.verdicts[run.verdicts["motion_id"] == motion]["winner"] == "proposition").mean()
        assert round(float(won), 9) in shown


def test_contested_debates_are_in_every_denominator() -> None:
    facts = said_by(make("verdicts", make_run()))
    shares = [int(facts[name].split("%")[0]) for name in ("proposition", "opposition", "contested")]
    assert abs(sum(shares) - 100) <= 1 and shares[2] > 0
    assert facts["attrition"] == "79 of 80 debates"


def test_coaching_shows_means_and_what_the_randomisation_finds() -> None:
    run = make_run()
    rows = run.coaching[run.coaching["outcome"] == "student_survival"]
    gains = rows[(rows["contrast"] == "difference") & (rows["method"] == "paired_randomisation")]
    # All coached epochs together stand after the last.
    expected = {
        (float(e or 5), round(x, 9)) for e, x in zip(gains["epoch"], gains["estimate"], strict=True)
    }
    assert dots(panel("coaching", chr(ord("a") + len(OUTCOMES)))) == expected and len(expected) == 5
    means = rows[(rows["contrast"] == "mean") & (rows["arm"] == "coached")].sort_values("epoch")
    lines = [
        line.get_ydata() for line in panel("coaching", "a").lines if len(line.get_ydata()) == 4
    ]
    assert any(np.allclose(line, means["estimate"]) for line in lines)
    by_hand = run.verdicts[run.verdicts["arm"] == "coached"].groupby("epoch")["student_survival"]
    assert means["estimate"].tolist() == pytest.approx(by_hand.mean().tolist())


def test_the_headline_has_its_interval_its_n_and_the_design_s_power() -> None:
    facts = said_by(make("coaching", make_run()))
    assert "epochs (2 to 4)" in facts["headline"] and "29 of 30 draws" in facts["headline"]
    assert "rebuttals that demolish" in facts["beside"] and "blind votes" in facts["beside"]
    assert "epoch 4 less epoch 1" in facts["beside"]
    assert "for 0.1" in facts["power"] and facts["power"].count("% for 0.2") == len(OUTCOMES)


def test_without_a_control_or_a_second_epoch_the_caption_says_so() -> None:
    facts = said_by(make("coaching", make_run(1, 1, 1)))
    assert "not defined" in facts["headline"] and facts["power"] == ""


def test_a_biased_judge_is_named_and_drawn_apart() -> None:
    run = make_run()
    axes = panel("judges", "a")
    place = rows_of(axes)["judge-that-follows-slots"]
    (mark,) = [
        line for line in axes.lines if len(line.get_xdata()) == 1 and line.get_ydata()[0] == place
    ]
    assert mark.get_marker() == "D" and mark.get_markerfacecolor() == mark.get_color()
    assert mark.get_xdata()[0] == 1.0
    for name in ("judge-a", "judge-b"):
        (fair,) = [
            line
            for line in axes.lines
            if len(line.get_xdata()) == 1 and line.get_ydata()[0] == rows_of(axes)[name]
        ]
        assert (fair.get_marker(), fair.get_markerfacecolor()) == ("o", "white")
    words = [text for text, _ in visible_texts(drawn("judges"))]
    assert "favours slot A" in words
    facts = said_by(make("judges", run))
    assert facts["named"].startswith("judge-that-follows-slots, which favours slot A (1.00")
    assert "judge-that-follows-slots 100%" in facts["follow"]


def test_layers_are_drawn_from_the_verdicts_and_the_audit() -> None:
    run = make_run()
    kappa = run.judges[(run.judges["judge"] == "panel") & (run.judges["compared"] == "annotation")]
    axes = panel("layers", "a")
    place = rows_of(axes)["panel – annotation"]
    assert (round(float(kappa["estimate"].iloc[0]), 9), place) in dots(axes)
    right = panel("layers", "b")
    annotation = rows_of(right)["annotation"]
    widths = [width for row, _, width in bars(right) if row == annotation]
    said = run.verdicts["annotation"]
    assert widths[0] == pytest.approx((said == "proposition").mean())
    # What a layer cannot decide is no part of its bar.
    assert [w for row, _, w in bars(right) if row == rows_of(right)["audit"]] == [0.0] * 3


def test_survival_is_the_share_of_each_group_s_claims() -> None:
    run = make_run()
    axes = panel("survival", "a")
    first = {place: width for place, left, width in reversed(bars(axes)) if left == 0.0}
    for name, place in rows_of(axes).items():
        if name in ("evidence-backed", "principled", "assertion"):
            own = run.claims[run.claims["kind"] == name.replace("-", "_")]
            assert first[place] == pytest.approx((own["fate"] == "survives").mean())
    assert said_by(make("survival", run))["claims"] == "3,792 claims of 79 debates"


@pytest.mark.thorough
def test_further_motions_are_in_the_tables_alone_and_the_caption_says_so() -> None:
    run = make_run(6, 6, 2)
    assert said_by(make("verdicts", run))["left"] == "2 further motions only in the tables."


def test_estimates_that_are_missing_leave_a_dash_and_no_error() -> None:
    run = make_run()
    judges = run.judges.assign(**dict.fromkeys(("ci_low", "ci_high"), np.nan))
    judges.loc[judges["judge"] == "judge-a", "estimate"] = np.nan
    texts = [t for t, _ in visible_texts(make("judges", replace(run, judges=judges)).figure)]
    before = [t for t, _ in visible_texts(drawn("judges"))]
    assert texts.count("–") == before.count("–") + 3
    unread = run.judges.assign(estimate=np.nan)
    texts = [t for t, _ in visible_texts(make("judges", replace(run, judges=unread)).figure)]
    assert any("no judge can be audited" in text for text in texts)


def test_the_largest_clusters_of_a_motion_are_numbered_in_their_middle() -> None:
    run = make_run()
    figure = drawn("arguments")
    for (cloud, beside), (motion, own) in zip(
        zip(figure.axes[::2], figure.axes[1::2], strict=True),
        run.clusters.groupby("motion_id"),
        strict=True,
    ):
        assert cloud.get_title("left") == motion
        ordered = own.sort_values("claims", ascending=False, kind="stable")
        words = [text.get_text() for text in beside.texts]
        assert words[::3] == [str(cluster) for cluster in ordered["cluster"]]
        assert [
            f"{n:,} claims" in word for n, word in zip(ordered["claims"], words[2::3], strict=True)
        ] == [True] * len(own)
        middles = {text.get_text(): text.get_position() for text in cloud.texts}
        # By the number that the map of arguments and the tables have.
        for cluster in ordered["cluster"]:
            claims = run.map[run.map["cluster"] == cluster]
            middle = (claims["x"].median(), claims["y"].median())
            assert middles[str(cluster)] == pytest.approx(middle)
            # And in the colour that it has there.
            (disc,) = [one for one in cloud.lines if tuple(one.get_xydata()[0]) == middle]
            assert disc.get_markeredgecolor() == colour_of(int(cluster))
    facts = said_by(shown("arguments"))
    assert facts["claims"] == f"{len(run.map):,} claims"
    assert facts["alone"] == f"{(run.map['cluster'] == -1).sum():,} claims"


def test_every_red_mark_is_named_and_length_is_an_association() -> None:
    run = make_run()
    judges = run.judges.copy()
    together = judges["judge"] == "all"
    for bias, favours in (("side", "opposition"), ("verbosity", "longer speeches")):
        chosen = together & (judges["bias"] == bias)
        assert chosen.sum() == 1
        judges.loc[chosen, ["named", "favours", "estimate"]] = True, favours, 0.25
        judges.loc[chosen, ["ci_low", "ci_high", "p_adjusted"]] = 0.2, 0.3, 0.0006
    changed = replace(run, judges=judges)
    drawn_now = make("judges", changed)
    red = [
        text.get_text()
        for axes in drawn_now.figure.axes
        for text in axes.texts
        if text.get_color() == ALARM
    ]
    # A judge who always says A makes all judges together favour it, too.
    assert sorted(red) == ["favours opposition", "favours slot A", "favours slot A"]
    facts = said_by(drawn_now)
    assert "all judges, which favour opposition (0.25, p < 0.001 after Holm)" in facts["named"]
    assert "judge-that-follows-slots, which favours slot A" in facts["named"]
    assert "longer" not in facts["named"]
    assert (
        facts["lengths"]
        == "all judges, whose votes go with longer speeches (0.25, p < 0.001 after Holm)"
    )
    told = state(changed.artefacts, VIEW)
    assert any("opposition (0.25" in unmarked(sentence) for sentence in told.headlines)
    assert any("no bias by itself" in sentence for sentence in told.headlines)
    assert told.card is not None and "all judges, which favour opposition" in unmarked(
        told.card.but
    )


def test_every_planted_zero_of_a_judge_stands_in_the_truth() -> None:
    run = make_run()
    planted = {
        "judge-a": {"slot_bias": 0.0, "length_bias": 0.0, "side_bias": 0.0},
        "judge-b": {"slot_bias": 0.4, "length_bias": 3.0, "side_bias": -0.2},
    }
    people = {"speaker": {"speech": {}}, "judges": []}
    view = View(
        "union", {**VIEW.settings, "planted": planted, "diagnosis": {"people": people}}, True
    )
    found = list(effects(run.artefacts, view, Diagnosed({})))
    true = {effect.words: (effect.truth.value, effect.none) for effect in found}
    assert len(true) == 6
    values = [true[words] for words in true if words.startswith("judge-a")]
    assert sorted(values) == [(0.0, 0.0), (0.5, 0.5), (0.5, 0.5)]
    (length,) = (true[words] for words in true if words.startswith("judge-b: log odds"))
    assert length == (pytest.approx(0.3), 0.0)
    (side,) = (true[words] for words in true if "proposition" in words and "judge-b" in words)
    assert side == (pytest.approx(1 / (1 + np.exp(0.4))), 0.5)
