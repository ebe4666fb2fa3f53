"""Prompts that a server cuts without a word: by how few tokens it counts of them."""

from __future__ import annotations

import logging
import re

from dissensus.llm.call import Request

#: Signs that are repeated; bytes of a prompt that is judged, and of a token that none makes.
_REPEATED = re.compile(r"(.)\1{3,}")
_LEAST_BYTES, _BYTES_A_TOKEN = 8_000, 16


def is_cut(request: Request, tokens: int) -> bool:
    """Whether so few tokens of a prompt were counted that its server has cut it.

    Tokenisers make a token of 3 to 7 bytes of whatever script, those that join words among them.
    Blanks and repeated signs, of which one token takes many, are left out. Short prompts say
    little.
    """
    words = (" ".join(message.content.split()) for message in request.messages)
    size = sum(len(_REPEATED.sub(r"\1", text).encode()) for text in words)
    return tokens > 0 and size > max(_LEAST_BYTES, _BYTES_A_TOKEN * tokens)


def warn_of_cut(model: str, size: int, tokens: int) -> None:
    """Say that a prompt of some bytes seems to have been cut, and what to change."""
    logging.getLogger("dissensus").warning(
        f"models.{model}: {tokens:,} tokens are counted of a prompt of {size:,} bytes, so its "
        "server has cut it, or counts only what it had not in its cache. Where it cuts prompts, "
        "the model was not shown all that was sent: raise its context (Ollama's num_ctx, a "
        "server's max_model_len), and make the sessions again."
    )
