"""Figures at several sizes of run: nothing overlaps, and what is drawn is what the data say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

from dissensus.errors import ArtefactError
from dissensus.report.facts import unmarked
from dissensus.report.style import save, save_svg
from dissensus.report.view import Drawn, View
from dissensus.study.makes import resolve
from drawn import outside, overlaps, said_by, visible_texts

from ..figures import FIGURES, control, graph
from ..figures.frames import schedules_of
from ..figures.graph import RELATIONS
from ..inference import unanswered
from .deliberation_frames import ARMS, Run, make_run

#: draws, arms, agents, rounds.
SIZES = [
    (1, ("emergent",), 3, 2),
    (12, tuple(ARMS), 4, 5),
    (4, ("emergent", "full", "pid", "rca", "hinted"), 8, 8),
]


MAKERS = {declared.name: resolve(declared.maker) for declared in FIGURES}


def make(name: str, run: Run, simulated: bool = True) -> Drawn:
    made: Drawn = MAKERS[name](run.artefacts, run.view(simulated))
    return made


@cache
def shown(name: str, size: tuple[int, tuple[str, ...], int, int]) -> Drawn:
    """A figure that no test changes, with what it says."""
    return make(name, make_run(*size))


def drawn(name: str, size: tuple[int, tuple[str, ...], int, int]) -> Figure:
    return shown(name, size).figure


def words(figure: Figure) -> set[str]:
    return {text for text, _ in visible_texts(figure)}


def test_no_text_of_a_graph_of_many_agents_overlaps_or_is_cut_off() -> None:
    figure = drawn("debate_graph", SIZES[2])
    texts = visible_texts(figure)
    assert overlaps(texts) == []
    assert outside(texts, figure) == []


def test_bytes_repeat(tmp_path: Path) -> None:
    run = make_run(*SIZES[0])
    for stem in ("one", "two"):
        figure = make("debate_graph", run).figure
        save(figure, tmp_path / f"{stem}.svg", tmp_path / f"{stem}.png")
    for ending in ("svg", "png"):
        one, two = ((tmp_path / f"{stem}.{ending}").read_bytes() for stem in ("one", "two"))
        assert one == two


def names(panels: Sequence[Axes]) -> list[str]:
    """The arms of panels, whose titles have the number of draws behind."""
    titles = [unmarked(axes.get_title(loc="left")) for axes in panels]
    return [re.sub(r" \(n = \d+\)$", "", title) for title in titles]


def test_every_arm_has_its_panels() -> None:
    titles = names(drawn("trajectories", SIZES[1]).axes)
    assert [titles.count(arm.replace("_", " ")) for arm in ARMS] == [2] * 12
    steered = names(drawn("control", SIZES[1]).axes)
    assert steered == ["pid", "pid fast", "fixed", "linear", "exponential", "divide"]


def test_rounds_that_are_missing_leave_gaps_and_no_error() -> None:
    run = make_run(4, ("emergent", "full", "pid", "rca", "hinted"), 8, 8)
    rounds = run.rounds[(run.rounds["arm"] != "full") | (run.rounds["round"] != 3)]
    rounds = rounds.assign(retention=rounds["retention"].where(rounds["arm"] != "pid"))
    made = make("trajectories", replace(run, rounds=rounds))
    axes = made.figure.subfigs[0].axes
    panels = dict(zip(names(axes), axes, strict=True))
    assert panels["full"].lines[-1].get_xdata().tolist() == [1, 2, 4, 5, 6, 7, 8]
    assert said_by(made)["undefined"] == "4"


def test_without_a_schedule_one_sentence_says_so() -> None:
    made = make("control", make_run(1, ("emergent",), 3, 2))
    assert control.NONE in words(made.figure)
    assert made.facts == {"text": control.NONE}


def test_only_loops_that_steer_can_be_frozen() -> None:
    run = make_run()
    said = said_by(make("control", run))["text"]
    # Both loops are frozen in the last round of every session, after which none could move.
    steered = run.rounds[run.rounds["arm"].isin(["pid", "pid_fast"])]
    steered = steered[steered["round"] < run.rounds["round"].max()]
    assert f"in 0 of the {len(steered)} rounds after which it could move" in said
    frozen = run.rounds["frozen"] | (run.rounds["round"] == 1)
    early = replace(run, rounds=run.rounds.assign(frozen=frozen))
    sessions = steered["session_id"].nunique()
    said = unmarked(make("control", early).facts["text"])
    assert f"in {sessions} of the {len(steered)} rounds after which it could move" in said
    open_loops = replace(run, rounds=run.rounds[~run.rounds["arm"].isin(["pid", "pid_fast"])])
    assert "frozen" not in make("control", open_loops).facts["text"]


def test_without_anything_each_figure_is_a_sentence() -> None:
    run = make_run(1, ("emergent",), 3, 2)
    frames = ("claims", "engagements", "stances", "rounds", "contrasts", "equal_tokens")
    empty = replace(run, **{name: getattr(run, name).iloc[:0] for name in frames})
    for name in MAKERS:
        drawn = words(make(name, empty).figure)
        assert len(drawn) == 2 and any(text.endswith(".") for text in drawn)


def test_first_answers_are_kaplan_and_meier() -> None:
    # Six claims: answered after 1, 1, 2; left unanswered with 1, 2 and 3 rounds to come.
    waited = np.array([1, 1, 2, 1, 2, 3])
    engaged = np.array([True, True, True, False, False, False])
    # At risk 6, then 3, then 1: hazards 2/6, 1/3 and 0.
    found = unanswered.first_answers(waited, engaged)
    np.testing.assert_allclose(found, [1 / 3, 2 / 3 / 3, 0.0, 4 / 9])


def test_a_claim_is_engaged_by_others_and_later_rounds_alone() -> None:
    ids = {"session_id": "s", "draw_id": "d", "topic_id": "x", "arm": "emergent"}
    claims = pd.DataFrame(
        [
            {**ids, "claim_id": f"{agent}.{number}.c1", "agent": agent, "round": number}
            for agent in ("A1", "A2")
            for number in (1, 2, 3)
        ]
    )
    edges = [
        ("A2", 3, "A1", "A1.1.c1", "resolved"),
        ("A1", 2, "A2", "A2.1.c1", "dangling"),
        ("A2", 3, "A2", "A2.2.c1", "self"),
        ("A1", 3, "A2", "A2.2.c1", "resolved"),
        ("A1", 2, "A1", "A1.1.c1", "resolved"),
    ]
    names = ["source", "round", "resolved_agent", "resolved_claim", "status"]
    engagements = pd.DataFrame([{**ids, **dict(zip(names, edge, strict=True))} for edge in edges])
    stances = claims.assign(model=claims["agent"].map({"A1": "one", "A2": "two"}))
    found = unanswered.fates(claims, engagements, stances)
    got = list(zip(found["model"], found["engaged"], found["waited"], strict=True))
    assert got == [("one", True, 2), ("one", False, 1), ("two", False, 2), ("two", True, 1)]


def test_claims_of_arms_that_hold_no_debate_are_nobodys_silence() -> None:
    run = make_run(6, ("emergent", "full", "pid"), 4, 3)
    made = (run.engagements, run.stances)
    held = unanswered.unanswered(run.claims, *made, ["emergent", "full"], 0.95)
    fewer = run.claims[run.claims["arm"] != "pid"]
    every = ["emergent", "full", "pid"]
    pd.testing.assert_frame_equal(held, unanswered.unanswered(fewer, *made, every, 0.95))
    assert len(held) < len(unanswered.unanswered(run.claims, *made, every, 0.95))


def debate_of(run: Run, session: str) -> graph.DrawnDebate:
    frames = run.claims, run.engagements, run.stances, run.manifest, run.topics
    return graph.debate(*frames, session)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[2]} agents")
def test_the_graph_has_a_disc_a_turn_a_dot_a_claim_and_a_curve_an_edge(
    size: tuple[int, tuple[str, ...], int, int],
) -> None:
    run = make_run(*size)
    shown = debate_of(run, "t001-emergent")
    axes = graph.picture(shown, simulated=True).axes[0]
    points = [line for line in axes.lines if line.get_marker() == "o"]
    discs = [line for line in points if line.get_markersize() == 13]
    assert len(discs) == size[2] * size[3] == len(shown.turns)
    assert len(points) - len(discs) == len(shown.claims)
    curves = [patch for patch in axes.patches if isinstance(patch, PathPatch)]
    resolved = run.session("t001-emergent")["engagements"].query("status == 'resolved'")
    assert len(curves) == len(shown.edges) == len(resolved)
    hollow = [line for line in points if line.get_markersize() < 5]
    white = sum(line.get_markerfacecolor() == "white" for line in hollow)
    answerable = shown.claims[shown.claims["round"] < size[3]]
    assert white == (~answerable["claim_id"].isin(resolved["resolved_claim"])).sum()
    # Time runs to the right: every curve ends left of where it begins.
    for curve in curves:
        xs = curve.get_path().vertices[:, 0]
        assert xs[-1] < xs[0]


def test_stances_are_numbered_and_told_apart() -> None:
    for n in (2, 3, 5, 8):
        for ordered in (True, False):
            colours = graph.stance_colours([f"option {k}" for k in range(n)], ordered)
            assert len(set(colours.values())) == n
    run = make_run(*SIZES[1])
    shown = debate_of(run, "t001-rca")
    drawn = words(graph.picture(shown, simulated=False))
    stances = set(run.session("t001-rca")["stances"]["stance"])
    numbered = {str(shown.options.index(stance) + 1) if stance else "?" for stance in stances}
    assert numbered <= drawn
    assert {"rebut", "concede", "question", "support", "1  disagree"} <= drawn


def test_a_session_that_is_not_there_is_named_in_a_sentence() -> None:
    run = make_run()
    with pytest.raises(ArtefactError, match=r"no session 't999-full' to draw; .*'t001-crit'"):
        debate_of(run, "t999-full")
    lost = run.metrics.loc[~run.metrics["complete"], "session_id"].iloc[0]
    with pytest.raises(ArtefactError, match=f"{lost}' failed for good"):
        debate_of(run, lost)


def test_the_graph_is_svg_whose_words_can_be_read(tmp_path: Path) -> None:
    figure = graph.picture(debate_of(make_run(), "t001-full"), simulated=True)
    save_svg(figure, tmp_path / "g.svg")
    root = ET.parse(tmp_path / "g.svg").getroot()
    said = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"rebut", "round 1", "simulated models"} <= said


def test_significant_contrasts_are_filled() -> None:
    run = make_run(4, ("emergent", "full", "one_target", "hinted", "rca"), 3, 3)
    rows = run.contrasts.copy()
    chosen = (rows["outcome"] == "retention_last") & (rows["method"] == "cluster_robust")
    rows.loc[chosen, "p_adjusted"] = np.where(rows.loc[chosen, "arm"] == "full", 0.01, 0.5)
    figure = make("contrasts", replace(run, contrasts=rows)).figure
    axes = figure.subfigs[0].axes[0]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    filled = [line.get_markerfacecolor() != "white" for line in dots]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[:2] == ["full", "one target"] and names[-1] == "rca − hinted"
    assert filled == [name == "full" for name in names]


@pytest.mark.parametrize("size", SIZES[1:], ids=str)
def test_the_caption_of_contrasts_counts_the_marks_that_are_drawn(
    size: tuple[int, tuple[str, ...], int, int],
) -> None:
    said = said_by(shown("contrasts", size))
    small = [axes for axes in drawn("contrasts", size).axes if axes.get_title(loc="left")][1:]
    dots = [line for axes in small for line in axes.lines if line.get_marker() == "o"]
    filled = sum(line.get_markerfacecolor() != "white" for line in dots)
    assert f", {filled} of {len(dots)} are filled." in said["beside"]
    others = [text for text, _ in visible_texts(drawn("contrasts", size)) if " − " in text]
    hinted = any(not text.startswith("arm −") for text in others)
    assert bool(said["beneath"]) == hinted


def test_arms_stand_with_the_reference_first() -> None:
    arms = {"a": {"schedule": "pid"}, "b": {"schedule": None}, "c": {"schedule": "fixed"}}
    view = View("deliberation", {"reference": "b", "confidence": 0.9, "arms": arms}, False)
    assert view.arms == ("b", "a", "c")
    assert schedules_of(view) == {"a": "pid", "c": "fixed"}
    assert unmarked(view.level) == "90%"


def test_the_legend_of_the_graph_is_in_the_looks_that_are_drawn() -> None:
    axes = drawn("debate_graph", SIZES[1]).axes[0]
    legend = axes.get_legend() or axes.figure.legends[0]
    shown = {
        text.get_text(): handle
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
        if text.get_text() in RELATIONS
    }
    curves = {
        (to_hex(patch.get_edgecolor()[:3]), patch.get_alpha())
        for patch in axes.patches
        if isinstance(patch, PathPatch)
    }
    assert curves and curves <= {
        (to_hex(handle.get_color()), handle.get_alpha()) for handle in shown.values()
    }
