"""Paired differences of a study that may stop: their scale, their signs, and what is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.design.stopping import DIFFERENCES
from dissensus.tables.artefact import read, write
from marking import thorough_but

from ..inference.effect import estimate_language_effect
from ..inference.net import NET
from ..inference.paired_readings import compare_block
from ..measures.components import COMPONENTS
from ..measures.homogeneity import measure_homogeneity
from ..settings import Scale
from .inference_frames import INFERENCE, MEASURES, Study, make_study

SCALES = get_args(Scale)


def blocks(study: Study, *numbers: int, scale: str = "z") -> list[list[dict[str, Any]]]:
    """What each block's stage makes of its own sessions and of those of the first."""
    block_of = study.manifest.set_index("draw_id")["block"].to_dict()
    measures, made = MEASURES.model_copy(update={"primary": scale}), []
    for number in numbers:
        wanted = {draw for draw, block in block_of.items() if block in (1, number)}
        outcomes, components = (
            frame[frame["draw_id"].isin(wanted)] for frame in (study.outcomes, study.components)
        )
        made.append(compare_block(study.manifest, outcomes, components, measures, "en", number))
    return made


def swapped(study: Study, draws: set[str]) -> Study:
    """The same with the debates in zh and in en of some draws in each other's place.

    The renderings are exact, and so a debate's rendering is what it is in that language.
    """
    places = {}
    for draw in draws:
        for first, second in (("zh", "en-as-zh"), ("en", "zh-as-en")):
            places |= {f"{draw}-{first}": f"{draw}-{second}", f"{draw}-{second}": f"{draw}-{first}"}
    read = [name for name in COMPONENTS.columns if name.startswith("s_")]
    values = study.components.set_index("session_id")[read]
    moved = study.components.copy()
    moved[read] = values.loc[[places.get(name, name) for name in moved["session_id"]]].to_numpy()
    return replace(study, components=moved)


@pytest.fixture(scope="module", params=[("en", "zh"), ("en", "zh", "fr")], ids="-".join)
def languages(request: pytest.FixtureRequest) -> Study:
    return make_study(30, languages=request.param, effect=0.1, offset=0.3)


@settings(max_examples=3, deadline=None)
@given(st.sampled_from(SCALES), st.sets(st.integers(1, 30)))
def test_debates_that_change_places_change_the_sign_and_nothing_else(
    languages: Study, scale: str, flipped: set[int]
) -> None:
    """The scale stays, and each size with it, in the first block and in a later one."""
    flips = {f"d{number:03d}" for number in flipped}
    before = [row for rows in blocks(languages, 1, 2, scale=scale) for row in rows]
    after = [row for rows in blocks(swapped(languages, flips), 1, 2, scale=scale) for row in rows]
    for plain, moved in zip(before, after, strict=True):
        if plain["contrast"] == "zh-en":
            sign = -1.0 if plain["draw_id"] in flips else 1.0
            assert moved == {**plain, "difference": pytest.approx(sign * plain["difference"])}


def test_a_scale_of_the_references_own_debates_would_say_which_changed_places() -> None:
    """Why the scale is of all debates as they read in the reference."""
    study = make_study(25, effect=1.0, spread=0.01, offset=0.3)
    flips = {f"d{number:03d}" for number in range(1, 13)}

    def own_scale(of: Study) -> float:
        metrics, _ = measure_homogeneity(of.manifest, of.outcomes, of.components, MEASURES, "en")
        return float(metrics.loc[metrics["language"] == "en", "s_lex"].std())

    assert own_scale(swapped(study, flips)) > 10 * own_scale(study)
    (before,), (after,) = blocks(study, 1), blocks(swapped(study, flips), 1)
    sizes = [[abs(row["difference"]) for row in rows] for rows in (before, after)]
    assert sizes[0] == pytest.approx(sizes[1])


@pytest.mark.parametrize("scale", thorough_but(SCALES, SCALES[0]))
def test_on_one_scale_their_mean_is_the_net_effect(scale: str) -> None:
    """Where all is one block, the study's net effect is on the scale of the looks."""
    study = make_study(20, effect=0.1, offset=0.3)
    (rows,) = blocks(study, 1, scale=scale)
    measures = MEASURES.model_copy(update={"primary": scale})
    metrics, renderings = measure_homogeneity(
        study.manifest, study.outcomes, study.components, measures, "en", is_looked_at=True
    )
    effect = estimate_language_effect(metrics, renderings, "en", INFERENCE, measures, 1, True)
    (net,) = [row for row in effect if row["headline"]]
    assert net["method"] == NET and net["outcome"] == f"hi_{scale}"
    assert np.mean([row["difference"] for row in rows]) == pytest.approx(net["estimate"])


def test_a_noise_floor_is_no_contrast_of_a_look_but_where_it_is_all() -> None:
    study = make_study(6, languages=("en", "zh", "en_again"), offset=0.0)
    (rows,) = blocks(study, 1)
    assert {row["contrast"] for row in rows} == {"zh-en"}
    (rows,) = blocks(make_study(6, languages=("en", "en_again"), offset=0.0), 1)
    assert {row["contrast"] for row in rows} == {"en_again-en"}


def test_a_block_is_on_the_scale_of_the_first_whatever_comes_later() -> None:
    long = make_study(75, effect=0.1, offset=0.3, domains=8)
    first, third = blocks(long, 1, 3)
    assert {row["block"] for row in third} == {3} and len(third) == 25
    metrics = long.metrics
    first_draws = metrics[metrics["block"] == 1]["draw_id"]
    texts = pd.concat(
        [metrics[metrics["language"] == "en"], long.renderings[long.renderings["language"] == "en"]]
    )
    anchors = texts[texts["draw_id"].isin(first_draws)]
    of = pd.concat([metrics, long.renderings.assign(complete=True)]).set_index("session_id")
    for row in (*first, *third):
        draw, difference = row["draw_id"], 0.0
        for part, weight in (("s_lex", 0.5), ("s_sem", 0.5)):
            zh, rendered, back, en = (
                of.loc[f"{draw}-{name}", part] for name in ("zh", "en-as-zh", "zh-as-en", "en")
            )
            difference += weight * (zh - rendered + back - en) / 2 / anchors[part].std()
        assert row["difference"] == pytest.approx(difference)
    assert {row["outcome"] for row in first} == {"hi_z"}


def test_a_lost_session_gives_a_missing_difference_and_no_anchor(tmp_path: Any) -> None:
    """A lost rendering too: by the other contrast's loss alone a third language keeps its own."""
    study = make_study(10, languages=("en", "zh", "fr"), offset=0.3, lost=["d002-zh", "d004-en"])
    study = replace(
        study,
        components=study.components[
            ~study.components["session_id"].isin(
                # Without their debates no rendering is there.
                ["d002-zh-as-en", "d004-en-as-zh", "d004-en-as-fr", "d005-fr-as-en"]
            )
        ],
    )
    (rows,) = blocks(study, 1)
    path = tmp_path / "differences.parquet"
    write(path, DIFFERENCES, rows, {})
    frame = (
        read(path, DIFFERENCES)
        .to_pandas()
        .pivot(index="draw_id", columns="contrast", values="difference")
    )
    lost = {name: set(frame.index[frame[name].isna()]) for name in frame}
    assert lost == {"zh-en": {"d002", "d004"}, "fr-en": {"d004", "d005"}}


def test_a_first_block_without_two_texts_gives_no_differences_and_a_block_not_run_no_rows() -> None:
    study = make_study(50, offset=0.3, lost=[f"d{number:03d}-zh" for number in range(1, 26)])
    first, second = blocks(study, 1, 2)
    assert len(first) == len(second) == 25
    assert {row["difference"] for row in (*first, *second)} == {None}
    run = study.manifest["block"] == 1
    draws = set(study.manifest[run]["draw_id"])
    outcomes, components = (
        frame[frame["draw_id"].isin(draws)] for frame in (study.outcomes, study.components)
    )
    assert compare_block(study.manifest, outcomes, components, MEASURES, "en", 2) == []


def test_debates_that_are_all_alike_are_no_evidence() -> None:
    """But for rounding: as of models who all say the same."""
    study = make_study(25, effect=0.0, spread=0.0, offset=0.0)
    read = [name for name in COMPONENTS.columns if name.startswith("s_")]
    residue = np.random.default_rng(1).integers(-1, 2, (len(study.components), 1)) * 2.0**-53
    (rows,) = blocks(replace(study, components=_moved(study.components, read, residue)), 1)
    assert {row["difference"] for row in rows} == {None}
    # One draw that is not alike gives a scale, on which the others differ by nothing.
    changed = study.components["session_id"].str.startswith("d003-zh").to_numpy()[:, None]
    components = _moved(study.components, read, residue + 0.1 * changed)
    (rows,) = blocks(replace(study, components=components), 1)
    differences = {row["draw_id"]: row["difference"] for row in rows}
    assert differences.pop("d003") > 0.1 and set(differences.values()) == {0.0}


def _moved(components: pd.DataFrame, columns: list[str], by: Any) -> pd.DataFrame:
    moved = components.copy()
    moved[columns] += by
    return moved
