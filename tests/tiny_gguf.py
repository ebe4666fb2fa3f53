"""A language model of a few kilobytes that says random words: a GGUF file for llama.cpp.

One layer of Llama's architecture, whose weights are zero but for the embedding and the output, so
that each next word is drawn from a distribution that a seed fixes; no text makes it say another.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

_SAID = """
the of and to in a is that it for on with as are be this by not or from at which an have debate
claim vote agree
disagree neutral answer A B C reason because evidence . , : { } [ ]
"""
_WORDS = _SAID.split()
#: Width, heads, width of the feed-forward layer; the smallest that llama.cpp takes.
_WIDTH, _HEADS, _INNER = 64, 2, 64
_FLOAT, _UINT32, _FLOAT32, _STRING, _ARRAY, _INT32 = 0, 4, 6, 8, 9, 5
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6


def write_tiny_model(path: Path, read: str = "", seed: int = 1) -> None:
    """Write the file.

    Parameters
    ----------
    read : a text whose words are tokens too, so that prompts of such words are short.
    seed : fixes what words are likely.
    """
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{n:02X}>" for n in range(256))]
    # A word is put together from its first letter on, so that every beginning is a token.
    begun = {f"\u2581{word}"[:n] for word in (*_WORDS, *read.split()) for n in range(1, 30)}
    pieces = sorted({*begun, *"".join(begun)}, key=lambda piece: (len(piece), piece))
    kinds = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_NORMAL] * len(pieces)]
    tokens += pieces
    said = {f"\u2581{word}" for word in _WORDS}
    rng = np.random.default_rng(seed)
    embedding = rng.normal(0, 0.1, (len(tokens), _WIDTH)).astype("<f4")
    embedding[:, 0] = 3.0
    output = rng.normal(0, 0.1, (len(tokens), _WIDTH)).astype("<f4")
    # What follows is one of the words, and in one of fifty cases the end.
    output[:, 0] = [0.5 if token in said else -3.0 for token in tokens]
    output[2, 0] = 0.45
    tensors = _tensors(embedding, output)
    about: list[tuple[str, int, Any]] = [
        ("general.architecture", _STRING, "llama"),
        ("general.name", _STRING, "tiny"),
        ("llama.context_length", _UINT32, 65_536),
        ("llama.embedding_length", _UINT32, _WIDTH),
        ("llama.block_count", _UINT32, 1),
        ("llama.feed_forward_length", _UINT32, _INNER),
        ("llama.attention.head_count", _UINT32, _HEADS),
        ("llama.rope.dimension_count", _UINT32, _WIDTH // _HEADS),
        ("llama.attention.layer_norm_rms_epsilon", _FLOAT32, 1e-5),
        ("tokenizer.ggml.model", _STRING, "llama"),
        ("tokenizer.ggml.tokens", _ARRAY, (_STRING, tokens)),
        ("tokenizer.ggml.scores", _ARRAY, (_FLOAT32, [-float(n) for n, _ in enumerate(tokens)])),
        ("tokenizer.ggml.token_type", _ARRAY, (_INT32, kinds)),
        ("tokenizer.ggml.bos_token_id", _UINT32, 1),
        ("tokenizer.ggml.eos_token_id", _UINT32, 2),
        ("tokenizer.ggml.unknown_token_id", _UINT32, 0),
    ]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(about))
    head += b"".join(_text(name) + struct.pack("<I", kind) + _value(kind, value)
                     for name, kind, value in about)  # fmt: skip
    offset = 0
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        head += _text(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}QIQ", *shape, _FLOAT, offset)
        offset += _padded(tensor.nbytes)
    data = b"".join(t.tobytes().ljust(_padded(t.nbytes), b"\0") for t in tensors.values())
    path.write_bytes(head.ljust(_padded(len(head)), b"\0") + data)


def _tensors(embedding: Any, output: Any) -> dict[str, Any]:
    """All tensors by their names in the file; what is neither of the two is zero or one."""
    return {
        "token_embd.weight": embedding,
        "output.weight": output,
        "output_norm.weight": np.ones(_WIDTH, "<f4"),
        "blk.0.attn_norm.weight": np.ones(_WIDTH, "<f4"),
        "blk.0.ffn_norm.weight": np.ones(_WIDTH, "<f4"),
        **{f"blk.0.attn_{n}.weight": np.zeros((_WIDTH, _WIDTH), "<f4") for n in "qkv"},
        "blk.0.attn_output.weight": np.zeros((_WIDTH, _WIDTH), "<f4"),
        "blk.0.ffn_gate.weight": np.zeros((_INNER, _WIDTH), "<f4"),
        "blk.0.ffn_up.weight": np.zeros((_INNER, _WIDTH), "<f4"),
        "blk.0.ffn_down.weight": np.zeros((_WIDTH, _INNER), "<f4"),
    }


def _padded(size: int) -> int:
    return -(-size // 32) * 32


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _value(kind: int, value: Any) -> bytes:
    if kind == _STRING:
        return _text(value)
    if kind == _ARRAY:
        of, members = value
        return struct.pack("<IQ", of, len(members)) + b"".join(_value(of, one) for one in members)
    return struct.pack({_UINT32: "<I", _INT32: "<i", _FLOAT32: "<f"}[kind], value)
