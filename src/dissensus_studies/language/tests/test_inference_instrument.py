"""What every measure makes of parallel texts: by hand, from the components of each text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ..inference.instrument import INSTRUMENT, measure_instrument
from ..inference.readings import read_texts
from .inference_frames import ANCHORS, EMBEDDER, INFERENCE, MEASURES, Study, make_study

RAW = ("s_lex_turn", "s_lex_speaker_matched", "s_sem_pooled")
SETTINGS = INFERENCE.model_copy(update={"resamples": 100})


@pytest.fixture(scope="module")
def study() -> Study:
    made = make_study(24, offset=0.03, lost=["d004-zh", "d009-en"])
    rng, texts = np.random.default_rng(2), made.components
    uneven = {name: texts[name] + 0.01 * rng.normal(size=len(texts)) for name in RAW}
    return replace(made, components=texts.assign(**uneven))


@pytest.fixture(scope="module")
def rows(study: Study) -> list[dict[str, Any]]:
    frames = study.components, study.metrics, study.renderings
    return measure_instrument(*frames, [], "en", MEASURES, SETTINGS, 1)


def by_hand(study: Study, measure: str, language: str) -> tuple[np.ndarray, pd.Series]:
    """Parallel less its debate, of the debates held in a language; and those in the reference."""
    texts = study.components.drop_duplicates("session_id").set_index("session_id")[measure]
    debates = study.metrics[study.metrics["complete"]].set_index(["draw_id", "language"])
    own = study.renderings[study.renderings["rendered_from"] == language]
    sign = 1.0 if language == "en" else -1.0
    gaps = [
        sign
        * (texts[row["session_id"]] - texts[debates.loc[(row["draw_id"], language)].session_id])
        for row in own.to_dict("records")
        if (row["draw_id"], language) in debates.index
    ]
    english = debates.xs("en", level="language")["session_id"]
    return np.array(gaps), texts[english]


def test_every_measure_and_direction_has_a_row(rows: list[dict[str, Any]]) -> None:
    # As objects: a text that is missing stays None in every version of pandas.
    frame = pd.DataFrame(rows, dtype=object)
    assert set(frame.columns) == set(INSTRUMENT.columns)
    assert not frame.duplicated(list(INSTRUMENT.key)).any()
    # Six scales of the index, nine lexical and four semantic measures.
    assert frame.groupby("direction").size().to_dict() == {
        **{"en>zh": 19, "zh>en": 19, "mean": 19},
    }
    index = frame[frame["measure"] == "hi"]
    assert list(index["anchor"].unique()) == ANCHORS
    assert set(index["unit"]) == {"turn"} and set(index["embedder"]) == {EMBEDDER}
    named = frame.set_index("measure")
    for measure, unit in (("s_lex_turn", "turn"), ("s_lex_side_excess", "side")):
        one = named.loc[measure].iloc[0]
        assert (one["unit"], one["tokenizer"], one["embedder"]) == (unit, "tekken", None)
    one = named.loc["s_sem_cross_side"].iloc[0]
    assert (one["unit"], one["tokenizer"], one["embedder"]) == (None, None, EMBEDDER)


@pytest.mark.parametrize("measure", RAW)
def test_differences_by_hand(study: Study, rows: list[dict[str, Any]], measure: str) -> None:
    found = {row["direction"]: row for row in rows if row["measure"] == measure}
    means = []
    for language, direction in (("en", "en>zh"), ("zh", "zh>en")):
        gaps, english = by_hand(study, measure, language)
        row = found[direction]
        assert row["n"] == len(gaps) == 23
        assert row["estimate"] == pytest.approx(gaps.mean())
        assert row["estimate_d"] == pytest.approx(gaps.mean() / english.std(ddof=1))
        assert row["ci_low"] <= row["estimate"] <= row["ci_high"]
        means.append(gaps.mean())
    assert found["mean"]["estimate"] == pytest.approx(np.mean(means))


def test_the_index_is_in_deviations_on_its_z_scale_alone(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["measure"] == "hi":
            expected = row["estimate"] if row["anchor"] == "z" else None
            assert row["estimate_d"] == (expected and pytest.approx(expected))


def test_a_measure_that_does_not_vary_has_no_deviations(study: Study) -> None:
    flat = study.components.assign(s_lex_turn=0.5)
    frames = flat, study.metrics, study.renderings
    rows = measure_instrument(*frames, [], "en", MEASURES, SETTINGS, 1)
    own = [row for row in rows if row["measure"] == "s_lex_turn"]
    assert [(row["estimate"], row["estimate_d"]) for row in own] == [(0.0, None)] * 3


@pytest.mark.parametrize("language", ["zh", "fr"])
def test_renderings_of_a_third_language_are_no_readings_of_this_one(language: str) -> None:
    three = make_study(12, languages=("en", "fr", "zh"), offset=0.03)
    own = three.renderings[["language", "rendered_from"]].eq(language).any(axis=1)
    texts = three.metrics.assign(lex=1.0, sem=2.0)
    renderings = three.renderings.assign(lex=np.where(own, 3.0, 99.0), sem=4.0)
    read = read_texts(texts, renderings, ["lex", "sem"], language, "en")
    for values in (read.reference_rendered, read.treated_rendered):
        assert values.tolist() == [[3.0, 4.0]] * 12
