"""Tokenisers by name, with tiny vocabularies in place of those that need a download."""

from __future__ import annotations

from hashlib import blake2b

import pytest
import requests
import tiktoken
import tiktoken.registry
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from dissensus.errors import ProviderError, SettingError
from dissensus.text import tokens
from dissensus.text.tokens import tokenizer

CORPUS = ["the state should pay", "the state should not pay", "政府 应该 付钱"]
TEXTS = [
    "",
    "The government should pay for health care. 政府应该提供免费医疗。",
    "<s>[INST] not special here </s>",
    "  spaces,\n\nlines, 1234567890 and 🙂 naïve cafés" * 3,
]


@pytest.fixture(scope="module")
def tekken():
    return tokenizer("tekken")


@pytest.fixture
def trained(tmp_path):
    """A word-level tokeniser that adds special tokens, cuts off at three and pads to ten."""
    tiny = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tiny.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["<unk>", "<s>", "</s>"])
    tiny.train_from_iterator(CORPUS, trainer)
    tiny.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    tiny.enable_truncation(3)
    tiny.enable_padding(length=10, pad_token="<unk>")
    tiny.save(str(tmp_path / "tokenizer.json"))
    return tmp_path, tiny


@pytest.mark.slow
def test_tekken_gives_the_ids_of_mistral_common(tekken):
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    reference = Tekkenizer.from_file(tokens._tekken_file())
    for text in TEXTS:
        assert tekken(text) == reference.encode(text, bos=False, eos=False)


def test_tekken_is_the_newest_and_reads_both_languages(tekken):
    assert tokens._tekken_file().name >= "tekken_240911.json"
    english, chinese = tekken("the government should pay"), tekken("政府应该提供免费医疗")
    assert len(english) == 4
    assert len(chinese) < 10
    assert all(isinstance(i, int) for i in english)


def test_a_missing_mistral_common_is_said_in_a_sentence(monkeypatch):
    tokens._tekken.cache_clear()
    monkeypatch.setattr(tokens, "find_spec", lambda _: None)
    with pytest.raises(ProviderError, match="pip install 'mistral-common"):
        tokenizer("tekken")


def test_tiktoken_through_its_registry(monkeypatch):
    def tiny():
        ranks = {bytes([i]): i for i in range(256)} | {b"th": 256, b"the": 257}
        special = {"<|endoftext|>": 258}
        pattern = r"\w+|\W"
        return {
            "name": "tiny",
            "pat_str": pattern,
            "mergeable_ranks": ranks,
            "special_tokens": special,
        }

    tiktoken.list_encoding_names()
    monkeypatch.setitem(tiktoken.registry.ENCODING_CONSTRUCTORS, "tiny", tiny)
    monkeypatch.delitem(tiktoken.registry.ENCODINGS, "tiny", raising=False)
    tokenize = tokenizer("tiktoken:tiny")
    monkeypatch.delitem(tiktoken.registry.ENCODINGS, "tiny", raising=False)
    assert tokenize("the tha") == [257, 32, 256, 97]
    assert tokenize("<|endoftext|>") == list(b"<|endoftext|>")
    assert tokenize("政") == list("政".encode())


def test_tiktoken_without_a_network(monkeypatch):
    def refuse(name):
        raise requests.exceptions.ConnectionError("HTTPSConnectionPool\nMax retries exceeded")

    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    with pytest.raises(ProviderError, match="TIKTOKEN_CACHE_DIR") as caught:
        tokenizer("tiktoken:o200k_base")
    assert "tiktoken:o200k_base" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tiktoken_has_no_such_encoding():
    with pytest.raises(SettingError, match="o200k_base"):
        tokenizer("tiktoken:nonsense")


def test_hugging_face_from_a_folder_and_a_file(trained):
    folder, tiny = trained
    text = "the state should not pay taxes"
    expected = [tiny.token_to_id(word) for word in text.split()[:-1]] + [0]
    # Nothing added, nothing cut off, nothing padded, whatever the file says.
    assert tokenizer(f"hf:{folder}")(text) == expected
    assert tokenizer(f"hf:{folder / 'tokenizer.json'}")(text) == expected
    assert tokenizer(f"hf:{folder}")("") == []


def test_hugging_face_subwords(tmp_path):
    tiny = Tokenizer(models.Unigram())
    tiny.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=60, unk_token="<unk>", special_tokens=["<unk>"])
    tiny.train_from_iterator(CORPUS, trainer)
    tiny.save(str(tmp_path / "unigram.json"))
    text = "the state should pay"
    assert tokenizer(f"hf:{tmp_path / 'unigram.json'}")(text) == tiny.encode(text).ids


def test_special_tokens_in_a_text_are_words(trained):
    folder, _ = trained
    tokenize = tokenizer(f"hf:{folder}")
    # "</", "s" and ">" are unknown to it, and the end of a text is id 2.
    assert tokenize("the </s> state") == [*tokenize("the"), 0, 0, 0, *tokenize("state")]


def test_hugging_face_that_cannot_be_had(monkeypatch, tmp_path):
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    (tmp_path / "broken.json").write_text("{}", encoding="utf-8")
    for value in ("nobody/no-such-tokenizer", str(tmp_path), str(tmp_path / "broken.json")):
        with pytest.raises(ProviderError, match="Hugging Face hub") as caught:
            tokenizer(f"hf:{value}")
        assert f"hf:{value}" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "tekkn", "tiktoken", "tiktoken:", "hf:", "spacy:en"])
def test_an_unknown_name_lists_the_kinds(name):
    with pytest.raises(SettingError) as caught:
        tokenizer(name)
    assert all(part in str(caught.value) for part in (repr(name), "tekken", "tiktoken:", "hf:"))


def test_words_are_numbered_as_such_in_both_languages() -> None:
    the, house, again, twice = tokenizer("words")("The house, the House")
    assert (again, twice) == (the, house)
    assert the != house
    # The same in another process, whatever was met before: eight bytes of the word's digest.
    us, think, once_more = tokenizer("words")("我们认为我们")
    assert us == once_more == int.from_bytes(blake2b("我们".encode(), digest_size=8).digest()) >> 1
    assert 0 <= think < 2**63
