"""From planted ways of being moved, through texts, to the last estimate."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.design.contrasts import HEADLINE, METHODS, RANDOMISATION, Options
from dissensus.design.declared import ALL
from dissensus.design.diagnosis import HOLM
from dissensus.errors import SettingError
from dissensus.llm.providers.behaviours import check_speech
from made_frames import frame_of
from marking import thorough_but

from ..diagnosis import diagnose
from ..inference import (
    LOG_RANK,
    PRIMARY,
    contrast_arms,
    estimate_arms,
    planted_values,
)
from ..records import METRICS
from ..simulated import SpeechSettings, expert_vote
from ..wording import UNLEARNED
from .consensus_runs import CONFIG, FOLDERS, STILL, by_argument, run, statements, study

#: Off the defaults, with an effect for every strategy that can have one.
SPEECH: dict[str, Any] = {
    **STILL,
    **{"stubbornness": 0.2, "conformity": 0.15, "drift": 0.1, "disagreement": 1.3, "noise": 0.5},
    "meets": {"discuss": 0.2, "consensus": 0.3, "compromise": 0.6, "reconcile": 0.4},
    "susceptibility": {
        **{"moderator": 0.5, "nudger": 0.7, "credible": 0.6, "sentimental": 0.4},
        **{"alliance": 0.7, "opposites": 0.6},
    },
}
#: The measures of votes, all of which are planted; the cosine has a test of its own.
MEASURES = (
    *("consensus_round", "majority_round", "switches", "agreement", "compromise"),
    *("dogmatic", "sycophancy", "match", "consensus", "match_levels"),
)
#: Agents alone and one of each way to move them: a wording, an expert, a side, other messages.
ARMS = {"debate": "debate", "again": "debate"} | {
    name: name for name in ("compromise", "credible", "alliance", "reconcile")
}
#: Those of the same ways, which only `make test-all` plays.
OTHERS = {name: name for name in UNLEARNED if name == "debate" or name not in ARMS}


@cache
def whole(others: bool = False) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Votes, metrics and planted values of strategies on all statements of one split."""
    arms = OTHERS if others else ARMS
    votes, metrics, manifest = run(SPEECH, arms, statements=None)
    drawn = pd.DataFrame(manifest)
    items = pd.DataFrame(statements().values())
    return (
        votes,
        metrics,
        pd.DataFrame(planted_values(drawn, items, dict.fromkeys(arms, SPEECH), "debate", 1)),
    )


@pytest.mark.parametrize("arm", thorough_but({**ARMS, **OTHERS}, *ARMS))
def test_every_measure_is_what_was_planted(arm: str) -> None:
    _, metrics, planted = whole() if arm in ARMS else whole(others=True)
    own = metrics[metrics["arm"] == arm]
    assert len(own) == 48 and own["complete"].all()
    true = planted[(planted["arm"] == arm) & (planted["domain"] == ALL)].set_index("outcome")
    for measure in MEASURES:
        values = own[measure].to_numpy(dtype=float)
        error = max(values.std(ddof=1), 0.2) / np.sqrt(len(values))
        assert abs(values.mean() - true.loc[measure, "true"]) < 4 * error, measure


def test_the_error_of_a_planted_effect_is_that_of_two_independent_means() -> None:
    rows = whole()[2].query("domain == @ALL and outcome == 'consensus'").set_index("arm")
    sessions = len(statements()) // 2 * 400
    for arm, row in rows.iterrows():
        # A share p of n has the standard error sqrt(p (1 - p) / (n - 1)).
        ends = np.array([row["true"], rows.loc["debate", "true"]])
        error = np.sqrt((ends * (1 - ends) / (sessions - 1)).sum())
        assert row["effect_se"] == pytest.approx(0.0 if arm == "debate" else error)


def test_debates_that_came_out_alike_have_no_interval() -> None:
    frame = whole()[1].query("arm == 'debate'").assign(agreement=0.75)
    every = pd.DataFrame(estimate_arms(frame, 5, 0.95))
    courses = set(every.loc[every["outcome"].str.startswith("consensus_by"), "outcome"])
    assert courses == {f"consensus_by_{round_}" for round_ in range(1, 6)}
    rows = every.query("outcome == 'agreement'")
    assert (rows["estimate"] == 0.75).all()
    assert rows["ci_low"].isna().all() and rows["ci_high"].isna().all()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_none_or_all_is_not_certain(share: float) -> None:
    metrics = whole()[1]
    nine = metrics["statement_id"].drop_duplicates()[:9]
    frame = metrics[metrics["statement_id"].isin(nine)].query("arm == 'debate'")
    frame = frame.assign(consensus=bool(share), consensus_round=1.0, match=share, switches=0)
    rows = pd.DataFrame(estimate_arms(frame, 5, 0.95)).set_index(["domain", "outcome"])
    # Clopper and Pearson's: nine of nine happen in 2.5% of runs at this share.
    least = 0.025 ** (1 / 9)
    for outcome in ("consensus", "match", "consensus_by_1", "consensus_by_5"):
        row = rows.loc[(ALL, outcome)]
        limits = (0.0, 1 - least) if share == 0.0 else (least, 1.0)
        assert row["n_clusters"] == 9 and row["estimate"] == share
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(limits, abs=1e-6)
    # Rounds and numbers of switches are no shares.
    assert np.isnan(rows.loc[(ALL, "switches"), "ci_low"])


def test_beside_real_agents_and_without_sessions_nothing_is_planted() -> None:
    _, _, manifest = run(SPEECH, {"debate": "debate", "again": "debate"}, statements=1)
    drawn, items = pd.DataFrame(manifest), pd.DataFrame(statements().values())
    assert planted_values(drawn, items, {"debate": None, "again": SPEECH}, "debate", 1) == []
    own = dict.fromkeys(("debate", "again"), SPEECH)
    assert planted_values(drawn.iloc[:0], items, own, "debate", 1) == []
    assert planted_values(drawn, items, own, "debate", 1)


def test_effects_are_those_planted_and_the_second_name_has_none() -> None:
    _, metrics, planted = whole()
    rows = pd.DataFrame(
        contrast_arms(metrics, list(ARMS), "debate", Options(0.95, 2000, 1))
    ).set_index(["domain", "arm", "outcome", "method"])
    effects = planted.set_index(["domain", "arm", "outcome"])["effect"]
    for arm in ARMS:
        if arm == "debate":
            continue
        for outcome in ("agreement", "compromise", "match"):
            row = rows.loc[ALL, arm, outcome, HEADLINE]
            assert abs(row["estimate"] - effects[ALL, arm, outcome]) < 4 * row["se"], (arm, outcome)
    found = rows.loc[ALL, "compromise", PRIMARY, HEADLINE]
    assert found["headline"] and found["p_adjusted"] < 0.001 and found["n_clusters"] == 48
    own = rows.xs("again", level="arm").xs(ALL, level="domain")
    assert (own["p_adjusted"].dropna() > 0.05).all()
    assert abs(effects[ALL, "again", PRIMARY]) < 0.02
    # Only one comparison of the primary outcome is a headline in each arm.
    assert int(rows["headline"].sum()) == len(ARMS) - 1
    assert rows.loc[ALL, "compromise", "consensus_round", LOG_RANK]["p_adjusted"] < 0.01


def test_stubbornness_and_conformity_are_read_back_from_votes() -> None:
    speech = {**STILL, "stubbornness": 0.37, "conformity": 0.45}
    votes, _, _ = run(speech, {"debate": "debate"}, statements=None, repeats=3)
    rounds = votes.pivot(index=["session_id", "agent"], columns="round", values="vote")
    moves = stays = 0
    for _, own in rounds.groupby("session_id"):
        table = own.to_numpy(dtype=float)
        for before, after in zip(table.T, table.T[1:], strict=False):
            if np.isnan(after).any():
                break
            values, counts = np.unique(before, return_counts=True)
            if (counts == counts.max()).sum() > 1:
                assert (before == after).all()
                continue
            mode = values[counts.argmax()]
            off = before != mode
            moves += int((after[off] == mode).sum())
            stays += int((after[off] == before[off]).sum())
            assert ((after == mode) | (after == before)).all()
    rate = (1 - 0.37) * 0.45
    n = moves + stays
    assert n > 500
    assert abs(moves / n - rate) < 4 * np.sqrt(rate * (1 - rate) / n)


def test_all_stubborn_is_no_switch_and_all_conforming_is_consensus_in_round_two() -> None:
    arms = {"debate": "debate"}
    _, still, _ = run({**STILL, "stubbornness": 1.0, "repeats": 1.0}, arms, by_argument)
    assert (still["switches"] == 0).all() and (still["cosine"] == 1.0).all()
    assert still["sycophancy_of_switches"].isna().all()
    untied = still[~still["tie"].astype(bool)]
    assert np.allclose(untied["dogmatic"], 1 - untied["agreement"].astype(float))
    _, moved, _ = run({**STILL, "conformity": 1.0, "noise": 0.0}, arms)
    assert (moved["switches"].astype(float) > 0).any()
    led = moved[moved["switches"].astype(float) > 0]
    assert (led["sycophancy_of_switches"] == 1.0).all()
    assert (led["consensus_round"] == 2).all() and led["consensus"].all()
    assert (led["dogmatic"] == 0.0).all()


def test_the_cosine_is_what_the_words_plant() -> None:
    """With a vector for each argument, the cosine is the share that ended with the first one."""
    speech = {**SPEECH, "repeats": 0.6}
    votes, metrics, _ = run(speech, {"debate": "debate"}, by_argument, statements=None, repeats=2)
    ends = votes.groupby(["session_id", "agent"])["vote"].agg(["first", "last", "size"])
    same = ends["first"] == ends["last"]
    later = ends["size"] > 1
    # Twice the usual one, or twice the same of the three others; sure where there is one round.
    chance = np.where(same, np.where(later, 0.6**2 + 0.4**2 / 3, 1.0), 0.0)
    sizes = ends.groupby("session_id").size()
    expected = pd.Series(chance, index=ends.index).groupby("session_id").mean().mean()
    error = metrics["cosine"].astype(float).std() / np.sqrt(len(sizes))
    assert abs(metrics["cosine"].astype(float).mean() - expected) < 4 * error


def test_alignment_and_the_position_are_the_experts() -> None:
    votes, metrics, _ = whole()
    own = metrics[metrics["arm"] == "credible"]
    traits = SpeechSettings.model_validate(SPEECH).traits
    for _, row in own.iterrows():
        item = statements()[row["statement_id"]]
        truth = range(item["truth_low"], item["truth_high"] + 1)
        position = expert_vote(item["statement"], truth, traits)
        cast = votes[votes["session_id"] == row["session_id"]]
        ends = [cast[cast["round"] == r]["vote"] for r in (1, cast["round"].max())]
        expected = float((ends[1] == position).mean() - (ends[0] == position).mean())
        if row["rounds_lasted"] == 1:
            assert np.isnan(row["alignment"])
        else:
            assert row["alignment"] == pytest.approx(expected)
    assert own["alignment"].mean() > 0.2
    assert metrics[metrics["arm"] != "credible"]["alignment"].isna().all()
    assert metrics[metrics["arm"] == "reconcile"]["weighted_match"].notna().all()


def test_votes_that_go_unread_and_secrets_that_are_told_are_counted() -> None:
    speech = {**STILL, "unreadable_rate": 0.8, "leak_rate": 0.9}
    votes, metrics, _ = run(speech, {"nudger": "nudger", "debate": "debate"})
    # .8, then a quarter of it twice: .8 * .2 * .2.
    lost = float((votes["vote"] == -1).mean())
    assert abs(lost - 0.032) < 4 * np.sqrt(0.032 * 0.968 / len(votes))
    nudged = metrics[metrics["arm"] == "nudger"]
    told, asked = nudged["withheld"].sum(), nudged["extra_turns"].sum()
    rate = 0.9 * 0.225**2
    assert abs(told / asked - rate) < 4 * np.sqrt(rate * (1 - rate) / asked)
    assert (metrics[metrics["arm"] == "debate"]["withheld"] == 0).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"conformity": 0.9, "drift": 0.2}, "conformity holds 0.9"),
        ({"meets": {"moderator": 0.1}}, "'moderator' is none of debate, discuss"),
        ({"susceptibility": {"debate": 0.1}}, "'debate' is none of moderator"),
        ({"domains": {"x": "nowhere"}}, "there is no file nowhere/statements.csv"),
    ],
)
def test_wrong_speech_is_one_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        check_speech("dissensus_studies.consensus.simulated", {**STILL, **change})


def log_rank(times: list[list[int]], events: list[list[bool]]) -> float:
    """Observed less expected events of the first sample, term by term (Mantel 1966)."""
    pooled = sorted(
        {t for ts, es in zip(times, events, strict=True) for t, e in zip(ts, es, strict=True) if e}
    )
    gap = 0.0
    for when in pooled:
        at_risk = [sum(t >= when for t in ts) for ts in times]
        died = [
            sum(t == when and e for t, e in zip(ts, es, strict=True))
            for ts, es in zip(times, events, strict=True)
        ]
        gap += died[0] - sum(died) * at_risk[0] / sum(at_risk)
    return gap


def exchanged_log_rank(times: list[list[int]], events: list[list[bool]], topics: str) -> float:
    """Share of the ways to exchange arms by topic that put the log-rank as far from zero."""
    gaps = []
    names = sorted(set(topics))
    for ways in product((False, True), repeat=len(names)):
        chosen = dict(zip(names, ways, strict=True))
        sides = [[int(chosen[t]) ^ side for t in topics] for side in (0, 1)]
        swapped = [
            [[part[s][i] for i, s in enumerate(side)] for side in sides] for part in (times, events)
        ]
        gaps.append(abs(log_rank(*swapped)))
    return float(np.mean([gap >= gaps[0] - 1e-9 for gap in gaps]))


@pytest.mark.parametrize("statements", ["abcdef", "aabbcd"])
def test_log_rank_is_that_of_the_terms_and_tells_round_five_from_never(statements: str) -> None:
    times = [[2, 3, 5, 5, 5, 4], [5, 5, 5, 5, 3, 5]]
    events = [[True, True, True, True, False, True], [False, False, True, False, True, False]]
    given = pd.DataFrame(
        {
            "arm": ["a"] * 6 + ["b"] * 6,
            "domain": "city",
            "draw_id": [f"c{i}" for i in range(6)] * 2,
            "statement_id": [*statements, *statements],
            "complete": True,
            "consensus": [*events[0], *events[1]],
            "consensus_round": [*times[0], *times[1]],
        }
    )
    frame = frame_of(METRICS, given)
    rows = contrast_arms(frame, ["a", "b"], "b", Options(0.95, 500, 1))
    (found,) = [r for r in rows if r["method"] == LOG_RANK and r["domain"] == ALL]
    assert found["p_value"] == pytest.approx(exchanged_log_rank(times, events, statements))
    assert (found["n"], found["n_clusters"]) == (6, len(set(statements)))
    # The mean restricted to five rounds counts those who never agreed as five.
    estimates = {
        (r["arm"], r["outcome"]): r["estimate"]
        for r in estimate_arms(frame, 5, 0.95)
        if r["domain"] == ALL
    }
    assert estimates["a", "consensus_round"] == 4.0
    assert estimates["a", "consensus_by_5"] == pytest.approx(5 / 6)
    assert estimates["b", "consensus_by_4"] == pytest.approx(1 / 6)


def diagnosed(arms: int, simulations: int, meets: list[float]) -> pd.DataFrame:
    block = CONFIG["consensus"]
    settings = {
        **{name: block[name] for name in ("splits", "statements", "repeats", "rounds")},
        "domains": FOLDERS,
        "compared": list(map(str, range(arms))),
        "diagnosis": {**block["diagnosis"], "simulations": simulations, "meets": meets},
        "inference.confidence": 0.95,
    }
    return pd.DataFrame(diagnose(statements(), settings, CONFIG["seed"])).set_index(
        ["true", "estimator"]
    )


@pytest.mark.thorough
def test_no_test_finds_the_second_name_more_often_than_its_level() -> None:
    frame = diagnosed(arms=2, simulations=500, meets=[0.0])
    for method in METHODS:
        row = frame.loc[0.0, method]
        assert row["simulations"] == 500
        assert 0.03 <= row["rejection"] <= 0.07, method
        assert abs(row["bias"]) < 4 * row["bias_se"]
    assert frame.loc[(0.0, HEADLINE), "coverage"] > 0.92


@pytest.mark.thorough
def test_the_default_run_finds_what_is_planted_in_compromise() -> None:
    meets = CONFIG["models"]["consensus-agent"]["speech"]["meets"]["compromise"]
    frame = diagnosed(len(study().settings.compared), 120, [meets]).reset_index("true")
    assert frame.loc[HEADLINE + HOLM, "rejection"] >= 0.9
    row = frame.loc[HEADLINE]
    assert row["true"] > 0.2 and abs(row["bias"]) < 4 * row["bias_se"]
    assert frame.loc[RANDOMISATION, "rejection"] >= 0.9
