"""The map: where claims lie, which belong together, what their clusters are called and come to."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import permutations
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from statsmodels.stats.proportion import proportion_confint

from dissensus.errors import SettingError
from dissensus.report.escaping import html

from ..map.claims import Options, locate, map_claims
from ..map.clusters import find_clusters
from ..map.colours import colour_of
from ..map.extra import check_projection
from ..map.naming import CLAIM, name_clusters
from ..map.page import caption_facts, map_page
from ..map.page_data import page_data
from ..map.projection import Projection, principal_components, project
from ..map.summaries import summarise
from ..map.tables import CLUSTERS, MAP
from .union_ensembles import make_ensemble
from .union_maps import MOTIONS
from .union_maps import claims as made_claims
from .union_maps import clusters as made_clusters

Row = dict[str, Any]

PCA_SETTINGS: Row = {"projection": "pca", "neighbors": 15, "min_dist": 0.1, "min_cluster": 5}
UMAP_SETTINGS: Row = {**PCA_SETTINGS, "projection": "umap"}
INFERENCE: Row = {"confidence": 0.95, "resamples": 2000}
OPTIONS = Options(PCA_SETTINGS, INFERENCE, 7)
WORDS = ("chance", "lottery", "memory")


def blobs(sizes: Sequence[int], spread: float = 0.05, seed: int = 1) -> tuple[Any, Any]:
    """Unit vectors about directions at right angles, and the number of each one's direction."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    found = np.eye(32)[labels] + spread * rng.normal(size=(len(labels), 32))
    return found / np.linalg.norm(found, axis=1, keepdims=True), labels


def embed(texts: Sequence[str]) -> Any:
    """Texts with a common first word lie together."""
    directions = {word: place for place, word in enumerate(WORDS)}
    rng = [np.random.default_rng(sum(map(ord, text))) for text in texts]
    base = np.array([np.eye(32)[directions.get(text.split()[0], 9)] for text in texts])
    found = base + 0.04 * np.array([one.normal(size=32) for one in rng])
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def debated(texts: Sequence[str] | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Claims and verdicts of two motions, with claims about three things."""
    made = make_ensemble(2, 2, 3, seed=4)
    said = texts or [f"{word} of kind {n}" for n in range(12) for word in WORDS]
    claims = made.claims.assign(text=[said[n % len(said)] for n in range(len(made.claims))])
    return claims, made.verdicts


def test_principal_components_are_those_of_scikit_learn() -> None:
    vectors, _ = blobs([20, 30])
    ours, theirs = principal_components(vectors), PCA(2, svd_solver="full").fit_transform(vectors)
    assert np.abs(ours) == pytest.approx(np.abs(theirs), abs=1e-9)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_points_have_places(n: int) -> None:
    found = project(blobs([n])[0] if n else np.zeros((0, 32)), PCA_SETTINGS, 1)
    assert found.picture.shape == (n, 2) and np.isfinite(found.picture).all()
    assert len(found.space) == n and (find_clusters(found, 5) == -1).all()


def test_planted_groups_are_found_and_strays_are_in_none() -> None:
    vectors, labels = blobs([30, 20, 12])
    strays = np.random.default_rng(5).normal(size=(6, 32))
    strays /= np.linalg.norm(strays, axis=1, keepdims=True)
    found = find_clusters(project(np.vstack([vectors, strays]), PCA_SETTINGS, 1), 5)
    assert adjusted_rand_score(labels, found[: len(labels)]) > 0.95
    assert (found[len(labels) :] == -1).sum() >= 4


def test_points_without_any_group_are_in_none() -> None:
    rng = np.random.default_rng(2)
    flat = rng.uniform(size=(60, 2))
    found = find_clusters(Projection(flat, flat), 40)
    assert (found == -1).all()


class StandIn:
    """What takes the place of UMAP: it notes how it was asked."""

    asked: Row

    def __init__(self, **asked: Any) -> None:
        StandIn.asked = asked

    def fit_transform(self, vectors: Any) -> Any:
        return np.asarray(vectors[:, :2], dtype=np.float32)


@pytest.fixture
def umap(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("umap")
    module.UMAP = StandIn  # type: ignore[attr-defined]
    # What looks for the package finds one.
    module.__spec__ = sys.__spec__
    monkeypatch.setitem(sys.modules, "umap", module)


@pytest.mark.parametrize(("n", "neighbours", "start"), [(60, 15, "spectral"), (9, 8, "random")])
def test_umap_is_asked_as_the_settings_say(umap: None, n: int, neighbours: int, start: str) -> None:
    vectors, _ = blobs([n])
    found = project(vectors, UMAP_SETTINGS, 11)
    assert StandIn.asked == {
        **{"n_neighbors": neighbours, "min_dist": 0.1, "metric": "cosine"},
        **{"init": start, "random_state": 11, "n_jobs": 1},
    }
    # Clusters are looked for in UMAP's own picture.
    assert found.space is found.picture and found.picture.shape == (n, 2)


def test_too_few_points_for_umap_have_principal_components(umap: None) -> None:
    vectors, _ = blobs([5])
    found = project(vectors, UMAP_SETTINGS, 11)
    assert found.picture == pytest.approx(principal_components(vectors))


def test_umap_that_is_not_installed_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dissensus_studies.union.map.extra.find_spec", lambda name: None)
    check_projection("pca")
    with pytest.raises(SettingError, match=r"union\.map\.projection is umap.*dissensus\[map\]"):
        check_projection("umap")


def test_clusters_are_numbered_by_their_claims_and_an_example_is_in_the_middle() -> None:
    vectors, labels = blobs([10, 10])
    texts = [f"{label} {n:02d}" for n, label in enumerate(labels)]
    counts = [1] * 10 + [3] * 10
    place = locate(texts, vectors, counts, OPTIONS)
    assert set(place.clusters[labels == 1]) == {1} and set(place.clusters[labels == 0]) == {2}
    assert {number: text[0] for number, text in place.examples.items()} == {1: "1", 2: "0"}


def test_the_map_has_every_claim_and_its_clusters_count_them() -> None:
    claims, verdicts = debated()
    mapped, clusters = map_claims(claims, verdicts, embed, OPTIONS)
    frame, rows = pd.DataFrame(mapped), pd.DataFrame(clusters)
    assert list(frame.columns) == list(MAP.columns)
    names = ["session_id", "claim_id", "text"]
    assert frame[names].equals(claims[names].reset_index(drop=True))
    assert len(rows) == 6 and rows["cluster"].tolist() == [1, 2, 3, 4, 5, 6]
    for row in clusters:
        own = frame[frame["cluster"] == row["cluster"]]
        assert set(own["motion_id"]) == {row["motion_id"]} and row["claims"] == len(own)
        assert row["distinct"] == own["text"].nunique() == 12
        assert row["debates"] == own["session_id"].nunique()
        # Texts that begin alike are one cluster.
        assert len({text.split()[0] for text in own["text"]}) == 1
        assert row["example"] in set(own["text"])
    sizes = [row["claims"] for row in clusters[:3]]
    assert sizes == sorted(sizes, reverse=True)
    winners = dict(zip(verdicts["session_id"], verdicts["winner"], strict=True))
    assert all(row["winner"] == winners[row["session_id"]] for row in mapped)
    # Two motions stand side by side.
    ends = frame.groupby("motion_id")["x"].agg(["min", "max"])
    assert ends.loc["m1", "max"] < ends.loc["m2", "min"]
    assert set(CLUSTERS.columns) >= set(rows.columns)


def test_the_same_seed_gives_the_same_map() -> None:
    claims, verdicts = debated()
    assert map_claims(claims, verdicts, embed, OPTIONS) == map_claims(
        claims, verdicts, embed, OPTIONS
    )


@pytest.mark.parametrize("texts", [["one and the same"], ["chance one", "chance two"]])
def test_repeated_texts_are_one_point_and_no_cluster_of_their_own(texts: list[str]) -> None:
    claims, verdicts = debated(texts)
    mapped, clusters = map_claims(claims, verdicts, embed, OPTIONS)
    assert len(mapped) == len(claims) and clusters == []
    assert {row["cluster"] for row in mapped} == {-1}
    assert len({(row["x"], row["y"]) for row in mapped}) == 2 * len(texts)


def test_no_claim_and_one_claim_are_maps_too() -> None:
    claims, verdicts = debated()
    assert map_claims(claims.iloc[:0], verdicts, embed, OPTIONS) == ([], [])
    (one,), clusters = map_claims(claims.iloc[:1], verdicts, embed, OPTIONS)
    assert (one["cluster"], clusters) == (-1, [])


def small() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Five draws of one arm; cluster 1 is made by the proposition in the first two."""
    winners = ("proposition", "proposition", "opposition", "contested", "opposition")
    verdicts = pd.DataFrame(
        {
            "session_id": [f"s{n}" for n in range(5)],
            "motion_id": "m",
            "arm": "control",
            "epoch": 1,
            "run": range(1, 6),
            "winner": winners,
        }
    )
    claims = pd.DataFrame(
        [
            {
                **{"session_id": f"s{n}", "motion_id": "m", "arm": "control", "epoch": 1},
                **{"run": n + 1, "speaker": "Ada", "side": "proposition", "student": True},
                **{"text": f"claim {n}", "fate": "survives" if n else "demolished"},
                "cluster": 1 if n < 2 else -1,
            }
            for n in range(5)
        ]
    )
    return claims, verdicts


def test_the_lift_and_its_p_value_are_those_of_all_permutations() -> None:
    claims, verdicts = small()
    (row,) = summarise(claims, verdicts, {"confidence": 0.95, "resamples": 20_000}, 1)
    won = [winner == "proposition" for winner in verdicts["winner"]]
    assert row["won"] == 1.0 and row["lift"] == pytest.approx(1.0 - np.mean(won))
    apart = [abs(sum(one[:2]) - 2 * np.mean(won)) for one in permutations(won)]
    exact = np.mean([value >= abs(2 - 2 * np.mean(won)) - 1e-9 for value in apart])
    assert row["p_value"] == pytest.approx(exact, abs=0.01)
    # More than a tenth of the resamples have neither of its two debates.
    assert (row["survives"], row["survives_low"], row["survives_high"]) == (0.5, None, None)


def test_claims_that_fall_with_their_debate_are_worth_one() -> None:
    claims, verdicts = small()
    debates = [f"s{n}" for n in range(40)]
    many = pd.concat([verdicts.iloc[[0]]] * 40, ignore_index=True)
    many = many.assign(
        session_id=debates, run=range(1, 41), winner=["proposition", "contested"] * 20
    )
    rows = pd.concat([claims.iloc[[0]]] * 160, ignore_index=True).assign(cluster=1)
    fates = ["survives"] * 28 + ["demolished"] * 12
    rows = rows.assign(session_id=debates * 4, run=[*range(1, 41)] * 4, fate=fates * 4)
    (row,) = summarise(rows, many, {"confidence": 0.95, "resamples": 20_000}, 1)
    law = binom(40, 0.7)
    limits = (row["survives_low"], row["survives_high"])
    assert limits == pytest.approx((law.ppf(0.025) / 40, law.ppf(0.975) / 40), abs=0.026)
    low, high = proportion_confint(112, 160, method="wilson")
    assert limits[1] - limits[0] > 1.8 * (high - low)


def test_a_cluster_of_all_debates_has_no_lift_and_says_why() -> None:
    claims, verdicts = small()
    (row,) = summarise(claims.assign(cluster=1), verdicts, INFERENCE, 1)
    assert row["lift"] is None and row["p_value"] is None and "no lift can be seen" in row["note"]


def test_the_students_part_is_counted_by_epoch_and_arm() -> None:
    claims, verdicts = debated()
    mapped, clusters = map_claims(claims, verdicts, embed, OPTIONS)
    frame = pd.DataFrame(mapped).assign(student=claims["student"].to_numpy())
    students = frame[frame["student"] & (frame["motion_id"] == "m1")]
    for ending, arm in (("", "coached"), ("_control", "control")):
        for name, epoch in (("first_epoch", 1), ("last_epoch", 2)):
            own = students[(students["arm"] == arm) & (students["epoch"] == epoch)]
            share = (own["cluster"] == 1).mean()
            assert clusters[0][name + ending] == pytest.approx(share)


def test_the_caption_counts_what_is_on_the_map() -> None:
    claims, verdicts = debated()
    mapped, clusters = map_claims(claims, verdicts, embed, OPTIONS)
    for row, p in zip(clusters, (0.01, 0.049, 0.06, 0.2, None, 1.0), strict=True):
        row["p_adjusted"] = p
    assert caption_facts(mapped, clusters, 0.95) == {
        **{"claims": f"{len(claims):,}", "debates": "24", "clusters": "6"},
        **{"alone": "0%", "found": "2 of 6"},
    }
    assert caption_facts([], [], 0.95)["alone"] == "none"


def test_the_page_begins_with_what_is_to_be_seen_and_has_the_figures_colours() -> None:
    rows = made_claims()
    found = made_clusters(rows)
    named: Row = {"projection": "pca", "confidence": 0.95, "simulated": True}
    page = map_page(rows, found, MOTIONS, **named)
    most = max(found, key=lambda row: row["claims"])
    survive = 100 * most["survives"]
    first = page.index('<p id="seen"')
    assert first < page.index('<p id="facts"')
    assert (
        f"number {most['cluster']}, has {most['claims']} of {len(rows)} claims, of which "
        f"{survive:.0f}% survive their debates: “{html(most['name'])}”"
    ) in page[first:]
    data = page_data(rows, found, MOTIONS, 0.95)["clusters"]
    assert [one["number"] for one in data] == [row["cluster"] for row in found]
    assert [one["colour"] for one in data] == [colour_of(row["cluster"]) for row in found]
    assert len({one["colour"] for one in data}) == min(len(data), 12)
    assert "no cluster was found among them" in map_page([], [], {}, **named)


def turn(motion: str, cluster: int, text: str, kind: str = "names") -> Row:
    return {"motion_id": motion, "speaker": str(cluster), "text": text, "kind": kind}


#: Claims that are too long for a name: the first has no clause that is long enough for one.
LONG = {3: f"goes on, {'goes on ' * 20}", 4: f"is{' long' * 12}; and so{' on' * 20}"}


def test_a_model_s_names_are_used_and_terms_stand_in_for_those_that_cannot_be() -> None:
    clusters = [
        {
            "motion_id": motion,
            "cluster": number,
            "terms": f"terms {number}",
            "example": f"Claim {number} {LONG.get(number, '')}",
        }
        for motion, number in (("m1", 1), ("m1", 2), ("m2", 3), ("m2", 4))
    ]
    turns = [
        turn("m1", 1, '{"name": "Chance\\nagainst power", "description": "It is so."}'),
        turn("m1", 2, "I would rather not."),
        turn("m2", 4, '{"name": "words of a speech"}', kind="debate"),
        # The number of another motion's cluster.
        turn("m1", 3, '{"name": "not of this motion"}'),
    ]
    named = name_clusters(clusters, turns, "namer")
    assert [row["name"] for row in named] == [
        "Chance against power",
        "Claim 2",
        f"Claim 3 goes on,{' goes on' * 12} goes …",
        f"Claim 4 is{' long' * 12} …",
    ]
    assert [row["named_by"] for row in named] == ["namer", CLAIM, CLAIM, CLAIM]
    assert [row["description"] for row in named] == [
        "It is so.",
        *(f"Words that set its claims apart: terms {number}." for number in (2, 3, 4)),
    ]
    assert [row["named_by"] for row in name_clusters(clusters, [], "")] == [CLAIM] * 4
