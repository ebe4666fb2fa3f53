"""Templates of prompts: slots such as ``{TOPIC}``, filled or left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dissensus.llm.call import Message
from dissensus.session.quoting import one_line

_GAP = re.compile(r"\n{3,}")


def fill(template: str, **fields: str) -> str:
    """Replace ``{NAME}`` by each field, once and in one pass, so that braces in a text are safe."""
    pieces = template.split("{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, brace, rest = piece.partition("}")
        filled.append(fields[name] + rest if brace and name in fields else "{" + piece)
    return "".join(filled)


def without(template: str, slots: Iterable[str]) -> str:
    """A template without some of its slots; a block that they leave empty leaves no gap."""
    left_out = dict.fromkeys(slots, "")
    return _GAP.sub("\n\n", fill(template, **left_out)) if left_out else template


def render(template: str, **fields: str) -> str:
    """Fill a template; an empty field that stands alone leaves no gap of blank lines."""
    empty = [name for name, text in fields.items() if not text]
    return fill(without(template, empty), **fields)


def sharing(prompt: str, *parts: str) -> Message:
    """A user's message that others begin like, up to the end of each of some parts.

    Parameters
    ----------
    parts : of the prompt, in their order; one that it does not have counts for nothing.
    """
    ends, start = [], 0
    for part in filter(None, parts):
        place = prompt.find(part, start)
        if place >= 0:
            start = place + len(part)
            ends.append(start)
    return Message("user", prompt, tuple(ends))


def repaired(
    messages: tuple[Message, ...], repair: str, problems: Sequence[str]
) -> tuple[Message, ...]:
    """The same messages, with the instruction to mend the reply's format at the end of the last."""
    *before, last = messages
    # A problem may quote the reply that has it.
    named = one_line("; ".join(problems))
    again = f"{last.content}\n\n{render(repair, PROBLEMS=named)}"
    return (*before, Message(last.role, again, last.shared))
