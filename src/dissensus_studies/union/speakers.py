"""Who may speak: the folders of speakers, by names that prompts and turns can carry.

Whoever reads the Snakefile asks for this, so that nothing heavy is imported here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial

from dissensus.text.corpora import folders

#: What turns call those who are no speakers.
_TAKEN = ("definitions", "contest", "recalibrate")
#: The sides: "Ada, opposition" would pass in a heading for a speaker of that side.
_SIDES = re.compile(r"\b(?:proposition|opposition)s?\b", re.IGNORECASE)


def refused(name: str) -> str:
    """Why nobody can speak by a name, as the rest of a sentence; "" where somebody can."""
    if name.casefold() in _TAKEN:
        return "is what the study calls its own notes"
    side = _SIDES.search(unicodedata.normalize("NFKC", name))
    return f"has {side[0]!r} in it, which names a side in prompts" if side else ""


by_speaker = partial(folders.by_speaker, setting="union.speakers", refused=refused)
documents = partial(folders.documents, setting="union.speakers", refused=refused)
