"""Texts without what changes nothing: comments, and how the lines of a file are laid out."""

from __future__ import annotations

import io
import json
import tokenize
from functools import lru_cache

import yaml

#: Of a Python that reads a formatted text as several tokens.
_BEGINS, _ENDS = ("FSTRING_START", "TSTRING_START"), ("FSTRING_END", "TSTRING_END")


# Runs that are compared, and the panels of one, have their code in common: some hundred files.
@lru_cache(maxsize=1024)
def without_comments(source: str) -> str:
    """Python code without its comments, blank lines and spaces at the ends of lines.

    What is in texts stays, docstrings among it. Code that is none is left as it is.
    """
    lines = source.splitlines()
    within: set[int] = set()
    begun: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            name, (row, column), (last, _) = tokenize.tok_name[token.type], token.start, token.end
            if token.type == tokenize.COMMENT:
                lines[row - 1] = lines[row - 1][:column]
            elif token.type == tokenize.STRING:
                within.update(range(row, last))
            elif name in _BEGINS:
                begun.append(row)
            elif name in _ENDS:
                within.update(range(begun.pop(), last))
    except (tokenize.TokenError, SyntaxError, IndexError):
        return source
    # A line that ends within a text is kept as it is.
    kept = [
        line if number in within else line.rstrip() for number, line in enumerate(lines, start=1)
    ]
    return "\n".join(line for number, line in enumerate(kept, start=1) if line or number in within)


def without_layout(text: str) -> str:
    """The values of a YAML file, in one line; the text itself where it is none."""
    try:
        return json.dumps(yaml.safe_load(text), ensure_ascii=False, default=str)
    except (yaml.YAMLError, RecursionError, ValueError):
        return text
