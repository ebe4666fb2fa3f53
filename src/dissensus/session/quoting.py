"""What a model wrote, as others are shown it: no line of it can be taken for the prompt's own."""

from __future__ import annotations

#: How every line of a quoted text begins, and no line that a prompt has of its own.
MARK = "> "


def quoted(text: str) -> str:
    """A text with the mark before each of its lines, wherever Unicode ends one; ends in no break.

    A speaker's heading, another's vote or an instruction that a text has in it stays a quotation.
    """
    return "\n".join(MARK + line for line in text.splitlines()) or MARK.rstrip()
