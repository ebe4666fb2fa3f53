"""The shared diagnosis, of estimators whose performance is known."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.design.contrasts import HEADLINE
from dissensus.design.diagnosis import DIAGNOSIS, HOLM, World, run_worlds
from dissensus.report.diagnosis import plot_power, table_diagnosis
from dissensus.stats.results import NAN, Estimate
from dissensus.tables.artefact import read, write
from made_frames import frame_of

WORLDS = [World("null", 0.0, ("t", "shifted")), World("effect", 1.0, ("t", "shifted", "nothing"))]


def simulate(effects: list[float], index: int) -> list[dict[str, Estimate]]:
    """A sample of ten in each world, by Student's t and by a mean that is 0.5 too high."""
    noise = np.random.default_rng([7, index]).standard_normal(10)
    found = []
    for effect in effects:
        test = stats.ttest_1samp(noise + effect, 0.0)
        low, high = test.confidence_interval(0.9)
        mean = float((noise + effect).mean())
        student = Estimate(mean, ci_low=low, ci_high=high, p_value=float(test.pvalue))
        found.append({"t": student, "shifted": Estimate(mean + 0.5)})
    return found


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], dict[str, float]]:
    made = run_worlds(WORLDS, "mean", partial(simulate, [0.0, 1.0]), 400, 0.9, cores=2)
    return {(row["world"], row["estimator"]): row for row in made}


def test_known_performance_is_found(rows: dict[tuple[str, str], dict[str, float]]) -> None:
    null, effect = rows["null", "t"], rows["effect", "t"]
    # Monte Carlo bounds that fail once in some ten thousand seeds.
    assert abs(null["bias"]) < 4 * null["bias_se"] == pytest.approx(4 * 0.1**0.5 / 20, rel=0.2)
    assert abs(null["coverage"] - 0.9) < 4 * null["coverage_se"]
    assert abs(null["rejection"] - 0.1) < 4 * null["rejection_se"]
    # Noncentral t with 9 degrees of freedom and noncentrality sqrt(10).
    critical = stats.t.ppf(0.95, 9)
    power = stats.nct.sf(critical, 9, 10**0.5) + stats.nct.cdf(-critical, 9, 10**0.5)
    assert abs(effect["rejection"] - power) < 4 * effect["rejection_se"]
    assert effect["type_s"] == 0 and null["type_s"] is None
    # Twice the critical value times the mean of a standard error, c4(10) / sqrt(10).
    assert null["width"] == pytest.approx(2 * critical * 0.9727 / 10**0.5, rel=0.05)


def test_a_bias_is_found_and_what_is_not_defined_is_missing(
    rows: dict[tuple[str, str], dict[str, float]],
) -> None:
    shifted, plain = rows["effect", "shifted"], rows["effect", "t"]
    assert shifted["bias"] == pytest.approx(plain["bias"] + 0.5)
    assert shifted["rmse"] ** 2 == pytest.approx(
        shifted["bias"] ** 2 + shifted["sd"] ** 2 * 399 / 400
    )
    assert shifted["coverage"] is shifted["width"] is shifted["rejection"] is None
    nothing = rows["effect", "nothing"]
    assert nothing["simulations"] == 0 and nothing["mean"] is None


def test_processes_change_nothing() -> None:
    one, two = (
        run_worlds(WORLDS, "mean", partial(simulate, [0.0, 1.0]), 9, 0.9, cores) for cores in (1, 2)
    )
    assert one == two


def family(index: int) -> list[dict[str, Estimate]]:
    return [{"t": Estimate(0.1, p_value=0.2), "t" + HOLM: Estimate(NAN, p_value=0.01)}]


def test_the_table_of_any_diagnosis(tmp_path: Path) -> None:
    worlds = [World("sharp_null", 0.0, ("t", "t" + HOLM))]
    rows = run_worlds(worlds, "an effect in SDs", family, 4, 0.95)
    write(tmp_path / "design_diagnosis.parquet", DIAGNOSIS, rows, {})
    table = table_diagnosis(read(tmp_path / "design_diagnosis.parquet", DIAGNOSIS).to_pandas())
    start = ("sharp null", "0.000")
    assert table.rows == (
        (*start, "t", "4", "0.100", "0.100 (0.000)", "0.100", "–", "–", "0.000 (0.000)", "–", "–"),
        (*start, "t (Holm)", "4", "–", "–", "–", "–", "–", "1.000 (0.000)", "–", "–"),
    )
    assert "an effect in SDs" in table.note and "Holm: " in table.note
    assert "Simulated models." not in table.note


def over_items(usd: float | None) -> pd.DataFrame:
    """Two contrasts in studies of 10 and 20 items, and their nulls, with a price an item."""
    rows = [
        {"world": f"{items} items, {contrast}{kind}", "estimand": "Right", "items": items}
        | {"true": 0.0 if kind else 0.2, "true_se": 0.0 if kind else 0.01}
        | {"estimator": method, "rejection": 0.04 * items, "smallest": 2 / items}
        | {"usd": usd and usd * items, "saved": None}
        for items in (20, 10)
        for contrast in ("b-a", "c-a")
        for kind in ("", ", null")
        for method in (HEADLINE, HEADLINE + HOLM)
    ]
    return frame_of(DIAGNOSIS, rows)


@pytest.mark.parametrize("usd", [None, 0.5])
def test_power_is_drawn_over_items_with_the_price_where_there_is_one(usd: float | None) -> None:
    figure = plot_power(over_items(usd), 20, simulated=True)
    power, smallest = figure.axes
    drawn = [bars.lines[0].get_xydata().tolist() for bars in power.containers]
    # A null is no line, nor is a p-value after Holm.
    assert drawn == [[[10.0, 0.4], [20.0, 0.8]]] * 2
    heights = [bars.lines[0].get_ydata().tolist() for bars in smallest.containers]
    assert heights == [[0.2, 0.1]] * 2 and smallest.get_ylabel() == "Right"
    above = [label.get_text() for axis in power.child_axes for label in axis.get_xticklabels()]
    assert above == (["$5.00", "$10.00"] if usd else [])
    assert "simulated models" in [text.get_text() for text in figure.texts]
    table = table_diagnosis(over_items(usd))
    assert (table.columns[-1] == "Price") == bool(usd) and len(table.columns) == 12 + bool(usd)
