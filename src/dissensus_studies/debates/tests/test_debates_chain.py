"""What is planted in imported texts is found by the last estimate, and nothing where nothing is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..outcomes import OUTCOMES
from ..turns import read_table
from .imported_runs import Run, run_of, unit

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnr"]


def debates(
    rng: np.random.Generator, arm: str, copies: float, sessions: int, speakers: int = 3
) -> Iterator[dict[str, Any]]:
    """Two rounds of turns of twelve words, of which a share is copied from the turn before."""
    for number in range(sessions):
        before: list[str] = []
        truth = str(rng.choice(["yes", "no"]))
        for turn in range(2 * speakers):
            words = list(rng.choice(WORDS, 12))
            for place in range(12):
                if before and rng.random() < copies:
                    words[place] = before[place]
            before = words
            yield {
                "session": f"{arm}-{number}",
                "arm": arm,
                "item": f"q{number}",
                "speaker": f"a{turn % speakers}",
                "model": "some-model",
                "round": turn // speakers + 1,
                "text": " ".join(words),
                "value": truth if turn >= speakers and rng.random() < copies else "maybe",
                "truth": truth,
            }


def by_hand(turns: list[dict[str, Any]]) -> dict[str, float]:
    """The measures of one session, from their definitions."""
    said: dict[str, list[str]] = {}
    for turn in turns:
        said.setdefault(turn["speaker"], []).extend(turn["text"].split())
    shares = [
        {word: n / len(words) for word, n in Counter(words).items()} for words in said.values()
    ]
    mixed: Counter[str] = Counter()
    for share in shares:
        mixed.update({word: p / len(shares) for word, p in share.items()})  # type: ignore[misc]

    def entropy(share: Any) -> float:
        return -sum(p * math.log(p) for p in share.values())

    jsd = entropy(mixed) - sum(map(entropy, shares)) / len(shares)
    vectors = [unit(turn["text"]) for turn in turns]
    cosines = [float(a @ b) for a, b in combinations(vectors, 2)]
    kernel = np.array([[float(a @ b) for b in vectors] for a in vectors]) / len(vectors)
    weights = np.linalg.eigvalsh(kernel)
    weights = weights[weights > 1e-12]
    reused = [
        SequenceMatcher(None, a["text"].split(), b["text"].split(), autojunk=False).ratio()
        for a, b in pairwise(turns)
    ]
    return {
        "s_lex": 1 - jsd / math.log(len(shares)),
        "s_sem": sum(cosines) / len(cosines),
        "vendi": math.exp(-sum(w * math.log(w) for w in weights)),
        "reuse": sum(reused) / len(reused),
        "words": 12.0,
        "turns": float(len(turns)),
        "speakers": float(len(said)),
    }


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[dict[str, Any]]]:
    rng = np.random.default_rng(7)
    turns = [*debates(rng, "apart", 0.0, 24), *debates(rng, "alike", 0.6, 24)]
    folder = tmp_path_factory.mktemp("planted")
    return run_of(folder, turns, arms=["apart", "alike"], paired_by="item"), turns


def test_measures_are_what_their_definitions_give(
    planted: tuple[Run, list[dict[str, Any]]],
) -> None:
    run, turns = planted
    for name in ("apart-3", "alike-0"):
        expected = by_hand([turn for turn in turns if turn["session"] == name])
        (row,) = run.metrics[run.metrics["source_session"] == name].to_dict("records")
        assert {key: row[key] for key in expected} == pytest.approx(expected, abs=1e-5)


def test_copied_words_are_found_by_every_measure(
    planted: tuple[Run, list[dict[str, Any]]],
) -> None:
    run, _ = planted
    signs = {"s_lex": 1, "s_sem": 1, "vendi": -1, "reuse": 1, "changed": 1, "gain": 1}
    for outcome, sign in signs.items():
        row = run.contrast(outcome, "alike", "apart", "cluster_robust")
        assert row["n"] == row["n_clusters"] == 24
        assert sign * row["estimate"] > 0 and row["p_adjusted"] < 0.001
        frame = run.metrics.pivot(index="item", columns="arm", values=outcome)
        assert row["estimate"] == pytest.approx((frame["alike"] - frame["apart"]).mean())
    assert run.contrast("s_lex", "alike", "apart", "cluster_robust")["headline"]
    later = run.contrasts_by_round
    assert set(later["round"]) == {1, 2}


def test_the_headline_is_of_the_primary_outcome(tmp_path: Path) -> None:
    """By a fraction of speakers who end right that is planted, paired and by means of arms."""
    rng = np.random.default_rng(13)
    turns = [*debates(rng, "apart", 0.1, 24), *debates(rng, "alike", 0.7, 24)]
    for paired_by in ("item", "none"):
        folder = tmp_path / paired_by
        folder.mkdir()
        block = {"arms": ["apart", "alike"], "paired_by": paired_by, "primary": "right_last"}
        run = run_of(folder, turns, embedder=None, **block)
        rows = run.contrasts[run.contrasts["headline"]]
        (headline,) = rows[rows["method"] == "cluster_robust"].to_dict("records")
        assert headline["outcome"] == "right_last"
        right = {
            arm: np.mean([t["value"] == t["truth"] for t in turns if t["arm"] == arm and
                          t["round"] == 2]) for arm in ("apart", "alike")
        }  # fmt: skip
        assert headline["estimate"] == pytest.approx(right["alike"] - right["apart"])
        # It is a family of its own, so that nothing is added to its p-value.
        assert headline["p_adjusted"] == headline["p_value"] < 0.001
        others = run.contrasts[run.contrasts["outcome"] == "s_lex"]
        assert not others["headline"].any()


def test_what_models_took_is_added_up_where_it_is_known_of_each_turn(tmp_path: Path) -> None:
    models = [
        {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.25, "model": "m"},
        {"input_tokens": 30, "output_tokens": 7, "cost_usd": None, "model": "m"},
        {"input_tokens": None, "output_tokens": None, "cost_usd": None, "person": True},
    ]
    first = [{"session": "a", "speaker": f"x{n}", "text": "So."} | m for n, m in enumerate(models)]
    unknown = {**first[0], "session": "b"}, {**first[1], "session": "b", "input_tokens": None}
    run = run_of(tmp_path, [*first, *unknown])
    known, other = run.metrics.to_dict("records")
    # A person takes none; a cost that one turn lacks is not known of the session.
    assert known["model_tokens"] == 52 and math.isnan(known["cost"])
    assert math.isnan(other["model_tokens"])


def test_values_move_as_they_were_planted(planted: tuple[Run, list[dict[str, Any]]]) -> None:
    """Nobody is right at first; in the second round the share that copies is."""
    run, turns = planted
    alike = run.metrics[run.metrics["arm"] == "alike"]
    right = [
        turn["value"] == turn["truth"]
        for turn in turns
        if turn["arm"] == "alike" and turn["round"] == 2
    ]
    assert alike["gain"].mean() == pytest.approx(np.mean(right))
    assert alike["right_last"].mean() == pytest.approx(np.mean(right))
    assert (alike["agreement_first"] == 1).all()


@pytest.mark.thorough
def test_where_nothing_is_planted_nothing_is_found(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    p_values = []
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        turns = [*debates(rng, "one", 0.3, 10), *debates(rng, "other", 0.3, 10)]
        run = run_of(folder, turns, arms=["one", "other"], paired_by="item", embedder=None)
        p_values.append(run.contrast("s_lex", "other", "one", "cluster_robust")["p_value"])
    # Of twenty tests at 5%, five are significant once in four hundred times.
    assert sum(p < 0.05 for p in p_values) < 5
    assert min(p_values) > 0.0005 and np.mean(p_values) == pytest.approx(0.5, abs=0.25)


def test_arms_that_have_nothing_in_common_are_compared_by_their_means(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    turns = [*debates(rng, "people", 0.0, 15), *debates(rng, "models", 0.6, 20)]
    for turn in turns:
        turn["person"] = turn["arm"] == "people"
        turn["model"] = "" if turn["person"] else "some-model"
        del turn["item"]
    run = run_of(tmp_path, turns, arms=["people", "models"], embedder=None)
    row = run.contrast("s_lex", "models", "people", "cluster_robust")
    means = run.metrics.groupby("arm")["s_lex"].mean()
    assert row["estimate"] == pytest.approx(means["models"] - means["people"])
    assert (row["n"], row["headline"]) == (35, True) and row["p_value"] < 0.001
    # Welch's standard error is CR2's where each session is a cluster.
    spread = run.metrics.groupby("arm")["s_lex"].var() / run.metrics.groupby("arm").size()
    assert row["se"] == pytest.approx(math.sqrt(spread.sum()), rel=1e-6)
    assert not run.metrics["s_sem"].notna().any()
    assert {turn["person"] for turn in run.gathered.turns} == {True, False}


def test_several_sessions_of_a_pair_count_by_their_mean(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    turns = [*debates(rng, "one", 0.1, 6), *debates(rng, "other", 0.5, 12)]
    for turn in turns:
        turn["item"] = f"q{int(turn['session'].partition('-')[2]) % 6}"
    run = run_of(tmp_path, turns, arms=["one", "other"], paired_by="item", embedder=None)
    frame = run.metrics.groupby(["item", "arm"])["s_lex"].mean().unstack("arm")
    row = run.contrast("s_lex", "other", "one", "cluster_robust")
    assert row["n"] == 6
    assert row["estimate"] == pytest.approx((frame["other"] - frame["one"]).mean())


def test_speakers_who_err_alike_are_worth_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    turns = []
    for number in range(40):
        truth, shared = int(rng.integers(10)), int(rng.integers(10))
        for arm in ("together", "apart"):
            for seat in range(3):
                value = shared if arm == "together" else int(rng.integers(10))
                turns.append(
                    {"session": f"{arm}{number}", "arm": arm, "speaker": f"a{seat}", "model": "m"}
                    | {"text": "So be it.", "value": value, "truth": truth}
                )
    run = run_of(tmp_path, turns, arms=["together", "apart"], embedder=None)
    worth = {row["arm"]: row["effective_number"] for row in run.effective}
    # Errors share the truth's variance: of independent values, half of each error's.
    assert worth["together"] == pytest.approx(1.0)
    assert worth["apart"] == pytest.approx(3 / (1 + 2 * 0.5), abs=0.35)
    assert {row["measure"] for row in run.effective} == {"distance"}


def test_what_is_not_known_stays_missing(tmp_path: Path) -> None:
    turns = [
        {"session": "a", "speaker": "Ana", "text": "One."},
        {"session": "a", "speaker": "Ana", "text": ""},
    ]
    run = run_of(tmp_path, turns)
    (row,) = run.metrics.to_dict("records")
    missing = {"s_lex", "s_sem", "reuse", "changed", "gain", "right_last", "agreement_last"}
    assert all(math.isnan(row[name]) for name in missing)
    assert (row["turns"], row["words"], row["speakers"]) == (1, 1, 1)
    first = run.gathered.turns[0]
    assert first["person"] is None and first["speaker"] == "S1" and first["value"] is None
    assert first["origin"] == "imported from turns.jsonl"
    assert not run.gathered.calls


def test_the_gain_is_of_those_with_two_values_and_speakers_say_something(tmp_path: Path) -> None:
    """Of three people one goes from wrong to right; the others have one value, and one no words."""
    said = [("a", "I say no.", "no"), ("b", "Well.", "yes"), ("a", "I see now.", "yes")]
    rows = [*said, ("c", "", "yes"), ("d", "", None)]
    turns = [
        {"session": "s", "speaker": name, "text": text, "value": value, "truth": "yes"}
        for name, text, value in rows
    ]
    run = run_of(tmp_path, turns)
    (row,) = run.metrics.to_dict("records")
    assert (row["gain"], row["changed"], row["right_last"]) == (1.0, 1.0, 1.0)
    # c has a value and no words, d neither.
    assert (row["speakers"], row["turns"]) == (2, 3)
    for name in ("gain", "changed"):
        assert "two values or more" in OUTCOMES[name].meaning
        assert "who have two" in OUTCOMES[name].words(name)
    table = read_table(tmp_path / "turns.jsonl", {}, {})
    assert (table.turns, table.wordless) == (3, 2)
