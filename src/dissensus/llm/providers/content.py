"""What the content of a message says, and what of it is thought or a refusal.

Content is a text, a part or a list of both. Which types parts have differs by provider; so what
has a text is text, unless its type speaks of thought, of a refusal or of tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

#: Types of parts, by words in them.
_THOUGHT = re.compile("think|thought|reason|summary", re.IGNORECASE)
_NO_SPEECH = re.compile("tool|search|image|audio|video|file|reference|compaction", re.IGNORECASE)
#: Members of a message in which servers keep thought apart, and of a part that hold it.
_APART = (
    *("reasoning_content", "reasoning", "reasoning_text", "reasoning_details", "thinking"),
    *("thinking_blocks", "thinking_content", "thought", "thoughts"),
)
_HOLDING = ("thinking", "reasoning", "thought", "text", "summary", "content", "value")
_DEEPEST = 4
#: A character that leaves a mark: none that is space, control or format, or a filler.
_SEEN = re.compile(
    r"[^\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202f\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def plain_text(content: Any) -> str:
    """The text of a message's content; "" for nothing that is seen.

    Raises
    ------
    TypeError : it is no content.
    """
    if content is None:
        return ""
    return _whole("".join(_text_of(part) for part in _parts(content)))


def refusal_in(content: Any) -> str:
    """What stands for the text in a part of a content that says a refusal; "" for none."""
    parts = content if isinstance(content, list) else []
    said = (part.get("refusal") for part in parts if isinstance(part, Mapping))
    return _whole("".join(words for words in said if isinstance(words, str)))


def thought_in(content: Any, message: Mapping[str, Any] | None = None) -> str:
    """The thought that a server keeps apart from the text; "" where it has none.

    Parameters
    ----------
    content : in whose parts it may be.
    message : with members for it, which come first.
    """
    for name in _APART if message else ():
        value = message.get(name) if message else None
        if value and (said := _whole("".join(_told(value)))):
            return said
    parts = content if isinstance(content, list) else []
    told = (_told(part) for part in parts if _is(part, _THOUGHT))
    return _whole("\n\n".join(filter(None, map("".join, told))))


def _parts(content: Any) -> list[Any]:
    if isinstance(content, list):
        return [part for part in content if part is not None]
    if isinstance(content, str | Mapping):
        return [content]
    raise TypeError("the content is no text")


def _is(part: Any, kind: re.Pattern[str]) -> bool:
    return isinstance(part, Mapping) and bool(kind.search(str(part.get("type") or "")[:80]))


def _text_of(part: Any) -> str:
    if isinstance(part, str):
        return part
    if _is(part, _THOUGHT) or _is(part, _NO_SPEECH):
        return ""
    text = part.get("text")
    # Some write a text as an object with its value.
    text = text.get("value") if isinstance(text, Mapping) else text
    if not isinstance(text, str | None):
        raise TypeError("a text is none")
    return text or ""


def _told(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts of a thought, however they are wrapped."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _DEEPEST:
        for entry in value[:1000]:
            yield from _told(entry, depth + 1)
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        yield from _told(next((value[n] for n in _HOLDING if value.get(n)), ""), depth + 1)


def _whole(text: str) -> str:
    # A reply cut off inside an emoji ends with half a character, which UTF-8 cannot write.
    said = text.encode(errors="replace").decode().strip()
    return said if _SEEN.search(said) else ""
