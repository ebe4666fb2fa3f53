"""Figures at several sizes of run: nothing overlaps, bytes repeat, what is missing is said."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from dissensus.report.equal_tokens import NOT_WORTH, UNTOLD
from dissensus.report.facts import unmarked
from dissensus.report.view import Drawn, View
from dissensus.study.makes import resolve
from drawn import said_by, visible_texts
from made_frames import frame_of

from ..figures import FIGURES, conformity, equal_tokens, needed, peers, rounds
from ..figures.frames import Estimates, casts, range_words, read_teams
from ..figures.style import columns_for, looks
from ..inference.comparisons import COMPARISONS
from .identity_frames import FULL, RING, VIEW, Run, make_run

run_of = cache(make_run)


MAKERS = {declared.name: resolve(declared.maker) for declared in FIGURES}


def drawn(name: str, run: Run, view: View = VIEW) -> Figure:
    made: Figure = MAKERS[name](run.artefacts, view).figure
    return made


@cache
def shown(name: str, size: tuple[int, int]) -> Drawn:
    """A figure that no test changes, with what it says."""
    made: Drawn = MAKERS[name](run_of(*size).artefacts, VIEW)
    return made


def said(size: tuple[int, int]) -> dict[str, dict[str, str]]:
    return {name: said_by(shown(name, size)) for name in MAKERS}


def test_what_is_missing_is_one_sentence() -> None:
    one_peer, one_round = run_of(2, 2), make_run(2, 2, rounds=1)
    empty = one_peer.estimates.assign(estimate=np.nan, ci_low=np.nan, ci_high=np.nan)
    blank = replace(one_peer, estimates=empty, equal_tokens=one_peer.equal_tokens.iloc[:0])
    for name, run, sentence in (
        ("peers", one_peer, peers.MISSING),
        ("rounds", one_round, rounds.MISSING),
        ("conformity", blank, conformity.MISSING),
        ("rounds", blank, rounds.MISSING),
        ("equal_tokens", blank, equal_tokens.MISSING),
    ):
        words = " ".join(text for text, _ in visible_texts(drawn(name, run)))
        assert words.replace("\n", " ") == f"{sentence} simulated models"
        assert said_by(MAKERS[name](run.artefacts, VIEW))["found"] == sentence


def test_every_estimate_has_a_mark_and_its_interval() -> None:
    run = run_of(3, 2)
    found = Estimates.of(run.artefacts)
    figure = drawn("conformity", run)
    points = {
        round(float(line.get_xdata()[0]), 9)
        for axes in figure.axes
        for line in axes.lines
        if line.get_marker() in ("o", "D")
    }
    ends = {
        tuple(np.round(np.asarray(line.get_xdata(), dtype=float), 9))
        for axes in figure.axes
        for line in axes.lines
        if line.get_marker() == "None" and len(line.get_xdata()) == 2
    }
    for team, bank in found.cells():
        for condition in ("vanilla", "anonymized"):
            for measure in ("conformity", "obstinacy"):
                row = found.get(team, bank, measure, condition)
                assert round(row["estimate"], 9) in points
                assert (round(row["ci_low"], 9), round(row["ci_high"], 9)) in ends
    words = [text for text, _ in visible_texts(figure)]
    assert words.count("72") == 3 * 2 * 2
    assert words.count("24 questions") == 2


def test_a_figure_of_ibc_has_its_zero_and_its_band() -> None:
    upright, along = drawn("rounds", run_of(2, 2)).axes[0], drawn("peers", run_of(3, 2)).axes[0]
    assert [0.0, 0.0] in [list(line.get_ydata()) for line in upright.lines]
    assert [0.0, 0.0] in [list(line.get_xdata()) for line in along.lines]
    for axes, part in ((upright, "y"), (along, "x")):
        box = axes.patches[0].get_bbox()
        assert (getattr(box, f"{part}0"), getattr(box, f"{part}1")) == (-0.1, 0.1)


def test_six_teams_look_different_in_hue_shape_and_grey() -> None:
    found = looks(["de", "en", "c", "d", "e", "f"])
    assert [look.name for look in found.values()] == ["de", "en", "c", "d", "e", "f"]
    assert len({look.marker for look in found.values()}) == 6
    assert len({look.colour for look in found.values()}) == 6
    *others, sixth = (
        float(np.dot(to_rgb(look.colour), [0.2126, 0.7152, 0.0722])) for look in found.values()
    )
    assert min(abs(sixth - grey) for grey in others) > 0.03


def test_thirty_six_teams_are_told_apart() -> None:
    found = looks([str(place) for place in range(36)])
    assert len({(look.colour, look.marker) for look in found.values()}) == 36


def test_only_teams_of_one_model_are_compared_by_their_peers() -> None:
    run = run_of(5, 2)
    teams = read_teams(run.artefacts, Estimates.of(run.artefacts).teams)
    assert [team.graph for team in teams] == [RING, RING, FULL, RING, RING]
    assert [[team.name for team in group] for group in casts(teams)] == [
        ["deferring", "deferring-4"]
    ]
    lines = peers.series(casts(teams)[0], Estimates.of(run.artefacts))
    assert [unmarked(line.label) for line in lines] == [
        "deferring, 1 peer",
        "deferring-4, 4 peers",
        "deferring-4, all 4 disagree",
    ]
    star = replace(teams[0], graph="2+3+4|1|1|1")
    assert (star.peers, star.peer_words) == (3, "1 to 3 peers")


def test_panels_leave_room_for_names() -> None:
    assert [columns_for(["a"] * n) for n in (1, 2, 4, 5, 6)] == [1, 2, 4, 3, 4]
    assert columns_for(["a", "b", "professional-medicine"]) == 2
    assert columns_for(["a" * 40, "b"]) == 1


@pytest.mark.parametrize(
    ("counts", "words"),
    [([], "0 peers"), ([1, 1], "1 peer"), ([3, 1340, 12], "3 to 1,340 peers")],
)
def test_ranges_in_words(counts: list[int], words: str) -> None:
    assert range_words(counts, "peer") == words


def test_questions_needed_follow_from_the_normal_distribution() -> None:
    from scipy.stats import norm

    room = needed.rooms(run_of(2, 2).artefacts.facts("power"))["deferring", "choice"]
    assert (room.sd, room.complete) == (0.5, 24)
    # The far tail of the two-sided test adds less than one question here.
    shift = norm.ppf(0.975) + norm.ppf(0.8)
    for ibc, questions in room.needed.items():
        assert questions == pytest.approx((shift * 0.5 / ibc) ** 2, abs=1.0)
    assert room.detectable[272] == pytest.approx(shift * 0.5 / 272**0.5, rel=1e-4)
    words = unmarked(needed.describe(run_of(2, 2).artefacts.facts("power"), VIEW))
    assert "enough in no team" in words


def test_the_figure_of_tokens_says_whether_debate_is_worth_them() -> None:
    run = run_of(2, 2)
    first, second = run.equal_tokens["team"].unique()
    words = said_by(shown("equal_tokens", (2, 2)))["found"]
    assert words.startswith(
        f"{first}: debate is worth its tokens (debate, vanilla, accuracy 0.740 at 2,100 tokens; "
        "the strongest without debate is "
    )
    # All that are as strong are named, by their numbers.
    named = "self-consistency at 2,100 tokens, the debate less it +0.100 [0.070, 0.130], p = 0.010"
    assert named in words
    frame = run.equal_tokens
    equal = frame[(frame["team"] == first) & frame["compared"] & (frame["estimate"] == 0.1)]
    assert all(f"{name} at " in words for name in equal["strategy"])
    assert f"{second}: debate is worth its tokens (debate, vanilla" in words
    assert "at 2,100 tokens, $0.0021" in words
    frame = run.equal_tokens
    one_told = frame.assign(p_adjusted=np.where(frame["strategy"] == "one agent", 0.01, 0.9))
    worse = frame.assign(estimate=-frame["estimate"])
    for other, sentence in ((one_told, UNTOLD), (worse, NOT_WORTH)):
        changed = replace(run, equal_tokens=other).artefacts
        assert f"{first}: {sentence} (" in MAKERS["equal_tokens"](changed, VIEW).facts["found"]


def test_captions_tell_what_the_figures_show() -> None:
    found = Estimates.of(run_of(2, 2).artefacts)
    rows = [
        found.get(team, bank, "delta", "vanilla")["estimate"] > 0 for team, bank in found.cells()
    ]
    words = said((2, 2))["conformity"]
    assert f"higher one in {sum(rows)} of 4 cells with labels" in words["found"]
    assert words["counts"] == "72 disagreements"


def test_a_course_is_said_to_move_by_its_test_and_not_by_its_ends() -> None:
    run = run_of(2, 2)
    teams = run.estimates["team"].unique()
    sides = {"kind": "round", "one": "round 2", "other": "round 1", "measure": "ibc"}
    limits = {"ci_low": -0.4, "ci_high": -0.1, "n_questions": 24}
    rows = [
        {**sides, **limits, "team": teams[0], "estimate": -0.25, "p_adjusted": 0.01},
        {**sides, **limits, "team": teams[1], "estimate": 0.003, "p_adjusted": 0.9},
    ]
    changed = replace(run, comparisons=frame_of(COMPARISONS, rows)).artefacts
    words = unmarked(MAKERS["rounds"](changed, VIEW).facts["found"])
    assert f"{teams[0]} −0.250 [−0.400, −0.100] and {teams[1]} +0.003" in words
    assert words.endswith(f"Holm over teams and rounds: down in {teams[0]}.")
    none = said((2, 2))["rounds"]["found"]
    assert none == "No team has the questions that two rounds could be compared on."
