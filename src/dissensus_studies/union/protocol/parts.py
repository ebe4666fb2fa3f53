"""Which parts of the wording a session is told: it runs again where one of these changes."""

from __future__ import annotations

from ..settings import UnionProtocol
from ..wording import DebateWording, JudgingWording

#: Kind of session -> what it is told, of the debate's file and of the judges'.
PARTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "style": (frozenset({"style", "repair"}), frozenset()),
    "memo": (frozenset({"memo", "memo_claim", "none", "repair"}), frozenset()),
    "names": (frozenset(), frozenset({"name_cluster", "repair"})),
}
_NOT_DEBATED = frozenset({"style", "memo", "memo_claim"})
_COACHED = frozenset({"directive", "memo_entry"})
_DEFINITIONS = frozenset(
    {"framework", "definitions", "contest", "definitions_entry", "contest_entry"}
)
_POINTS = frozenset({"point_entry", "offer", "argument", "answer"})
_LABELLED = frozenset({"labelled"})
_POINTS_JUDGED = frozenset({"blind_point"})


def debate_parts(
    protocol: UnionProtocol, *, coached: bool
) -> tuple[frozenset[str], frozenset[str]]:
    """Of the debate's file and of the judges', what a debate is told.

    Parameters
    ----------
    protocol : its settings.
    coached : whether it reads memos.
    """
    debating = frozenset(DebateWording.model_fields) - _NOT_DEBATED
    judging = frozenset(JudgingWording.model_fields) - {"name_cluster"}
    if not coached:
        debating -= _COACHED
    if not protocol.definitions:
        debating -= _DEFINITIONS
    if not protocol.points:
        debating, judging = debating - _POINTS, judging - _POINTS_JUDGED
    if not protocol.audited:
        judging -= _LABELLED
    return debating, judging
