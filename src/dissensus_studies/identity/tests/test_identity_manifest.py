"""The manifest: every session once, shared openings, and fair luck for order, seat and shard."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from dissensus.errors import SettingError
from dissensus.tables.artefact import read, write

from ..design.manifest import MANIFEST, Drawing, draw_manifest
from ..settings import TeamSettings

PERSONAS = ("Assistant", "Doctor", "Psychologist", "Mathematician", "Programmer")
TEAMS = {
    "deferring": TeamSettings(model="m"),
    "stubborn": TeamSettings(model="n"),
    "deferring-4": TeamSettings(model="m", graph="full"),
    "personas": TeamSettings(model="m", personas=True),
    "late": TeamSettings(model="n", banks=["b"]),
}
DRAWING = Drawing(7, agents=5, rounds=2, shard=10, teams=TEAMS, personas=PERSONAS)
#: Far below any p of a sound draw with this fixed seed, far above that of an unsound one.
ALPHA = 1e-4


def questions(**sizes: int) -> list[dict[str, Any]]:
    return [
        {"question_id": f"{bank}-{number:03d}", "bank": bank}
        for bank, size in sizes.items()
        for number in range(1, size + 1)
    ]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return draw_manifest(questions(a=400, b=225), DRAWING)


def test_every_team_debates_every_question_of_its_banks_under_both_conditions(rows):
    debates = {(r["team"], r["question_id"], r["condition"]) for r in rows if r["opening"]}
    expected = {
        (team, question["question_id"], condition)
        for team, settings_ in TEAMS.items()
        for question in questions(a=400, b=225)
        for condition in ("vanilla", "anonymized")
        if settings_.debates(question["bank"])
    }
    assert debates == expected
    assert len(rows) == len(expected) + 3 * 625


def test_ids_are_unique_ascending_and_say_what_they_name(rows):
    ids = [row["session_id"] for row in rows]
    assert ids == sorted(set(ids))
    for row in rows:
        assert row["session_id"] == f"{row['team']}-{row['question_id']}-{row['condition']}"
    assert len({row["seed"] for row in rows}) == len(rows)


def test_teams_of_one_cast_share_an_opening_which_is_the_first_teams(rows):
    by_id = {row["session_id"]: row for row in rows}
    owners = defaultdict(set)
    for row in rows:
        if row["condition"] == "opening":
            assert row["opening"] == "" and row["position"] == 0
            continue
        opening = by_id[row["opening"]]
        assert opening["condition"] == "opening"
        owners[row["team"], row["bank"]].add(opening["team"])
        shared = ("draw_id", "question_id", "model", "personas", "seats", "agents", "block")
        assert all(row[name] == opening[name] for name in shared)
        assert row["draw_id"] == row["opening"].removesuffix("-opening")
    assert owners == {
        ("deferring", "a"): {"deferring"},
        ("deferring", "b"): {"deferring"},
        ("deferring-4", "a"): {"deferring"},
        ("deferring-4", "b"): {"deferring"},
        ("stubborn", "a"): {"stubborn"},
        ("stubborn", "b"): {"late"},
        ("late", "b"): {"late"},
        ("personas", "a"): {"personas"},
        ("personas", "b"): {"personas"},
    }


def test_an_opening_hangs_neither_on_graph_nor_on_rounds(rows):
    graphs = {(r["team"], r["condition"] == "opening"): (r["graph"], r["rounds"]) for r in rows}
    ring, full = "2|3|4|5|1", "2+3+4+5|1+3+4+5|1+2+4+5|1+2+3+5|1+2+3+4"
    assert graphs["deferring", True] == ("", 0)
    assert graphs["deferring", False] == (ring, 2)
    assert graphs["deferring-4", False] == (full, 2)


def test_positions_of_a_draw_count_up_and_every_order_is_as_likely(rows):
    draws = defaultdict(list)
    for row in rows:
        draws[row["draw_id"]].append(row)
    orders = Counter()
    for draw in draws.values():
        held = sorted(draw, key=lambda row: row["position"])
        assert [row["position"] for row in held] == list(range(len(draw)))
        if held[0]["team"] == "deferring":
            orders[tuple((r["team"], r["condition"]) for r in held[1:])] += 1
    assert len(orders) == math.factorial(4)
    assert chisquare(list(orders.values())).pvalue > ALPHA


def test_seats_are_the_personas_in_every_order_alike_and_none_without(rows):
    with_, without = ([r for r in rows if r["personas"] is p] for p in (True, False))
    assert all(row["seats"] == [] for row in without)
    opened = [row["seats"] for row in with_ if row["condition"] == "opening"]
    assert all(sorted(seats) == sorted(PERSONAS) for seats in opened)
    for agent in range(5):
        counts = Counter(seats[agent] for seats in opened)
        assert len(counts) == 5
        assert chisquare(list(counts.values())).pvalue > ALPHA


def test_more_personas_than_agents_are_drawn_from():
    drawing = replace(DRAWING, agents=2, teams={"p": TeamSettings(model="m", personas=True)})
    seats = {tuple(row["seats"]) for row in draw_manifest(questions(a=300), drawing)}
    assert seats == {(one, other) for one in PERSONAS for other in PERSONAS if one != other}


def test_fewer_personas_than_agents_are_refused():
    with pytest.raises(SettingError, match=r"identity\.agents holds 6, and there are 5 personas"):
        draw_manifest(questions(a=1), replace(DRAWING, agents=6))
    alone = {"m": TeamSettings(model="m")}
    assert draw_manifest(questions(a=1), replace(DRAWING, agents=6, teams=alone, personas=()))


def test_shards_are_full_numbered_on_over_banks_and_the_same_for_every_team(rows):
    sizes, jobs, blocks = defaultdict(set), defaultdict(set), defaultdict(set)
    for row in rows:
        sizes[row["block"]].add(row["question_id"])
        jobs[row["job"]].add(row["session_id"])
        blocks[row["question_id"]].add(row["block"])
        name, number = row["job"].rsplit("-", 1)
        assert name == f"{row['team']}-{row['bank']}-{row['condition']}"
        assert row["block"] == int(number) + (40 if row["bank"] == "b" else 0)
    assert all(len(found) == 1 for found in blocks.values())
    assert sorted(sizes) == list(range(1, 64))
    assert [len(sizes[block]) for block in sorted(sizes)] == [10] * 62 + [5]
    assert all(len(held) in (5, 10) for held in jobs.values())


def test_which_shard_a_question_is_in_is_random():
    """Of the first ten questions, a tenth in each of ten shards, over seeds; and not by number."""
    first = Counter()
    for seed in range(60):
        drawing = replace(DRAWING, seed=seed, teams={"m": TeamSettings(model="m")})
        for row in draw_manifest(questions(a=100), drawing):
            if row["condition"] == "opening" and row["question_id"] <= "a-010":
                first[row["block"]] += 1
    assert chisquare([first[block] for block in range(1, 11)]).pvalue > ALPHA


def test_order_and_shard_are_drawn_independently(rows):
    first = Counter()
    for row in rows:
        if row["team"] == "stubborn" and row["bank"] == "a" and row["opening"]:
            vanilla_first = (row["condition"] == "vanilla") == (row["position"] == 1)
            first[vanilla_first, row["block"] % 4] += 1
    table = [[first[order, part] for part in range(4)] for order in (True, False)]
    assert chi2_contingency(table).pvalue > ALPHA


def test_a_further_bank_or_cast_leaves_the_luck_of_the_others():
    few = draw_manifest(questions(a=30), replace(DRAWING, teams={"late": TEAMS["stubborn"]}))
    teams = {"new": TeamSettings(model="x"), "late": TEAMS["stubborn"]}
    many = draw_manifest(questions(a=30, b=30), replace(DRAWING, teams=teams))
    assert few == [row for row in many if row["team"] == "late" and row["bank"] == "a"]


def test_in_which_order_the_teams_are_named_changes_nothing(rows):
    turned = dict(reversed(TEAMS.items()))
    assert draw_manifest(questions(a=400, b=225), replace(DRAWING, teams=turned)) == rows


def test_the_manifest_is_an_artefact(rows, tmp_path):
    write(tmp_path / "manifest.parquet", MANIFEST, rows, {})
    assert read(tmp_path / "manifest.parquet", MANIFEST).to_pylist() == rows


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.dictionaries(st.sampled_from(["a", "b", "c-d"]), st.integers(1, 15), min_size=1),
    shard=st.integers(1, 20),
    agents=st.integers(2, 5),
)
def test_anyone_derives_it_again_whatever_order_the_questions_come_in(seed, sizes, shard, agents):
    drawing = replace(DRAWING, seed=seed, shard=shard, agents=agents)
    asked = questions(**sizes)
    drawn = draw_manifest(asked, drawing)
    assert draw_manifest(asked[::-1], drawing) == drawn
    assert all(list(row) == list(MANIFEST.columns) for row in drawn)
    assert max(row["block"] for row in drawn) == sum(-(-n // shard) for n in sizes.values())
    for row in drawn:
        assert len(row["seats"]) == (agents if row["personas"] else 0)
        assert row["agents"] == agents
        if row["graph"]:
            assert len(row["graph"].split("|")) == agents


def test_controls_are_further_debates_of_the_same_opening() -> None:
    controls = ["again", "sampled"]
    teams = {**TEAMS, "stubborn": TeamSettings(model="n", controls=controls)}
    rows = draw_manifest(questions(a=12), replace(DRAWING, teams=teams, samples=4))
    without = draw_manifest(questions(a=12), DRAWING)
    own = {row["condition"]: row for row in rows if row["team"] == "stubborn"}
    assert set(own) == {"opening", "vanilla", "anonymized", *controls}
    assert {own[name]["opening"] for name in controls} == {own["opening"]["session_id"]}
    assert {name: own[name]["rounds"] for name in controls} == {"again": 2, "sampled": 4}
    assert own["again"]["seed"] != own["vanilla"]["seed"]
    # All other sessions are as they were, but for the order in which some run.
    kept = [row for row in rows if row["condition"] not in controls]
    assert [row | {"position": 0} for row in kept] == [row | {"position": 0} for row in without]
    again = draw_manifest(questions(a=2), replace(DRAWING, teams=teams))
    assert {row["rounds"] for row in again if row["condition"] == "sampled"} == {2}
