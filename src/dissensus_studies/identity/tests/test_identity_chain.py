"""Planted truths, from texts to the tested difference; nulls and mixtures included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.session.protocol import Call

from ..inference.baselines import compare_baselines
from ..inference.comparisons import compare_identity
from ..inference.dcm import Inference, estimate_dcm
from ..inference.estimates import estimate_identity
from .identity_chains import Held, agent, bank, hold

LABELS = ["again", "swapped", "own", "others"]


def compared(held: Held, **where: str) -> dict[str, dict[str, Any]]:
    """The rows of some comparisons, by their sides."""
    rows = compare_identity(*held.tables(), confidence=0.95, resamples=1000, seed=1)
    chosen = [row for row in rows if all(row[name] == value for name, value in where.items())]
    return {f"{row['one']} {row['other']}": row for row in chosen}


def contains(row: dict[str, Any], value: float) -> bool:
    return bool(row["ci_low"] <= value <= row["ci_high"])


def test_labels_are_taken_apart(tmp_path: Path) -> None:
    """Agents that go by labels alone: w_self .3 and w_peer 1.2 make Delta (1.2 - .3) / 2.5."""
    file = bank(tmp_path / "q.csv", 200)
    model = agent(file, (0.3, 1.2))
    held = hold(file, {"t": {"model": "m", "controls": LABELS}}, lambda *_: model)
    (again,) = compared(held, kind="again").values()
    assert contains(again, 0.0) and again["p_value"] > 0.05
    assert again["n_questions"] == 200
    labels = compared(held, kind="labels")
    delta = 0.9 / 2.5
    # Exchanged labels turn the bias round; with one label for all there is none.
    for name, planted in (("swapped", 2 * delta), ("own", delta), ("others", delta)):
        row = labels[f"vanilla {name}"]
        assert contains(row, planted), name
        assert row["p_adjusted"] < 0.05, name
    assert labels["vanilla swapped"]["estimate_other"] < -0.2


def test_agents_who_heed_no_label_show_none(tmp_path: Path) -> None:
    file = bank(tmp_path / "q.csv", 40)
    model = agent(file, (0.75, 0.75))
    intervals = 0
    for seed in range(6):
        held = hold(file, {"t": {"model": "m", "controls": LABELS}}, lambda *_: model, seed=seed)
        rows = [*compared(held, kind="labels").values(), *compared(held, kind="again").values()]
        assert len(rows) == 4
        intervals += sum(contains(row, 0.0) for row in rows)
    # Of 24 intervals of 95% that share their vanilla debates.
    assert intervals >= 20


@pytest.mark.thorough
def test_teams_that_differ_in_one_thing_are_compared_and_what_is_planted_is_found(
    tmp_path: Path,
) -> None:
    file = bank(tmp_path / "q.csv", 120)
    models = {"deferring": agent(file, (0.3, 1.2)), "stubborn": agent(file, (1.4, 0.6), 1.0)}
    teams = {
        "a": {"model": "deferring"},
        "b": {"model": "stubborn"},
        "c": {"model": "deferring", "personas": True},
        "d": {"model": "deferring", "graph": "star"},
        "e": {"model": "deferring", "graph": {1: [3], 2: [4], 3: [5], 4: [1], 5: [2]}},
    }
    held = hold(file, teams, lambda name, _: models[name], rounds=2)
    rows = compare_identity(*held.tables(), confidence=0.95, resamples=500, seed=1)
    pairs = {
        (row["kind"], row["one"], row["other"]): row for row in rows if row["measure"] == "ibc"
    }
    model = pairs["model", "a", "b"]
    assert contains(model, 0.9 / 2.5 + 0.8 / 3.0)
    assert model["p_adjusted"] < 0.01
    assert model["estimate"] == pytest.approx(model["estimate_one"] - model["estimate_other"])
    # Personas without a shift of beliefs, and another ring, change nothing.
    assert contains(pairs["personas", "c", "a"], 0.0)
    assert contains(pairs["graph", "a", "e"], 0.0)
    assert {key[:3] for key in pairs if key[0] == "peers"} == {
        ("peers", "d", "a"),
        ("peers", "d", "e"),
    }
    assert {row["team"] for row in rows if row["kind"] == "round"} == set(teams)
    # A drop is that of the estimates, which do not know of comparisons.
    estimates = estimate_identity(*held.tables(), confidence=0.95, resamples=50, seed=1)
    drops = {
        (row["team"], row["measure"]): row["estimate"]
        for row in estimates
        if (row["bank"], row["round"], row["policy"]) == ("all", 1, "drop")
    }
    for row in rows:
        if row["kind"] == "drops":
            assert row["estimate_one"] == pytest.approx(drops[row["team"], "subversion_drop"])
            assert row["estimate_other"] == pytest.approx(drops[row["team"], "correction_drop"])


def _p(row: dict[str, Any]) -> float:
    return float(row["p_value"])


def test_sides_are_compared_on_the_questions_that_both_completed(tmp_path: Path) -> None:
    file = bank(tmp_path / "q.csv", 10)
    model = agent(file, (0.3, 1.2))
    lost = ["t-q-000-again", "t-q-001-anonymized", "t-q-002-vanilla", "t-q-003-opening"]
    team = {"t": {"model": "m", "controls": ["again"]}}
    held = hold(file, team, lambda *_: model, rounds=2, lost=lost)
    (again,) = compared(held, kind="again").values()
    # All but 0, 2 and 3; and under both conditions all but 1, 2 and 3.
    assert again["n_questions"] == 7
    assert {row["n_questions"] for row in compared(held, kind="seat").values()} == {7}
    (drop,) = compared(held, kind="drops").values()
    assert drop["n_questions"] == 7
    kept = [r for r in held.metrics if r["complete"] and r["round"] == 1]
    asked = {
        r["question_id"] for r in kept if r["condition"] == "again" and r["question_id"] != "q-002"
    }
    assert len(asked) == 7
    counts = [
        (r["conformed"] - r["stayed"], r["disagreeing"])
        for r in kept
        if r["condition"] == "again" and r["question_id"] in asked
    ]
    assert again["estimate_other"] == pytest.approx(
        sum(above for above, _ in counts) / sum(below for _, below in counts)
    )


def test_an_agents_bias_is_that_of_its_own_disagreements_in_round_1(tmp_path: Path) -> None:
    file = bank(tmp_path / "q.csv", 12)
    model = agent(file, (0.3, 1.2))
    held = hold(file, {"t": {"model": "m"}}, lambda *_: model, rounds=2)
    rows = compared(held, kind="seat")

    def bias(seats: set[int]) -> float:
        deltas = []
        for condition in ("vanilla", "anonymized"):
            chosen = [
                row["follows_peer"] - row["follows_own"]
                for row in held.transitions
                if row["usable"]
                and row["n_disagree"]
                and (row["round"], row["condition"]) == (1, condition)
                and row["agent"] in seats
            ]
            deltas.append(sum(chosen) / len(chosen))
        return deltas[0] - deltas[1]

    for seat in range(1, 6):
        row = rows[f"A{seat} others"]
        assert row["estimate_one"] == pytest.approx(bias({seat}))
        assert row["estimate_other"] == pytest.approx(bias({1, 2, 3, 4, 5} - {seat}))


def keepers(file: str, who: set[str]) -> Any:
    """Two of five who keep their own, by seat or persona; the others follow."""
    firm, open_ = agent(file, (4.0, 0.1)), agent(file, (0.1, 4.0))

    def model(name: str, call: Call) -> dict[str, Any]:
        return firm if {call.speaker, call.role} & who else open_

    return model


def fits(held: Held) -> dict[str, float]:
    """Test of fit -> p, in the vanilla condition."""
    frames = (pd.DataFrame(rows) for rows in (held.answers, held.questions, held.manifest))
    _, tests = estimate_dcm(*frames, Inference(0.95, 20, 39, 1))
    place = ("t", "vanilla", "1")
    chosen = [row for row in tests if (row["team"], row["condition"], row["rounds"]) == place]
    return {row["test"]: row["p_value"] for row in chosen}


@pytest.mark.thorough
def test_a_mixture_of_seats_is_found_seat_by_seat(tmp_path: Path) -> None:
    file = bank(tmp_path / "q.csv", 80)
    held = hold(file, {name: {"model": "m"} for name in "tu"}, keepers(file, {"A1", "A3"}))
    rows = compared(held, kind="seat", team="t")
    # Holm over the five seats of one team, by hand.
    seats = sorted(rows.values(), key=_p)
    steps = [min(1.0, (5 - place) * row["p_value"]) for place, row in enumerate(seats)]
    assert [row["p_adjusted"] for row in seats] == pytest.approx(np.maximum.accumulate(steps))
    for seat in ("A1", "A3"):
        assert rows[f"{seat} others"]["estimate"] < -0.5
        assert rows[f"{seat} others"]["p_adjusted"] < 0.05
    assert all(rows[f"{seat} others"]["estimate"] > 0.2 for seat in ("A2", "A4", "A5"))
    found = fits(held)
    assert found["goodness_by_agent"] == 1 / 40
    assert found["goodness_of_fit"] > 0.05


def test_a_mixture_of_personas_is_found_by_persona_and_in_no_seat(tmp_path: Path) -> None:
    file = bank(tmp_path / "q.csv", 80)
    team = {"t": {"model": "m", "personas": True}}
    held = hold(file, team, keepers(file, {"Doctor", "Programmer"}))
    personas, seats = compared(held, kind="persona"), compared(held, kind="seat")
    for name in ("Doctor", "Programmer"):
        assert personas[f"{name} others"]["estimate"] < -0.5
        assert personas[f"{name} others"]["p_adjusted"] < 0.05
    assert all(personas[f"{n} others"]["estimate"] > 0.2 for n in ("Assistant", "Psychologist"))
    assert all(row["p_adjusted"] > 0.01 for row in seats.values())
    assert fits(held)["goodness_by_agent"] == 1 / 40


def worth(held: Held) -> dict[str, dict[str, Any]]:
    """Strategy -> its compared row."""
    rows = compare_baselines(
        held.answers,
        held.calls,
        held.manifest,
        held.questions,
        confidence=0.95,
        resamples=1000,
        seed=1,
    )
    assert {row["team"] for row in rows} == {"t"}
    ends = [row for row in rows if row["is_debate"]]
    assert [row["calls"] for row in ends] == [5.0, 10.0, 15.0]
    compared = {row["strategy"]: row for row in rows if row["compared"]}
    calls = {name: row["calls"] for name, row in compared.items()}
    assert (
        calls.items()
        >= {
            **{"one agent": 1.0, "majority vote": 5.0},
            **{"self-refine": 3.0, "self-refine, then vote": 15.0},
        }.items()
    )
    # Its last round where that takes no more tokens than the other debate's, else the one before.
    assert calls["debate, anonymised"] in (10.0, 15.0)
    # By hand: what openings took, and what an agent alone takes of its team's.
    words = [
        call["input_tokens"] + call["output_tokens"]
        for call in held.calls
        if call["session_id"].endswith("opening")
    ]
    opening = sum(words) / len(held.questions)
    assert ends[0]["tokens"] == compared["majority vote"]["tokens"] == pytest.approx(opening)
    assert compared["one agent"]["tokens"] == pytest.approx(opening / 5)
    assert 5 * compared["self-refine"]["tokens"] == pytest.approx(
        compared["self-refine, then vote"]["tokens"]
    )
    assert all(row["tokens"] <= ends[-1]["tokens"] for row in compared.values())
    return compared


BASELINES = {"t": {"model": "m", "graph": "full", "controls": ["refined", "sampled"]}}


def test_debate_is_worth_its_tokens_where_agents_know_the_right_answer_when_they_see_it(
    tmp_path: Path,
) -> None:
    file = bank(tmp_path / "q.csv", 60)
    model = agent(file, (0.5, 0.5), 0.5, knows=4.0, errs=4.0, recognises=0.9)
    found = worth(hold(file, BASELINES, lambda *_: model, rounds=2, samples=5))
    without = ("one agent", "majority vote", "self-consistency", "self-refine")
    for name in (*without, "self-refine, then vote"):
        assert found[name]["estimate"] > 0.15, name
        assert found[name]["p_adjusted"] < 0.05, name
    # What both debates do alike is no difference of theirs.
    assert contains(found["debate, anonymised"], 0.0)


def test_debate_is_not_worth_them_where_agents_copy_what_more_answers_would_settle(
    tmp_path: Path,
) -> None:
    file = bank(tmp_path / "q.csv", 60)
    model = agent(file, (0.1, 8.0), 4.0, knows=16.0, errs=8.0)
    found = worth(hold(file, BASELINES, lambda *_: model, rounds=2, samples=6))
    row = found["self-consistency"]
    assert row["estimate"] < -0.1 and row["p_adjusted"] < 0.05
    assert row["calls"] > 15.0
    assert row["tokens"] > found["majority vote"]["tokens"]


def test_a_team_without_baselines_has_no_rows(tmp_path: Path) -> None:
    file = bank(tmp_path / "q.csv", 4)
    model = agent(file, (0.5, 0.5))
    held = hold(file, {"t": {"model": "m", "controls": ["again"]}}, lambda *_: model)
    frames = (held.answers, held.calls, held.manifest, held.questions)
    assert compare_baselines(*frames, confidence=0.95, resamples=50, seed=1) == []
