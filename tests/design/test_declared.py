"""Declared means and contrasts: numbers by hand and by SciPy, families, strata."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from dissensus.design.contrasts import HEADLINE, METHODS, RANDOMISATION, Options
from dissensus.design.declared import ALL, Contrasts, Means, estimate, strata
from dissensus.design.weights import Contrast
from dissensus.stats.results import Estimate

OPTIONS = Options(confidence=0.95, flips=200, seed=1)
ARMS = ("a", "b", "c")
#: What each arm adds to each of two outcomes.
EFFECTS = {"a": 0.0, "b": 1.0, "c": 0.0}


def made(draws: int = 24, seed: int = 5, **changed: float) -> pd.DataFrame:
    """Metrics of a study whose effects are known: two outcomes, two strata, one draw a cluster."""
    rng = np.random.default_rng(seed)
    effects = EFFECTS | changed
    rows = []
    for draw in range(draws):
        level = rng.normal(5.0, 2.0)
        for arm in ARMS:
            values = level + effects[arm] + rng.normal(0.0, 0.5, 2)
            rows.append(
                {
                    **{"draw_id": f"d{draw:02d}", "arm": arm, "complete": True},
                    **{"first": values[0], "second": values[1]},
                    **{"place": "north" if draw % 2 else "south", "site": f"s{draw:02d}"},
                }
            )
    return pd.DataFrame(rows)


def one(rows: list[dict[str, Any]], **key: Any) -> dict[str, Any]:
    (found,) = [row for row in rows if all(row[name] == value for name, value in key.items())]
    return found


def means(**given: Any) -> Means:
    return Means(("first", "second"), ARMS, "site", **given)


def contrasts(**given: Any) -> Contrasts:
    pairs = [("b", "a"), ("c", "a"), ("b", "c")]
    return Contrasts(("first", "second"), pairs, "site", **given)


def test_a_mean_is_that_of_scipy_where_each_session_is_a_cluster() -> None:
    metrics = made()
    metrics.loc[(metrics["arm"] == "b") & (metrics["draw_id"] == "d03"), "complete"] = False
    metrics.loc[(metrics["arm"] == "b") & (metrics["draw_id"] == "d04"), "first"] = np.nan
    row = one(means().rows(metrics, OPTIONS), arm="b", outcome="first")
    of_b = metrics[(metrics["arm"] == "b") & ~metrics["draw_id"].isin(["d03", "d04"])]["first"]
    interval = stats.ttest_1samp(of_b, 0.0).confidence_interval(0.95)
    assert row["n"] == row["n_clusters"] == 22
    assert row["estimate"] == pytest.approx(of_b.mean())
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(interval))
    assert (row["reference"], row["method"], row["headline"]) == ("", HEADLINE, False)


def test_an_arm_without_a_session_has_a_row_but_in_a_stratum() -> None:
    metrics = made()
    lost = metrics[(metrics["arm"] != "c") | (metrics["place"] == "south")]
    rows = means(within="place").rows(lost, OPTIONS)
    assert [row["place"] for row in rows] == [ALL] * 6 + ["south"] * 6 + ["north"] * 4
    none = means().rows(metrics[metrics["arm"] != "c"], OPTIONS)
    row = one(none, arm="c", outcome="first")
    assert (row["n"], row["estimate"], row["p_value"]) == (0, None, None)


def test_all_arms_are_pooled_beside_the_family_of_the_arms() -> None:
    rows = means(pooled=True, adjusted=True).rows(made(), OPTIONS)
    of_first = [row for row in rows if row["outcome"] == "first"]
    assert [row["arm"] for row in of_first] == [*ARMS, ALL]
    assert of_first[-1]["estimate"] == pytest.approx(made()["first"].mean())
    # Sessions of one cluster are no independent ones.
    assert (of_first[-1]["n"], of_first[-1]["n_clusters"]) == (72, 24)
    assert of_first[-1]["p_adjusted"] is None
    holm = multipletests([row["p_value"] for row in of_first[:-1]], method="holm")[1]
    assert [row["p_adjusted"] for row in of_first[:-1]] == pytest.approx(list(holm))
    assert all(row["p_adjusted"] is None for row in means().rows(made(), OPTIONS))


def test_an_estimator_of_ones_own_is_told_what_it_estimates() -> None:
    asked = []

    def median(values: Any, clusters: Any, confidence: float, of: tuple[str, str, str]) -> Estimate:
        asked.append((len(values), len(clusters), confidence, of))
        return Estimate(float(np.median(values)))

    metrics = made()
    rows = means(within="place", estimator=median).rows(metrics, OPTIONS)
    assert asked[0] == (24, 24, 0.95, (ALL, "a", "first"))
    assert asked[-1] == (12, 12, 0.95, ("north", "c", "second"))
    north = metrics[(metrics["place"] == "north") & (metrics["arm"] == "c")]["second"]
    assert one(rows, place="north", arm="c", outcome="second")["estimate"] == north.median()


def test_the_mean_of_a_share_has_limits_of_a_share() -> None:
    metrics = made()
    metrics["first"] = (np.arange(len(metrics)) % 12 == 0).astype(float)
    metrics["second"] = 1.0
    a = metrics[metrics["arm"] == "a"]
    assert a["first"].mean() == 0.25
    rows = means(shares=("first", "second")).rows(metrics, OPTIONS)
    row = one(rows, arm="a", outcome="first")
    # Student's interval on the logit scale, as SciPy has its quantile.
    se = a["first"].std(ddof=1) / 24**0.5 / (0.25 * 0.75)
    logits = np.log(0.25 / 0.75) + np.array([-1, 1]) * stats.t.ppf(0.975, 23) * se
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(1 / (1 + np.exp(-logits))))
    whole = one(rows, arm="b", outcome="second")
    assert whole["estimate"] == whole["ci_high"] == 1.0 and 0.8 < whole["ci_low"] < 1.0
    assert one(means().rows(metrics, OPTIONS), arm="b", outcome="second")["ci_low"] is None


def test_a_contrast_is_the_paired_t_test_and_finds_what_is_planted() -> None:
    metrics = made()
    rows = contrasts().rows(metrics, OPTIONS)
    wide = metrics.pivot(index="draw_id", columns="arm", values="first")
    paired = stats.ttest_rel(wide["b"], wide["a"])
    row = one(rows, contrast="b-a", outcome="first", method=HEADLINE)
    assert (row["estimate"], row["p_value"]) == pytest.approx(
        ((wide["b"] - wide["a"]).mean(), paired.pvalue)
    )
    assert abs(row["estimate"] - EFFECTS["b"]) < 4 * row["se"]
    null = one(rows, contrast="c-a", outcome="first", method=HEADLINE)
    assert row["p_adjusted"] < 0.001 < null["p_adjusted"]
    assert {row["method"] for row in rows} == {*METHODS}


def families(rows: list[dict[str, Any]], method: str = HEADLINE) -> list[set[tuple[str, str]]]:
    """The families that Holm's adjusted p-values can come from, told by SciPy's own."""
    some = [row for row in rows if row["method"] == method]
    found = []
    for family in (
        [row for row in some if row["outcome"] == "first"],
        [row for row in some if row["outcome"] == "first" and row["reference"] == "a"],
    ):
        rest = [row for row in some if row not in family]
        fits = all(
            [row["p_adjusted"] for row in part]
            == pytest.approx(list(multipletests([r["p_value"] for r in part], method="holm")[1]))
            for part in (family, rest)
        )
        found += [{(row["contrast"], row["outcome"]) for row in family}] if fits else []
    return found


def test_a_family_is_what_it_is_declared_to_be() -> None:
    metrics = made(b=0.15, c=0.1)
    every = {("b-a", "first"), ("c-a", "first"), ("b-c", "first")}
    by_outcome = contrasts(family="outcome").rows(metrics, OPTIONS)
    assert families(by_outcome) == [every]
    by_reference = contrasts().rows(metrics, OPTIONS)
    assert families(by_reference) == [every - {("b-c", "first")}]
    assert families(by_outcome, RANDOMISATION) == [every]
    none = contrasts(family="none").rows(metrics, OPTIONS)
    assert all(row["p_adjusted"] is None and row["family_low"] is None for row in none)
    assert not any(row["headline"] for row in none)
    numbers = ("contrast", "outcome", "method", "estimate", "p_value")
    assert [[row[n] for n in numbers] for row in none] == [
        [row[n] for n in numbers] for row in by_reference
    ]


def test_strata_are_compared_each_by_itself_and_are_no_headline() -> None:
    metrics = made()
    rows = contrasts(within="place").rows(metrics, OPTIONS)
    assert {row["place"] for row in rows if row["headline"]} == {ALL}
    for place, some in strata(metrics, "place"):
        alone = contrasts().rows(some, OPTIONS)
        within = [row for row in rows if row["place"] == place]
        assert [row["p_adjusted"] for row in alone] == [row["p_adjusted"] for row in within]
    assert [place for place, _ in strata(metrics, "place")] == [ALL, "south", "north"]
    assert [place for place, _ in strata(metrics, "")] == [ALL]


def test_rows_of_ones_own_stand_beside_those_of_each_stratum() -> None:
    def sizes(some: pd.DataFrame, options: Options) -> list[dict[str, Any]]:
        return [{"outcome": "size", "estimate": len(some), "headline": False}]

    rows = contrasts(within="place", beside=sizes).rows(made(), OPTIONS)
    own = [row for row in rows if row["outcome"] == "size"]
    assert [(row["place"], row["estimate"]) for row in own] == [
        (ALL, 72),
        ("south", 36),
        ("north", 36),
    ]
    assert rows.index(own[0]) == len(rows) // 3 - 1


def test_the_floor_is_of_the_headlines_of_all_sessions() -> None:
    metrics = made(30, b=2.0)
    declared = Contrasts(
        ("first", "second"),
        [("b", "a"), ("c", "a")],
        "site",
        within="place",
        again=Contrast.of("c", "a"),
    )
    rows = declared.rows(metrics, OPTIONS)
    tested = [row for row in rows if row["floor_p"] is not None]
    assert [(row["place"], row["contrast"], row["outcome"]) for row in tested] == [
        (ALL, "b-a", "first")
    ]
    assert tested[0]["floor_p"] < 0.001 and tested[0]["floor_n"] == 30


def test_what_is_declared_is_estimated_in_its_order() -> None:
    metrics = made()
    declared = [means(), contrasts()]
    assert estimate(metrics, declared, OPTIONS) == [
        *means().rows(metrics, OPTIONS),
        *contrasts().rows(metrics, OPTIONS),
    ]


def test_under_the_null_a_family_seldom_finds_anything() -> None:
    """Of 100 studies in which no arm changes anything, at most one in twenty but for chance."""
    found = 0
    for seed in range(100):
        rows = Contrasts(("first",), [("b", "a"), ("c", "a")], "site").rows(
            made(10, seed, b=0.0), Options(0.95, 1, seed)
        )
        of_headline = [row["p_adjusted"] for row in rows if row["method"] == HEADLINE]
        found += min(of_headline) < 0.05
    assert found <= stats.binom.ppf(0.999, 100, 0.05)
    assert found > 0
