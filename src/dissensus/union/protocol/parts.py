"""Which parts of the wording a session is told: it runs again where one of these changes."""

from __future__ import annotations

from dissensus.union.settings import UnionProtocol
from dissensus.union.wording import DebateWording, JudgingWording

_STYLE = frozenset({"style"})
_MEMO = frozenset({"memo", "memo_claim"})
_COACHED = frozenset({"directive", "memo_entry"})
_DEFINITIONS = frozenset(
    {"framework", "definitions", "contest", "definitions_entry", "contest_entry"}
)
_POINTS = frozenset({"point_entry", "offer", "argument", "answer"})
_LABELLED = frozenset({"labelled", "labelled_entry"})
_POINTS_JUDGED = frozenset({"blind_point"})
_MAPPED = frozenset({"name_cluster"})


def style_parts() -> frozenset[str]:
    """Of the debate's file, what a session is told that describes how speakers speak."""
    return _STYLE | {"repair"}


def memo_parts() -> frozenset[str]:
    """Of the debate's file, what a session is told that writes memos."""
    return _MEMO | {"none", "repair"}


def names_parts() -> frozenset[str]:
    """Of the judges' file, what a session is told that names clusters."""
    return _MAPPED | {"repair"}


def debate_parts(
    protocol: UnionProtocol, *, coached: bool
) -> tuple[frozenset[str], frozenset[str]]:
    """Of the debate's file and of the judges', what a debate is told.

    Parameters
    ----------
    protocol : its settings.
    coached : whether it reads memos.
    """
    debating = frozenset(DebateWording.model_fields) - _STYLE - _MEMO
    judging = frozenset(JudgingWording.model_fields) - _MAPPED
    if not coached:
        debating -= _COACHED
    if not protocol.definitions:
        debating -= _DEFINITIONS
    if not protocol.points:
        debating, judging = debating - _POINTS, judging - _POINTS_JUDGED
    if not protocol.audited:
        judging -= _LABELLED
    return debating, judging
