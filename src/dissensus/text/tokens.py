"""Tokenisers: one vocabulary for every language of a study, named in its configuration."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from dissensus.errors import ProviderError, SettingError
from dissensus.text.words import count_words, split_words

#: The vocabulary that comes with the project.
TEKKEN = "tekken"
#: From a text to its token ids, without marks of beginning and end.
Tokenize = Callable[[str], list[int]]


def tokenizer(name: str) -> Tokenize:
    """Load the tokeniser of a name; load it once and keep it.

    Parameters
    ----------
    name : ``tekken``: the newest Tekken vocabulary (131,072 entries, multilingual) that ships
        inside ``mistral-common``; needs no download. ``tiktoken:<encoding>``: an encoding of
        ``tiktoken``, such as ``tiktoken:o200k_base``, downloaded at first use. ``hf:<name>``: a
        ``tokenizer.json`` read by ``tokenizers``, from a path, a folder or the Hugging Face hub,
        such as ``hf:FacebookAI/xlm-roberta-large``. ``words``: the segmented words themselves, in
        lower case, numbered by digests, so that a session's numbers do not depend on which other
        sessions are measured in the same process.

    Returns
    -------
    From a text to a list of token ids, with no special tokens and nothing cut off. Text that looks
    like a special token is read as ordinary letters.

    Raises
    ------
    SettingError : the name is of none of these kinds, or ``tiktoken`` has no such encoding.
    ProviderError : the vocabulary's file cannot be downloaded or read.
    """
    if name == TEKKEN:
        return _tekken()
    if name == "words":
        return _words()
    kind, _, value = name.partition(":")
    if kind == "tiktoken" and value:
        return _tiktoken(value)
    if kind == "hf" and value:
        return _hugging_face(value)
    raise SettingError(
        f"tokenizer {name!r} is unknown; choose tekken, words, tiktoken:<encoding> or "
        "hf:<hub name, folder or path of a tokenizer.json>."
    )


def load_tekken() -> None:
    """Load the vocabulary that comes with the project, and the segmenter of Chinese that stands
    beside it in every measure, for this process and those forked from it.
    """
    _tekken()
    count_words("中文")


def _tekken_file() -> Path:
    """The newest vocabulary in the installed mistral-common: dates in the names sort."""
    spec = find_spec("mistral_common")
    folders = (spec.submodule_search_locations if spec else None) or []
    files = [file for folder in folders for file in Path(folder, "data").glob("tekken_*.json")]
    if not files:
        raise ProviderError(
            "tokenizer 'tekken': mistral-common is not installed or has no Tekken vocabulary; "
            "run `pip install 'mistral-common>=1.13'`."
        )
    return max(files, key=lambda file: file.name)


def _words() -> Tokenize:
    numbers = _Numbers()
    return lambda text: [numbers[word.lower()] for word in split_words(text)]


class _Numbers(dict[str, int]):
    """The number of each word, the same in every process: 63 bits of its digest."""

    def __missing__(self, word: str) -> int:
        digest = blake2b(word.encode(), digest_size=8).digest()
        number = self[word] = int.from_bytes(digest, "big") >> 1
        return number


@cache
def _tekken() -> Tokenize:
    # Tekkenizer.from_file gives the same ids but takes four times as long to load (1.3 s against
    # 0.3 s), three times as long for a text and 55 MB more: it loads what chats and images need.
    import tiktoken

    data = json.loads(_tekken_file().read_bytes())
    config = data["config"]
    special = config["default_num_special_tokens"]
    entries = data["vocab"][: config["default_vocab_size"] - special]
    return tiktoken.Encoding(
        name="tekken",
        pat_str=config["pattern"],
        # The ids that models see: special tokens come first.
        mergeable_ranks={b64decode(e["token_bytes"]): e["rank"] + special for e in entries},
        special_tokens={},
    ).encode_ordinary


def _tiktoken(encoding: str) -> Tokenize:
    import tiktoken

    encodings = tiktoken.list_encoding_names()
    if encoding not in encodings:
        raise SettingError(
            f"tokenizer 'tiktoken:{encoding}': tiktoken has no such encoding; it has "
            f"{', '.join(sorted(encodings))}."
        )
    try:
        return tiktoken.get_encoding(encoding).encode_ordinary
    except Exception as error:  # requests, file system or checksum, by what went wrong
        raise ProviderError(
            f"tokenizer 'tiktoken:{encoding}': its file could not be downloaded "
            f"({type(error).__name__}); connect once, point TIKTOKEN_CACHE_DIR to a folder that "
            "holds it, or use tekken, which needs no download."
        ) from error


def _hugging_face(value: str) -> Tokenize:
    import tokenizers

    path = Path(value).expanduser()
    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        if file.is_file():
            loaded = tokenizers.Tokenizer.from_file(str(file))
        else:
            loaded = tokenizers.Tokenizer.from_pretrained(value)
    except Exception as error:  # a hub, network, file or JSON error, by what went wrong
        raise ProviderError(
            f"tokenizer 'hf:{value}': no usable tokenizer.json there, on this disk or on the "
            f"Hugging Face hub ({type(error).__name__}); check the name, connect once, or give "
            "the path of a tokenizer.json."
        ) from error
    # Some files carry the cut-off and the padding that their model was trained with.
    loaded.no_truncation()
    loaded.no_padding()
    # A text that has `</s>` or `<|im_start|>` in it says so, and is no end or beginning of one.
    loaded.encode_special_tokens = True

    def tokenize(text: str) -> list[int]:
        return list(loaded.encode(text, add_special_tokens=False).ids)

    return tokenize
