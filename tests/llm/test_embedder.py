"""Embeddings from a provider: batches, what is kept, and every wrong answer."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dissensus.errors import BudgetReached, ProviderError, ResourceError
from dissensus.llm.providers.embedder import RemoteEmbedder
from hostile import Asked, Hostile, Said, error, hostile, make_registry, prepare, provider

PRICES = (
    "provider,model,input_usd,cached_input_usd,output_usd,batch_factor,as_of,source\n"
    "p,e,1000,,0,,2026-01-01,https://example.org\n"
)


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def embedder(folder: Path, server: Hostile | str, **changes: Any) -> RemoteEmbedder:
    prices = folder / "prices.csv"
    prices.write_text(PRICES)
    run = {key: changes.pop(key) for key in ("budget_usd",) if key in changes}
    settings = {"p": provider(server, **changes)}
    made = make_registry(folder, settings, used=[], embedders=["p:e"], prices=prices, **run)
    return made.embedder("p:e", folder / "embeddings.jsonl")


def vector(text: str) -> list[float]:
    """Three numbers that only this text has."""
    return [float(len(text)), float(sum(map(ord, text))), 0.5]


def encoded(numbers: Any) -> str:
    return base64.b64encode(np.asarray(numbers, dtype="<f4").tobytes()).decode()


def rows(texts: list[str], as_floats: bool = False) -> list[dict[str, Any]]:
    return [
        {"index": index, "embedding": vector(text) if as_floats else encoded(vector(text))}
        for index, text in enumerate(texts)
    ]


def answers(change: Callable[[list[Any]], Any] = lambda made: made) -> Callable[[Asked], Said]:
    def say(asked: Asked) -> Said:
        data = change(rows(asked.body["input"]))
        usage = {"prompt_tokens": len(asked.body["input"]), "total_tokens": 1}
        return Said({"data": data, "model": "e-2026-01-01", "usage": usage})

    return say


def test_texts_go_in_batches_and_come_back_in_order(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(600)]
    with hostile(answers()) as server:
        made = embedder(tmp_path, server)
        found = made.encode(texts)
    assert [len(call.body["input"]) for call in server.calls] == [256, 256, 88]
    assert server.calls[0].body["model"] == "e"
    assert found.shape == (600, 3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [vector(text) for text in texts])
    replies = [call.reply for call in made.calls]
    assert [reply.input_tokens for reply in replies] == [256, 256, 88]
    assert replies[0].cost_usd == pytest.approx(256 * 1000 / 1e6)
    assert replies[0].answered_by == "e-2026-01-01"


def test_a_batch_holds_no_more_tokens_than_a_request_may(tmp_path: Path) -> None:
    with hostile(answers()) as server:
        embedder(tmp_path, server).encode(["x" * 300_000, "y" * 300_000, "z" * 300_000])
    assert [len(call.body["input"]) for call in server.calls] == [1, 1, 1]


def test_what_is_known_is_not_asked_for(tmp_path: Path) -> None:
    with hostile(answers()) as server:
        one = embedder(tmp_path, server)
        first = one.encode(["a", "bb", "a", "a"])
        assert [call.body["input"] for call in server.calls] == [["a", "bb"]]
        np.testing.assert_array_equal(first[0], first[2])
        one.encode(["bb", "a"])
        other = embedder(tmp_path, server)
        np.testing.assert_array_equal(other.encode(["a", "ccc"])[0], first[0])
        assert [call.body["input"] for call in server.calls] == [["a", "bb"], ["ccc"]]
    offline = embedder(tmp_path, "http://127.0.0.1:9/v1")
    assert offline.encode(["ccc", "bb"]).shape == (2, 3)
    assert len(offline.calls) == 2


def test_an_answer_is_put_in_order_by_index(tmp_path: Path) -> None:
    with hostile(answers(lambda made: made[::-1])) as server:
        found = embedder(tmp_path, server).encode(["a", "bb", "ccc"])
    np.testing.assert_allclose(found, [vector(text) for text in ("a", "bb", "ccc")])


def test_numbers_are_as_good_as_base64(tmp_path: Path) -> None:
    with hostile(lambda asked: Said({"data": rows(asked.body["input"], True)})) as server:
        found = embedder(tmp_path, server).encode(["a", "bb"])
    np.testing.assert_allclose(found, [vector("a"), vector("bb")])


def test_vectors_without_an_index_keep_their_order(tmp_path: Path) -> None:
    bare = answers(lambda made: [{"embedding": row["embedding"]} for row in made])
    with hostile(bare) as server:
        found = embedder(tmp_path, server).encode(["a", "bb"])
    np.testing.assert_allclose(found, [vector("a"), vector("bb")])


@pytest.mark.parametrize("most", [10, 1])
def test_a_server_that_takes_few_texts_and_no_base64_is_asked_for_less(
    tmp_path: Path, most: int
) -> None:
    def say(asked: Asked) -> Said:
        texts = asked.body["input"]
        if "encoding_format" in asked.body or len(texts) > most:
            return Said(error("openai", "Not so.", "invalid_request_error"), 400)
        return Said({"data": rows(texts, True), "usage": {"prompt_tokens": 1, "total_tokens": 1}})

    texts = [f"text {number}" for number in range(23)]
    with hostile(say) as server:
        made = embedder(tmp_path, server)
        np.testing.assert_allclose(made.encode(texts), [vector(text) for text in texts])
        made.encode(["one more"])
        assert "encoding_format" not in server.calls[-1].body
    taken = [call.keys for call in made.calls]
    assert max(map(len, taken)) == most and sum(map(len, taken)) == 24
    # What was rejected is in no journal.
    assert all(not call.reply.error for call in made.calls)


def each(change: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    return lambda made: [{**row, "embedding": change(row["embedding"])} for row in made]


WRONG: dict[str, Callable[[list[Any]], Any]] = {
    "too few": lambda made: made[1:],
    "too many": lambda made: [*made, {**made[0], "index": len(made)}],
    "none": lambda made: [],
    "null": lambda made: None,
    "one index": lambda made: [{**row, "index": 0} for row in made],
    "indices from one": lambda made: [{**row, "index": row["index"] + 1} for row in made],
    "several lengths": lambda made: [*made[:-1], {**made[-1], "embedding": encoded([1.0])}],
    "no base64": each(lambda _: "%%%"),
    "half a number": each(lambda _: base64.b64encode(b"12345").decode()),
    "no numbers": each(lambda _: []),
    "empty": each(lambda _: ""),
    "zeros": each(lambda _: [0.0, 0.0]),
    "NaN": each(lambda _: [1.0, float("nan")]),
    "infinite": each(lambda _: encoded([1.0, np.inf])),
    "too large": each(lambda _: [1e300, 1.0]),
    "a whole number without end": each(lambda _: [10**400]),
    "words": each(lambda _: ["a", "b"]),
    "nested": each(lambda _: [[1.0], [2.0]]),
    "an object": each(lambda _: {"a": 1}),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_answer_is_asked_for_again_and_leaves_nothing(tmp_path: Path, kind: str) -> None:
    wrong, right = answers(WRONG[kind]), answers()
    with hostile(wrong, right) as server:
        made = embedder(tmp_path, server)
        np.testing.assert_allclose(made.encode(["a", "bb"]), [vector("a"), vector("bb")])
        assert made.calls[0].reply.faults == ("malformed",)
        assert len(server.calls) == 2


def test_vectors_keep_the_length_of_those_before(tmp_path: Path) -> None:
    shorter = answers(each(lambda _: encoded([1.0, 2.0])))
    with hostile(answers(), shorter) as server:
        made = embedder(tmp_path, server, retries=1)
        made.encode(["a"])
        with pytest.raises(ProviderError, match=r"gave no vectors \(malformed\)"):
            made.encode(["bb"])
        assert embedder(tmp_path, server).encode(["a"]).shape == (1, 3)


def test_a_journal_of_two_models_is_named(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.jsonl"
    with hostile(answers()) as server:
        embedder(tmp_path, server).encode(["a"])
        embedder(tmp_path, server).encode(["bb"])
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines[0]["vectors"] = [encoded([1.0])]
        # As earlier versions wrote them.
        lines = [{k: v for k, v in line.items() if k != "line_sha256"} for line in lines]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with pytest.raises(ProviderError, match=r"embeddings\.jsonl holds vectors of several"):
            embedder(tmp_path, server).encode(["a", "bb"])


@pytest.mark.parametrize(
    "changes",
    [
        {"keys": 7},
        {"vectors": "AAAA"},
        {"vectors": [7]},
        {"vectors": []},
        {"reply": []},
        {"reply": {"text": "", "input_tokens": "many"}},
    ],
)
def test_a_line_of_another_shape_is_named(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = tmp_path / "embeddings.jsonl"
    line = {"key": "k", "keys": ["a"], "vectors": [encoded([1.0])], "reply": {"text": ""}}
    path.write_text(json.dumps({**line, **changes}) + "\n")
    with pytest.raises(ResourceError, match=r"embeddings\.jsonl: line 1 of the journal is damaged"):
        embedder(tmp_path, "http://127.0.0.1:9/v1")


def test_no_texts_have_no_vectors(tmp_path: Path) -> None:
    assert embedder(tmp_path, "http://127.0.0.1:9/v1").encode([]).shape == (0, 0)


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_text_without_words_is_named_before_anything_is_paid(tmp_path: Path, text: str) -> None:
    with hostile(answers()) as server:
        with pytest.raises(ProviderError, match="'p:e' was given a text without words"):
            embedder(tmp_path, server).encode(["a", text])
        assert not server.calls


def test_a_failure_in_the_second_batch_pays_the_first_once(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(300)]
    broken = Said(error("openai", "It broke"), 500)
    with hostile(answers(), broken, broken, answers()) as server:
        with pytest.raises(ProviderError, match=r"gave no vectors \(server_error\); start again"):
            embedder(tmp_path, server, retries=1).encode(texts)
        found = embedder(tmp_path, server).encode(texts)
    assert [len(call.body["input"]) for call in server.calls] == [256, 44, 44, 44]
    np.testing.assert_allclose(found, [vector(text) for text in texts])
    spent = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [line["input_tokens"] for line in spent] == [256, 44]


def test_embeddings_have_the_same_budget(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(600)]
    with hostile(answers()) as server:
        made = embedder(tmp_path, server, budget_usd=0.8)
        with pytest.raises(BudgetReached, match="raise budget_usd"):
            made.encode(texts)
        assert len(server.calls) == 1
        assert embedder(tmp_path, server, budget_usd=9.0).encode(texts).shape == (600, 3)
        assert len(server.calls) == 3


def test_faults_are_mended_and_told(tmp_path: Path) -> None:
    busy = Said(error("openai", "Wait", "rate_limit_error"), 429)
    with hostile(busy, Said(cut="body", body=b"x"), answers()) as server:
        made = embedder(tmp_path, server)
        made.encode(["a"])
    assert made.calls[0].reply.faults == ("rate_limit", "connection")
    assert made.calls[0].reply.faults_usd > 0.0


def test_a_text_that_is_rejected_stops_with_its_words(tmp_path: Path) -> None:
    with (
        hostile(Said(error("openai", "input is too odd"), 400)) as server,
        pytest.raises(ProviderError, match=r"rejects its requests \(input is too odd"),
    ):
        embedder(tmp_path, server).encode(["a"])
