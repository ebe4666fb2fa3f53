"""The measures as functions, against numbers by hand and those of a run."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon

from dissensus import measures
from dissensus.measures import similarity
from dissensus.text.embeddings import embedder
from support import ROOT, Project
from test_reproduced import reproduced  # noqa: F401

PAGE = ROOT / "docs/library.md"


def test_lexical_similarity_is_scipys_divergence() -> None:
    found = measures.lexical_similarity(["a b b c", "a a b d"], tokenizer="words")
    one, other = [0.25, 0.5, 0.25, 0.0], [0.5, 0.25, 0.0, 0.25]
    assert found == pytest.approx(1 - jensenshannon(one, other, base=2) ** 2)
    assert measures.lexical_similarity(["a b", "a b"]) == 1.0
    assert measures.lexical_similarity(["red", "blue"], tokenizer="words") == 0.0


def test_texts_of_a_speaker_are_put_together() -> None:
    texts = ["a b", "c", "c", "a b"]
    together = measures.lexical_similarity(texts, speakers=["x", "x", "y", "y"], tokenizer="words")
    assert together == pytest.approx(1.0)
    assert math.isnan(measures.lexical_similarity(texts, speakers=["x"] * 4))


def test_semantic_similarity_of_equal_texts_is_one() -> None:
    assert measures.semantic_similarity(["A tree.", "A tree."]) == pytest.approx(1.0)
    near = measures.semantic_similarity(["A tall tree.", "A high tree."])
    far = measures.semantic_similarity(["A tall tree.", "Interest rates rose."])
    assert far < near < 1.0


def test_the_index_is_the_mean_of_z_scores() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"lexical": rng.normal(size=8), "semantic": rng.normal(size=8)})
    first = np.arange(8) < 5
    z = (frame - frame[first].mean()) / frame[first].std()
    found = measures.homogeneity(frame, first)
    assert found.to_numpy() == pytest.approx(z.mean(axis=1).to_numpy())
    lexical = measures.homogeneity(frame, first, weights=(1.0, 0.0))
    assert lexical.to_numpy() == pytest.approx(z["lexical"].to_numpy())


def test_the_effect_is_that_of_a_paired_t_test() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(20, 2))
    frame = pd.DataFrame(
        {"draw_id": d, "arm": arm, "y": values[d, a]}
        for d in range(20)
        for a, arm in enumerate("ab")
    )
    frame["draw_id"] = frame["draw_id"].map("d{:03d}".format)
    effect = measures.paired_effect(frame, "y", arm="b", reference="a").loc["cluster_robust"]
    expected = stats.ttest_rel(values[:, 1], values[:, 0])
    assert effect["p_value"] == pytest.approx(expected.pvalue)
    assert effect["n"] == 20
    lost = frame.assign(complete=frame.index > 0)
    assert measures.paired_effect(lost, "y", arm="b", reference="a")["n"].tolist() == [19, 19]
    with pd.option_context("display.width", 80):
        printed = str(measures.paired_effect(frame, "y", arm="b", reference="a"))
    assert "ci_low" in printed and "ci_high" in printed


FRAME = pd.DataFrame({"draw_id": ["d1"], "arm": ["a"], "y": [1.0]})


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: measures.lexical_similarity("one text"), "texts is one text; pass a list"),
        (lambda: measures.lexical_similarity(["one"]), "texts has 1 entries; at least 2"),
        (lambda: measures.semantic_similarity(["a", 1.5]), r"texts\[1\] is a float; pass texts"),
        (lambda: measures.lexical_similarity(["a", "b"], speakers=["x"]), "speakers has 1 entries"),
        (lambda: measures.similarities(FRAME), "turns has no column 'session_id'; it has draw_id"),
        (lambda: measures.homogeneity(FRAME, [True]), "measured has no column 'lexical'"),
        (
            lambda: measures.homogeneity(FRAME.assign(lexical=1.0, semantic=1.0), [True] * 2),
            r"reference has shape \(2,\); pass one truth value per session, \(1,\)",
        ),
        (
            lambda: measures.paired_effect(FRAME, "y", arm="b", reference="a"),
            "arm has no 'b'; it has a",
        ),
    ],
)
def test_a_wrong_argument_is_told_what_was_expected(wrong: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        wrong()


class KeptVectors:
    """The vectors that a run kept of its texts, of which the first are made again to be compared.

    To embed all debates of the run again takes 20 s; that each has its vector, the study's tests
    show.

    Parameters
    ----------
    folder : of the study's results.
    again : number of texts to embed again.
    """

    def __init__(self, folder: Path, again: int = 100) -> None:
        shards = sorted(folder.glob("shards/*/embeddings.parquet"))
        kept = pd.concat(map(pd.read_parquet, shards)).query("embedder == 'use-multilingual'")
        texts = pd.read_parquet(folder / "turns.parquet")[["session_id", "turn", "text"]]
        rows = kept.merge(texts, on=["session_id", "turn"])
        self._vectors = dict(zip(rows["text"], rows["vector"], strict=True))
        self._embedder, self._again = embedder("use-multilingual"), again

    def embed(self, texts: list[str]) -> Any:
        vectors = np.stack([self._vectors[text] for text in texts])
        if self._again > 0:
            self._again -= len(texts)
            assert self._embedder.embed(texts) == pytest.approx(vectors, abs=1e-6)
        return vectors


@pytest.mark.thorough
def test_the_page_gets_the_numbers_of_the_run(
    reproduced: Project,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(code.splitlines()) <= 30
    monkeypatch.chdir(reproduced.folder)
    folder = reproduced.results()
    vectors = KeptVectors(folder)
    monkeypatch.setattr(similarity, "_embedder", lambda _: vectors)
    names: dict[str, Any] = {}
    exec(code, names)
    made = pd.read_parquet(folder / "metrics.parquet").set_index("session_id")
    here = names["metrics"].set_index("session_id")
    for own, name in (("lexical", "s_lex"), ("semantic", "s_sem"), ("homogeneity", "hi_z")):
        kept = made[name].notna()
        assert here.loc[made.index, own][kept].to_numpy() == pytest.approx(
            made[name][kept].to_numpy(), abs=1e-6
        )
    effects = pd.read_parquet(folder / "language_effect.parquet")
    raw = effects[(effects["outcome"] == "hi_z") & (effects["contrast"] == "zh-en")]
    estimate = names["effect"].loc["cluster_robust", "estimate"]
    assert np.isclose(raw["estimate"].to_numpy(dtype=float), estimate, atol=1e-6).any()
