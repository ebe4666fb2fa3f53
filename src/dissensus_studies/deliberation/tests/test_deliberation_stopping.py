"""A deliberation study that may stop: its order, and from planted texts to the look that knows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import entropy

from dissensus.design.contrasts import HEADLINE
from dissensus.design.looks import looks_of, paired_differences
from dissensus.design.pairs import Columns
from dissensus.design.stopping import ANYTIME, STOP, SYMMETRY
from dissensus.design.weights import Contrast
from dissensus.errors import SettingError
from dissensus.report.facts import told
from dissensus.report.view import Artefacts
from dissensus.study.may_stop import rule_of

from ..design.manifest import Drawing, draw, draw_manifest
from ..figures import contrast_tables, contrasts, headline
from ..inference.block_differences import compare_block
from ..inference.contrasts import PRIMARY, contrast_arms
from ..inference.diagnosis import SKEWED, as_run, diagnose
from ..settings import ArmSettings
from ..study import Deliberation
from .deliberation_frames import Run, make_run
from .deliberation_sessions import reply, study_values, topic_rows

ARMS: dict[str, Any] = {"emergent": {}, "again": {}, "full": {"topology": "full"}}
OPTIONS = ("left", "right")
BLOCK, TOPICS, DRAWS = 6, 24, 48
STOPS = {"alpha": 0.05, "half_width": None, "most": None}
DRAWING = Drawing(7, DRAWS, BLOCK, 5, ("m1", "m2"), ("j",), ("emergent", "full"), STOPS)


def pool(topics: int) -> list[dict[str, Any]]:
    rows = [{**topic_rows()[0], "topic_id": f"topic-{n}", "truth": ""} for n in range(topics)]
    return [{**row, "options": list(OPTIONS), "supports": []} for row in rows]


@settings(max_examples=30)
@given(st.integers(1, 12), st.integers(1, 40), st.integers(1, 9), st.integers(0, 99), st.data())
def test_draws_of_a_topic_are_in_one_block_and_a_larger_most_only_adds_blocks(
    topics: int, draws: int, block_size: int, seed: int, data: st.DataObject
) -> None:
    def drawn(most: int | None) -> list[dict[str, Any]]:
        drawing = replace(DRAWING, seed=seed, draws=draws, block_size=block_size)
        return draw_manifest(pool(topics), replace(drawing, stop={**STOPS, "most": most}))

    every = drawn(None)
    held = {row["draw_id"]: row for row in every}
    # Each topic as often as any other or once more, as without a rule.
    counts = Counter(row["topic_id"] for row in held.values())
    assert sum(counts.values()) == draws and len(counts) == min(topics, draws)
    assert max(counts.values()) - min(counts.values()) <= 1
    for topic in counts:
        assert len({row["block"] for row in every if row["topic_id"] == topic}) == 1
    sizes = [*Counter(row["block"] for row in held.values()).values()]
    assert min(sizes[:-1], default=block_size) >= block_size
    most = data.draw(st.integers(1, draws))
    some = drawn(most)
    assert some == every[: len(some)] and len(some) <= 2 * most
    assert not {row["block"] for row in some} & {row["block"] for row in every[len(some) :]}


def test_hints_are_balanced_in_the_order_in_which_draws_are_taken() -> None:
    topics = [{**row, "truth": "left"} for row in pool(TOPICS)]
    hints = [row["hint"] for row in draw_manifest(topics, replace(DRAWING, arms=("emergent",)))]
    assert all(
        {*pair} == {"valid", "invalid"} for pair in zip(hints[::2], hints[1::2], strict=True)
    )


def study_of(**changes: Any) -> Deliberation:
    values = {
        **{"draws": DRAWS, "block_size": BLOCK, "rounds": 2, "panel": ["m1", "m2"], "arms": ARMS},
        **{"stop": {"alpha": 0.05}, **changes},
    }
    return Deliberation(Deliberation.Settings.model_validate(study_values(**values)))


def left(retention: float) -> float:
    """The belief of an agent whose opponent mirrors it, so that so much divergence is left.

    Two agents who were certain of different options are one bit apart, and with beliefs p and
    1 - p they are 1 - H(p) bits apart (Lin 1991).
    """
    return float(brentq(lambda p: 1.0 - entropy([p, 1.0 - p], base=2) - retention, 0.5, 1.0))


def turns_of(row: dict[str, Any], retention: float) -> list[dict[str, Any]]:
    """What two agents say who keep so much of their first disagreement."""
    ids = {name: row[name] for name in ("session_id", "draw_id", "topic_id", "arm")}
    turns = []
    for number, belief in ((1, 1.0), (2, left(retention))):
        for agent, stance, other in (("A1", "left", "right"), ("A2", "right", "left")):
            text = reply(stance=stance, probabilities={stance: belief, other: 1.0 - belief})
            said = {"speaker": agent, "role": "debater", "round_label": f"round {number}"}
            turns.append({**ids, **said, "model": f"m{agent[1]}", "text": text})
    return turns


def differences_of(
    study: Deliberation,
    effect: float,
    seed: int,
    lost: frozenset[str] = frozenset(),
    exchanged: bool = False,
) -> tuple[pd.DataFrame, dict[str, float]]:
    """Differences of all blocks, from texts; and the planted ones by draw.

    ``exchanged``: each arm says what the other would have said.
    """
    rng, topics = np.random.default_rng(seed), pool(TOPICS)
    names = ("draws", "block_size", "rounds", "panel", "judges", "arm_names")
    given = {name: getattr(study.settings, name) for name in names}
    rows = draw({row["topic_id"]: row for row in topics}, {**given, "stop": STOPS}, seed)
    of_topic = {row["topic_id"]: rng.normal(0.0, 0.05) for row in topics}
    kept: dict[tuple[str, str], float] = {}
    for row in rows:
        level = 0.5 + rng.uniform(-0.1, 0.1)
        if row["arm"] == "full":
            level += effect + of_topic[row["topic_id"]]
        kept[row["draw_id"], row["arm"]] = level
    if exchanged:
        others = {"full": "emergent", "emergent": "full", "again": "again"}
        kept = {(name, others[arm]): level for (name, arm), level in kept.items()}
    made = []
    for block in sorted({row["block"] for row in rows}):
        of_block = [row for row in rows if row["block"] == block]
        spoken = {
            row["session_id"]: turns_of(row, kept[row["draw_id"], row["arm"]])
            for row in of_block
            if row["session_id"] not in lost
        }
        outcomes = [{"session_id": row["session_id"]} for row in of_block]
        how = {**study.comparison.settings, "number": block}
        made += compare_block(spoken, outcomes, rows, topics, **how)  # type: ignore[arg-type]
    planted = {name: kept[name, "full"] - kept[name, "emergent"] for name, _ in kept}
    return pd.DataFrame(made), planted


def test_what_is_planted_in_texts_ends_the_study_and_is_in_its_interval() -> None:
    study = study_of()
    differences, planted = differences_of(study, effect=0.1, seed=1)
    # The reference again is no contrast that a study could stop by.
    assert {*differences["contrast"]} == {"full-emergent"}
    by_draw = differences.set_index("draw_id")["difference"]
    assert by_draw.to_dict() == pytest.approx(planted, abs=1e-9)
    looks = looks_of(differences, rule_of(study.settings))
    last = looks[-1]
    assert last["verdict"] == STOP and BLOCK < last["draws"] < DRAWS
    run = differences[differences["block"] <= last["block"]]
    assert last["estimate"] == pytest.approx(np.mean([planted[name] for name in run["draw_id"]]))
    assert last["ci_low"] < 0.1 < last["ci_high"] and last["ci_low"] > 0.0
    assert last["n_clusters"] == run["cluster"].nunique() == last["n"] / 2


@pytest.mark.thorough
def test_arms_that_change_places_seldom_end_a_study() -> None:
    """Where an arm changes nothing, its texts could as well be those of the reference."""
    study, studies = study_of(), 100
    texts, _ = differences_of(study, effect=0.0, seed=1)
    exchanged, _ = differences_of(study, effect=0.0, seed=1, exchanged=True)
    assert exchanged["difference"].to_numpy() == pytest.approx(-texts["difference"].to_numpy())
    rng, stopped = np.random.default_rng(1), 0
    for _ in range(studies):
        signs = dict(zip(texts["cluster"].unique(), rng.choice([-1.0, 1.0], TOPICS), strict=True))
        drawn = texts.assign(difference=texts["difference"] * texts["cluster"].map(signs))
        stopped += looks_of(drawn, rule_of(study.settings))[-1]["verdict"] == STOP
    assert stopped / studies <= 0.05 + 2 * (0.05 * 0.95 / studies) ** 0.5


def test_a_lost_session_leaves_its_difference_out_and_no_other() -> None:
    study = study_of()
    whole, _ = differences_of(study, effect=0.1, seed=1)
    lost = frozenset({f"{whole['draw_id'].iloc[3]}-full"})
    without, _ = differences_of(study, effect=0.1, seed=1, lost=lost)
    missing = without["difference"].isna()
    assert without.loc[missing, "draw_id"].tolist() == [whole["draw_id"].iloc[3]]
    pd.testing.assert_frame_equal(without[~missing], whole[~missing])
    how = {**study.comparison.settings, "number": 2}
    assert compare_block({}, [], [], pool(2), **how) == []  # type: ignore[arg-type]


def test_a_block_that_most_does_not_fill_is_a_sentence() -> None:
    given = {"draws": 12, "block_size": 6, "rounds": 2, "panel": ["m"], "judges": []}
    topics = {row["topic_id"]: row for row in pool(4)}
    stop = {**STOPS, "most": 5}
    with pytest.raises(SettingError, match=r"deliberation\.stop\.most holds 5, and a block has"):
        draw(topics, {**given, "arm_names": ["a"], "stop": stop}, 1)


def test_what_is_registered_has_the_rule_and_a_study_of_no_other_debates_cannot_stop() -> None:
    said = " ".join(study_of(stop={"half_width": 0.1, "most": 36}).registered({}, 1).tests)
    assert "has a half width of 0.1 or less" in said and "36 draws at most" in said
    without = study_of(stop=None)
    assert "looked at" not in " ".join(without.registered({}, 1).tests)
    assert "looks" not in [figure.name for figure in without.figures]
    assert [figure.name for figure in study_of().figures][-1] == "looks"
    assert study_of().never_stops == ""
    alone = study_of(arms={"emergent": {}, "again": {}})
    assert "none of its debates differ from those of emergent" in alone.never_stops


def judged(run: Run) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """The contrasts of a run that was judged by one arm at its only look, and that look."""
    compared = [Contrast.of("crit", "emergent")]
    blocks = dict.fromkeys(run.metrics["draw_id"], 1)
    differences = paired_differences(run.metrics, compared, PRIMARY, Columns(), blocks)
    looks = looks_of(pd.DataFrame(differences), rule_of(study_of().settings))
    rows = contrast_arms(run.metrics, run.manifest, "emergent", 0.95, 500, 1, looks=looks)
    return pd.DataFrame(rows), looks


def test_headline_figure_and_table_have_the_last_look() -> None:
    run = make_run(24, ("emergent", "crit", "full"))
    rows, looks = judged(run)
    headlines = rows[rows["headline"].to_numpy(dtype=bool)].set_index("contrast")
    assert headlines["method"].to_dict() == {
        "crit-emergent": ANYTIME,
        "full-emergent": HEADLINE,
    }
    stopped_by = headlines.loc["crit-emergent"]
    for name in ("estimate", "ci_low", "ci_high", "p_value"):
        assert stopped_by[name] == looks[-1][name]
    # All others are as without looks.
    plain = pd.DataFrame(contrast_arms(run.metrics, run.manifest, "emergent", 0.95, 500, 1))
    others = rows[rows["method"] != ANYTIME].reset_index(drop=True)
    pd.testing.assert_frame_equal(others.drop(columns="headline"), plain.drop(columns="headline"))
    artefacts = Artefacts({}, {**run.artefacts.loaded, "contrasts": rows})
    table = contrast_tables.table_contrasts(artefacts, run.view())
    assert f"hold at all looks (anytime-valid; {SYMMETRY})" in table.note
    (row,) = [row for row in table.rows if row[0] == "crit"]
    assert f"[{looks[-1]['ci_low']:.3f}, {looks[-1]['ci_high']:.3f}]" in row
    assert SYMMETRY in contrasts.describe(artefacts, run.view())["looks"]
    # Adjusted over the arms of the looks, which an arm that is left out is none of.
    (sentence, *_) = headline.state(artefacts, run.view()).headlines
    assert "after Holm over 1 arm:" in told(sentence)[0]


def diagnosed(arms: dict[str, Any], simulations: int) -> pd.DataFrame:
    dumped = {name: ArmSettings.model_validate(arm).model_dump() for name, arm in arms.items()}
    values = study_values(rounds=2, arms=dumped)
    values["diagnosis"] |= {"simulations": simulations, "effects": [0.0, 1.2], "sessions": 2}
    given = {"draws": TOPICS, "block_size": 4, "stop": STOPS, "compared": list(arms)}
    topics = {row["topic_id"]: row for row in topic_rows()[:TOPICS]}
    rows = diagnose(topics, {**values, **given, "inference.confidence": 0.95}, 1)
    return pd.DataFrame(rows).set_index(["world", "true", "estimator"])


@pytest.mark.thorough
def test_simulated_studies_that_stop_find_what_is_there_and_nothing_else() -> None:
    simulations = 50
    error = 2 * (0.05 * 0.95 / simulations) ** 0.5
    rows = diagnosed(ARMS, simulations)
    for world in ("topics_differ", "sharp_null"):
        null = rows.loc[world, 0.0, ANYTIME]
        assert null["rejection"] <= 0.05 + error and null["coverage"] >= 0.95 - error
        assert null["saved"] < 0.05
    # Sign flips take differences to be symmetric; the diagnosis says what it costs if they are not.
    skewed_null = rows.loc[SKEWED, 0.0, ANYTIME]
    assert skewed_null["simulations"] == simulations
    assert skewed_null["rejection"] > 0.05 + error and skewed_null["coverage"] < 0.95 - error
    assert (SKEWED, 0.0, HEADLINE) not in rows.index
    planted = rows.loc["topics_differ", 1.2, ANYTIME]
    assert planted["rejection"] > 0.8 and 0.1 < planted["saved"] < 0.8
    assert planted["coverage"] >= 0.95 - error
    assert pd.isna(rows.loc["topics_differ", 1.2, HEADLINE]["saved"])
    # The reference again stops no study of another arm, but studies of its own.
    assert rows.loc[as_run("again"), 0.0, ANYTIME]["saved"] < 0.05
