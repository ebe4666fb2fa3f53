"""How much of one text comes back in another."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def reuse_ratio(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """How much of the first text comes back in the second, as ``difflib.SequenceMatcher`` has it.

    ``difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()``, by ``cydifflib``.

    Parameters
    ----------
    a, b : the two texts, of lengths n and m, as letters (a string) or as tokens (a list).

    Returns
    -------
    2M / (n + m) in [0, 1], with M the number of elements in the matching blocks that the
    Ratcliff-Obershelp algorithm finds (Ratcliff and Metzener, Dr. Dobb's Journal, July 1988); 1 for
    two empty sequences. It is not symmetric: pass the earlier text first.

    Notes
    -----
    ``autojunk`` must be off. By default ``SequenceMatcher`` leaves out, in a `b` of 200 elements or
    more, every element that makes up more than 1% of it. An alphabet of 26 letters has hardly a
    letter rarer than that, so long English strings lose nearly all of theirs and score near zero,
    while Chinese strings, with hundreds of distinct characters, keep most: the default compares
    the alphabets, not the languages.
    """
    import cydifflib

    # It walks through the elements of a list faster than through those of a string.
    return float(cydifflib.SequenceMatcher(None, list(a), list(b), autojunk=False).ratio())
