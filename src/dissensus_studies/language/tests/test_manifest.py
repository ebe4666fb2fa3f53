"""The manifest: drawn once from a seed, as the design says, and re-derivable by anyone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from dissensus.errors import SettingError
from dissensus.tables.artefact import write

from ..design.manifest import (
    MANIFEST,
    Drawing,
    draw,
    draw_manifest,
    read_manifest,
)

ROLES = ("P1", "P2", "O1", "O2")
#: Domains of different sizes, one with a motion that may not be drawn, one with no other.
POOL = [
    {"motion_id": f"m{domain}-{number}", "domain_id": domain, "drawable": True}
    for domain, motions in ((1, 2), (4, 5), (8, 3), (10, 1))
    for number in range(motions)
] + [
    {"motion_id": "m1-out", "domain_id": 1, "drawable": False},
    {"motion_id": "m0", "domain_id": 0, "drawable": False},
]
DRAWING = Drawing(
    seed=7, draws=40, block_size=15, languages=("en", "zh"), panel=("a", "b", "c", "d")
)
MANY = 4000
#: Far below any p of a sound draw with these fixed seeds, far above that of an unsound one.
ALPHA = 1e-4


@pytest.fixture(scope="module")
def many() -> list[dict[str, object]]:
    rows = draw_manifest(POOL, replace(DRAWING, draws=MANY))
    return [row for row in rows if row["language"] == "en"]


def even(counts: Counter[object], cells: int) -> float:
    assert len(counts) == cells
    return float(chisquare(list(counts.values())).pvalue)


def test_domains_are_drawn_uniformly_whatever_their_size(many):
    assert even(Counter(row["domain_id"] for row in many), 4) > ALPHA


@pytest.mark.parametrize(("domain", "size"), [(1, 2), (4, 5), (8, 3)])
def test_motions_are_drawn_uniformly_within_their_domain(many, domain: int, size: int):
    drawn = Counter(row["motion_id"] for row in many if row["domain_id"] == domain)
    assert even(drawn, size) > ALPHA


def test_motions_are_drawn_with_replacement_from_their_own_domain(many):
    domains = {motion["motion_id"]: motion["domain_id"] for motion in POOL if motion["drawable"]}
    assert all(domains[row["motion_id"]] == row["domain_id"] for row in many)
    assert len(many) > len(domains)


def test_orders_are_drawn_uniformly(many):
    assert even(Counter(row["language_order"] for row in many), 2) > ALPHA


def test_permutations_are_drawn_uniformly(many):
    casts = Counter(tuple(row[role] for role in ROLES) for row in many)
    assert set(casts) == set(permutations("abcd"))
    assert even(casts, 24) > ALPHA


@pytest.mark.parametrize(
    ("one", "other"),
    [("domain_id", "language_order"), ("domain_id", "P1"), ("P1", "language_order")],
)
def test_stages_are_independent(many, one: str, other: str):
    pairs = Counter((row[one], row[other]) for row in many)
    rows, columns = ({pair[i] for pair in pairs} for i in (0, 1))
    table = [[pairs[r, c] for c in sorted(columns)] for r in sorted(rows)]
    assert chi2_contingency(table).pvalue > ALPHA


def test_neighbouring_seeds_draw_independently():
    first, second = (
        [r["domain_id"] for r in draw_manifest(POOL, replace(DRAWING, draws=1000, seed=seed))][::2]
        for seed in (7, 8)
    )
    pairs = Counter(zip(first, second, strict=True))
    table = [[pairs[a, b] for b in (1, 4, 8, 10)] for a in (1, 4, 8, 10)]
    assert chi2_contingency(table).pvalue > ALPHA


def test_a_larger_panel_has_four_drawn_from_it():
    drawing = replace(DRAWING, draws=3000, panel=tuple("abcdef"))
    rows = draw_manifest(POOL, drawing)[::2]
    casts = [tuple(row[role] for role in ROLES) for row in rows]
    assert all(len(set(cast)) == 4 for cast in casts)
    assert even(Counter(frozenset(cast) for cast in casts), 15) > ALPHA
    for role in ROLES:
        assert even(Counter(row[role] for row in rows), 6) > ALPHA


def test_a_draw_is_yoked():
    drawing = replace(DRAWING, languages=("en", "zh", "de"))
    draws: dict[str, list[dict[str, object]]] = {}
    for row in draw_manifest(POOL, drawing):
        draws.setdefault(row["draw_id"], []).append(row)
    for rows in draws.values():
        assert len(rows) == 3
        shared = ("motion_id", "domain_id", "block", "language_order", *ROLES)
        assert all(len({row[name] for row in rows}) == 1 for name in shared)
        order = rows[0]["language_order"].split(">")
        assert sorted(order) == ["de", "en", "zh"]
        assert [row["position"] for row in rows] == [
            order.index(row["language"]) + 1 for row in rows
        ]


def test_three_languages_come_in_every_order():
    drawing = replace(DRAWING, draws=1200, languages=("en", "zh", "de"))
    orders = Counter(row["language_order"] for row in draw_manifest(POOL, drawing)[::3])
    assert even(orders, 6) > ALPHA


def test_every_session_has_a_seed_of_its_own():
    seeds = [row["seed"] for row in draw_manifest(POOL, replace(DRAWING, draws=1000))]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_blocks_follow_each_other():
    rows = draw_manifest(POOL, DRAWING)[::2]
    assert [row["block"] for row in rows] == [1] * 15 + [2] * 15 + [3] * 10


@pytest.mark.parametrize("draws", [1, 99, 999, 1001])
def test_ids_sort_in_the_order_of_the_manifest(draws: int):
    rows = draw_manifest(POOL, replace(DRAWING, draws=draws))
    ids = [row["session_id"] for row in rows]
    assert ids == sorted(ids)
    assert len(set(ids)) == 2 * draws
    assert ids[:2] == [f"{rows[0]['draw_id']}-en", f"{rows[0]['draw_id']}-zh"]
    numbers = [int(row["draw_id"].removeprefix("d")) for row in rows]
    assert numbers == [n for n in range(1, draws + 1) for _ in ("en", "zh")]


def test_the_same_seed_draws_the_same_and_another_another():
    first = draw_manifest(POOL, DRAWING)
    assert draw_manifest(POOL, DRAWING) == first
    other = draw_manifest(POOL, replace(DRAWING, seed=8))
    assert [row["motion_id"] for row in other] != [row["motion_id"] for row in first]
    assert not {row["seed"] for row in other} & {row["seed"] for row in first}


@pytest.mark.parametrize("draws", [41, 400, 1500])
def test_the_first_draws_stay_when_more_are_made(draws: int):
    few = draw_manifest(POOL, DRAWING)
    more = draw_manifest(POOL, replace(DRAWING, draws=draws))[: len(few)]
    names = [name for name in few[0] if name not in ("session_id", "draw_id")]
    assert [[row[name] for name in names] for row in more] == [
        [row[name] for name in names] for row in few
    ]
    if draws < 1000:
        assert more == few


def test_the_manifest_is_an_artefact(tmp_path: Path):
    rows = draw_manifest(POOL, DRAWING)
    write(tmp_path / "manifest.parquet", MANIFEST, rows, {})
    first = (tmp_path / "manifest.parquet").read_bytes()
    assert read_manifest(tmp_path / "manifest.parquet") == {row["session_id"]: row for row in rows}
    write(tmp_path / "manifest.parquet", MANIFEST, draw_manifest(POOL, DRAWING), {})
    assert (tmp_path / "manifest.parquet").read_bytes() == first


@given(st.integers(1, 60), st.integers(1, 20), st.none() | st.integers(1, 60), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_a_study_that_may_stop_has_the_same_debates_in_blocks_of_whole_motions(
    draws: int, block_size: int, most: int | None, seed: int
) -> None:
    drawing = replace(DRAWING, draws=draws, block_size=block_size, seed=seed, translated=None)
    plain = {row["session_id"]: row for row in draw_manifest(POOL, drawing)}
    whole = draw_manifest(POOL, replace(drawing, stops=True))
    some = draw_manifest(POOL, replace(drawing, stops=True, most=most))
    assert {row["session_id"] for row in whole} == set(plain)
    for row in whole:
        assert {**row, "block": 0} == {**plain[row["session_id"]], "block": 0}
    blocks: dict[str, set[int]] = {}
    for row in whole:
        blocks.setdefault(row["motion_id"], set()).add(row["block"])
    assert all(len(some_blocks) == 1 for some_blocks in blocks.values())
    # A larger most adds blocks to the end, and no part of one.
    last = max((row["block"] for row in some), default=0)
    assert some == [row for row in whole if row["block"] <= last]
    assert len({row["draw_id"] for row in some}) <= (most or draws)


def test_a_most_that_fills_no_block_is_a_sentence() -> None:
    values = {
        **{"draws": 40, "block_size": 15, "language_names": ["en", "zh"], "reference": "en"},
        **{"panel": list("abcd"), "instrument": {"translator": None, "draws": None}},
        "stop": {"alpha": 0.05, "half_width": None, "most": 3},
    }
    pool = {str(row["motion_id"]): row for row in POOL}
    with pytest.raises(SettingError, match=r"language\.stop\.most holds 3, and a block has .* 15"):
        draw(pool, values, 7)
