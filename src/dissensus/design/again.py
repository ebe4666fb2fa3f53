"""The reference arm run a second time: what two equal arms differ by is the noise floor.

Nothing here takes long to import.
"""

from __future__ import annotations

from collections.abc import Sequence


def again_of(arms: Sequence[str]) -> str:
    """The name of the arm that is the reference once more; ``arms``: the reference first."""
    return f"{arms[0]}_again"


def played_as(arm: str, arms: Sequence[str]) -> str:
    """The arm whose steps a session has: the reference's where it is that one once more.

    Parameters
    ----------
    arm : of the session, as the manifest has it.
    arms : those that the study declares, the reference first.
    """
    return arms[0] if arm == again_of(arms) and arm not in arms else arm
