"""Every session's metrics: the settings' own components, anchored, with the failures kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.tables.artefact import read, write
from dissensus.user_files import read_yaml
from scripted import ROOT

from ..measures.components import COMPONENTS
from ..measures.homogeneity import METRICS, measure_homogeneity
from ..settings import MeasureSettings

CONFIG = read_yaml(ROOT / "config.yaml")["language"]["measures"]
SESSIONS = [f"d{draw:03d}-{language}" for draw in range(1, 5) for language in ("en", "zh")]
LOST = "d003-zh"


def settings(**changes: Any) -> MeasureSettings:
    own = {"tokenizer": "words", "embedder": "use-multilingual", "unit": "turn"}
    return MeasureSettings.model_validate({**CONFIG, **own, **changes})


def lexical(session: str, unit: str) -> float:
    draw, language = int(session[1:4]), session[5:]
    return draw / 10 + {"en": 0.0, "zh": 0.15}[language] + {"turn": 0, "side": 0.01}[unit] * draw


def semantic(session: str) -> float:
    return 0.5 + int(session[1:4]) ** 2 / 100


@pytest.fixture
def frames() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    manifest = pd.DataFrame(
        {
            "session_id": name,
            "draw_id": name[:4],
            "language": name[5:],
            "rendered_from": "",
            "domain_id": 4,
            "motion_id": "m",
            "block": 1,
            "language_order": "en>zh",
            "position": 1,
        }
        for name in SESSIONS
    )
    outcomes = pd.DataFrame(
        {
            "session_id": name,
            "complete": name != LOST,
            "attempts": 3 if name == LOST else 1,
            "repairs": 0,
            "compliant": None if name == LOST else True,
        }
        for name in SESSIONS
    )
    components = pd.DataFrame(
        {
            **dict.fromkeys(COMPONENTS.columns, 0.0),
            "session_id": name,
            "draw_id": name[:4],
            "language": name[5:],
            "rendered_from": "",
            "tokenizer": tokenizer,
            "embedder": embedder,
            **{
                f"s_lex_{unit}{variant}": lexical(name, unit) + offset
                for unit in ("turn", "side")
                for variant, offset in (("", 0.0), ("_matched", 1.0), ("_excess", 2.0))
            },
            "s_sem_pooled": semantic(name) if embedder == "use-multilingual" else -1.0,
            "tokens": 100,
            "words": 90,
            "characters": 500,
        }
        for name in SESSIONS
        if name != LOST
        for tokenizer in ("tekken", "words")
        for embedder in ("use-multilingual", "openai:x")
    )
    # Another tokeniser's numbers are other numbers.
    other = components["tokenizer"] == "tekken"
    components.loc[other, [c for c in components if c.startswith("s_lex")]] = -1.0
    return manifest, outcomes, components


def test_every_session_has_a_row_the_lost_one_without_measures(frames, tmp_path: Path):
    metrics, renderings = measure_homogeneity(*frames, settings(), "en")
    assert list(metrics["session_id"]) == SESSIONS
    assert renderings.empty
    lost = metrics.set_index("session_id").loc[LOST]
    assert lost[["s_lex", "s_sem", "hi_z", "tokens"]].isna().all()
    assert (lost["complete"], lost["attempts"]) == (False, 3)
    write(tmp_path / "m.parquet", METRICS, metrics, {})
    back = read(tmp_path / "m.parquet", METRICS).to_pylist()
    assert back[SESSIONS.index(LOST)]["tokens"] is None
    assert back[0]["tokens"] == 100


@pytest.mark.parametrize("unit", ["turn", "side"])
def test_the_settings_components_are_taken(frames, unit: str):
    metrics = measure_homogeneity(*frames, settings(unit=unit), "en")[0].set_index("session_id")
    for name in SESSIONS:
        if name != LOST:
            row = metrics.loc[name]
            assert row["s_lex"] == pytest.approx(lexical(name, unit))
            assert row["s_lex_matched"] == pytest.approx(lexical(name, unit) + 1)
            assert row["s_lex_excess"] == pytest.approx(lexical(name, unit) + 2)
            assert row["s_sem"] == pytest.approx(semantic(name))


@pytest.mark.parametrize("reference", ["en", "zh"])
def test_the_index_is_anchored_on_the_reference(frames, reference: str):
    metrics, _ = measure_homogeneity(*frames, settings(), reference)
    own = metrics[metrics["language"] == reference]
    for part in ("lex_z", "sem_z", "hi_z"):
        assert own[part].mean() == pytest.approx(0, abs=1e-12)
    assert own["lex_z"].std(ddof=1) == pytest.approx(1)
    np.testing.assert_allclose(metrics["hi_z"], (metrics["lex_z"] + metrics["sem_z"]) / 2)


def test_the_language_effect_by_hand(frames):
    metrics, _ = measure_homogeneity(
        *frames, settings(weights={"lexical": 1.0, "semantic": 0.0}), "en"
    )
    metrics = metrics.set_index("session_id")
    # English values .1 to .4 have SD .129099; Chinese ones are .15 higher.
    effect = metrics.loc["d001-zh", "hi_z"] - metrics.loc["d001-en", "hi_z"]
    assert effect == pytest.approx(0.15 / 0.1290994449)


def test_only_the_scales_asked_for_are_given(frames):
    asked = settings(anchors=["z", "ecdf"], primary="z", paper_scale="ecdf")
    metrics, _ = measure_homogeneity(*frames, asked, "en")
    assert [name for name in metrics if name.startswith("hi_")] == ["hi_z", "hi_ecdf"]


def test_a_session_twice_in_the_outcomes_is_refused(frames):
    manifest, outcomes, components = frames
    twice = pd.concat([outcomes, outcomes.iloc[:1]])
    with pytest.raises(pd.errors.MergeError):
        measure_homogeneity(manifest, twice, components, settings(), "en")
