"""From what parts of examples are worth to simulated agents, through texts, to the ablations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.design.contrasts import HEADLINE, Options
from dissensus.design.declared import ALL
from dissensus.errors import SettingError
from dissensus.settings import validate
from dissensus.stats.power import power_paired_t
from marking import thorough_but

from ..inference import PRIMARY, planted_values
from ..learning.inference import (
    ABLATION,
    CLAIM,
    MODELS,
    TRANSFER,
    claim_p,
    learned_contrasts,
)
from ..simulated import SpeechSettings
from ..wording import LEARNED
from .consensus_runs import STILL, run, statements

CCAGENT = "ccagent"
ARMS = {"debate": "debate"} | {name.removeprefix("ccagent_"): name for name in LEARNED}
MODEL = dict.fromkeys(ARMS, ("consensus-agent", 0.7))
#: Off the defaults: rationales are worth most, counterfactuals nothing.
RATIONALES = {"good": 0.15, "bad": 0.0, "told": 0.1, "rationale": 0.45, "counterfactual": 0.0}
#: The other way round.
COUNTERFACTUALS = {**RATIONALES, "rationale": 0.0, "counterfactual": 0.6, "good": 0.05}


def speech(learns: dict[str, float], carries: float = 0.5) -> dict[str, Any]:
    return {**STILL, "stubbornness": 0.2, "conformity": 0.1, "learns": learns, "carries": carries}


@cache
def found(kind: str) -> tuple[pd.DataFrame, pd.DataFrame, list[dict[str, Any]]]:
    """Planted values and contrasts of a whole study on all held-out statements."""
    how = speech(RATIONALES if kind == "rationales" else COUNTERFACTUALS)
    _, metrics, manifest = run(how, ARMS, statements=None)
    items = pd.DataFrame(statements().values())
    own = dict.fromkeys(ARMS, how)
    planted = planted_values(pd.DataFrame(manifest), items, own, "debate", 1)
    rows = learned_contrasts(metrics, ARMS, MODEL, "debate", planted, Options(0.95, 500, 1))
    return pd.DataFrame(planted), pd.DataFrame(rows), rows


def primary(kind: str) -> pd.DataFrame:
    rows = found(kind)[1]
    keep = (rows["outcome"] == PRIMARY) & (rows["method"] == HEADLINE) & (rows["domain"] == ALL)
    return rows[keep].set_index(["question", "arm", "reference"])


@pytest.mark.parametrize("kind", thorough_but(("rationales", "counterfactuals"), "rationales"))
def test_every_part_is_worth_what_was_planted(kind: str) -> None:
    rows = found(kind)[1]
    own = rows[(rows["method"] == HEADLINE) & rows["outcome"].isin(["agreement", "compromise"])]
    assert set(own["question"]) == {ABLATION, TRANSFER, CLAIM} and set(own["domain"]) == {
        ALL,
        "city",
        "politics",
    }
    for _, row in own.iterrows():
        error = max(row["se"], 0.02)
        assert abs(row["estimate"] - row["true"]) < 4 * error, tuple(row[:6])
        assert row["n_clusters"] == (48 if row["domain"] == ALL else 24)


def test_a_rationale_is_found_and_a_counterfactual_that_is_worth_nothing_is_not() -> None:
    rows = primary("rationales")
    lost = rows.loc[ABLATION, "without_rationale", CCAGENT]
    assert lost["true"] < -0.1 and lost["p_adjusted"] < 0.01 and lost["estimate"] < 0
    none = rows.loc[ABLATION, "without_counterfactual", CCAGENT]
    # Where nothing differs, nothing at all is planted.
    assert none["true"] == 0.0 and none["p_adjusted"] > 0.05
    assert rows.loc[ABLATION, "without_bad", CCAGENT]["true"] == 0.0
    assert rows.loc[ABLATION, "metrics_only", CCAGENT]["true"] < lost["true"]
    assert rows.loc[TRANSFER, "transferred", CCAGENT]["true"] < 0
    assert rows.loc[TRANSFER, "transferred", "debate"]["true"] > 0


@pytest.mark.thorough
def test_that_counterfactuals_matter_most_is_found_where_it_is_so_and_only_there() -> None:
    p = {kind: claim_p(found(kind)[2]) for kind in ("rationales", "counterfactuals")}
    assert p["counterfactuals"] is not None and p["counterfactuals"] < 0.01
    assert p["rationales"] is not None and p["rationales"] > 0.5
    rows = primary("counterfactuals")
    # The largest of three one-sided p-values, from the two-sided ones.
    ones = [
        row["p_value"] / 2 if row["estimate"] > 0 else 1 - row["p_value"] / 2
        for _, row in rows.loc[CLAIM].iterrows()
    ]
    assert len(ones) == 3 and p["counterfactuals"] == pytest.approx(max(ones))


def test_without_a_comparison_or_with_one_undefined_there_is_no_p() -> None:
    row = {"question": CLAIM, "domain": ALL, "outcome": PRIMARY, "method": HEADLINE}
    one, none = {**row, "p_value": 0.02, "estimate": 0.1}, {**row, "p_value": None, "estimate": 0.1}
    assert claim_p([one]) == pytest.approx(0.01)
    assert claim_p([{**one, "estimate": -0.1}, one]) == pytest.approx(0.99)
    assert claim_p([one, none]) is None
    assert claim_p([]) is None


def test_detectable_is_what_is_found_in_four_of_five_studies() -> None:
    rows = primary("rationales").loc[ABLATION]
    for _, row in rows.iterrows():
        spread, alpha = row["se"] * np.sqrt(48), 0.05 / 5
        for column, n in (("detectable", 48), ("detectable_24", 24)):
            power = float(power_paired_t(row[column], spread, n, alpha))
            assert power == pytest.approx(0.8, abs=1e-4)
        assert row["detectable"] < row["detectable_24"]
        assert row["power"] == pytest.approx(float(power_paired_t(row["true"], spread, 48, alpha)))


def test_holm_is_over_the_comparisons_of_a_question() -> None:
    rows = primary("rationales")
    for question in (ABLATION, TRANSFER, CLAIM):
        own = rows.loc[question].sort_values("p_value")
        m, least = len(own), 0.0
        for place, (_, row) in enumerate(own.iterrows()):
            least = max(least, min(1.0, (m - place) * row["p_value"]))
            assert row["p_adjusted"] == pytest.approx(least)


def test_another_model_is_compared_with_itself() -> None:
    arms = {"debate": "debate", "ccagent": "ccagent", "debate_b": "debate", "ccagent_b": "ccagent"}
    models = {arm: ("b" if arm.endswith("_b") else "a", 0.7) for arm in arms}
    _, metrics, _ = run(speech(RATIONALES), arms, statements=3)
    rows = learned_contrasts(metrics, arms, models, "debate", [], Options(0.95, 100, 1))
    asked = {(row["question"], row["arm"], row["reference"]) for row in rows}
    assert asked == {(MODELS, "ccagent_b", "debate_b")}
    assert all(row["true"] is None and row["power"] is None for row in rows)


def test_weights_that_are_no_chances_are_refused() -> None:
    for learns, said in (
        ({"rationale": 0.7, "good": 0.4}, "conformity holds 0.1"),
        ({"rationals": 0.1}, "'rationals' is none of good, bad, told"),
    ):
        with pytest.raises(SettingError, match=said):
            validate(SpeechSettings, speech(learns), "", "speech.")
