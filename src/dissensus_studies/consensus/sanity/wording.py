"""The prompt file of the agents' sanity check."""

from __future__ import annotations

from typing import Annotated

from dissensus.session.prompt_files import Part, slots


class SanityWords(Part):
    """How agents are asked."""

    choice: Annotated[str, slots("QUESTION", "OPTIONS")]
    open: Annotated[str, slots("QUESTION")]
    repair: Annotated[str, slots("PROBLEMS")]
