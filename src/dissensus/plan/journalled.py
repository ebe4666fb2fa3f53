"""What a run's journals answer already, so that plan and cost say what is left to be paid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.errors import DissensusError
from dissensus.llm.journal import NotJournaled, Replay
from dissensus.llm.registry import ModelRegistry
from dissensus.study.sessions import Sessions, journal_path


@dataclass(frozen=True)
class Covered:
    """What journals have of a study's sessions, with the prompts that these have now.

    Attributes
    ----------
    answers : replies that are used again, those to repairs among them.
    unused : replies of whole sessions, to prompts that are no longer sent.
    later : replies of the other sessions, after the first call that they lack. Each is used where
        its own prompt is still the same, which is known only once that call is answered.
    left : session_id -> row of the sessions that need a call.
    begun : replies that journals have for these.
    """

    answers: int
    unused: int
    later: int
    left: Mapping[str, Mapping[str, Any]]
    begun: int


def covered(sessions: Sessions, registry: ModelRegistry) -> Covered | None:
    """What the journals of a study cover; None where it has none.

    Each session is played with the replies that its journal has, up to the first that it lacks.
    Those that the study has stopped before are not asked for.
    """
    if not any(journal_path(sessions.folder, name).exists() for name in sessions.rows):
        return None
    answers, unused, later = 0, 0, 0
    left: dict[str, Mapping[str, Any]] = {}
    begun: dict[str, int] = {}
    for name, row in sessions.rows.items():
        if sessions.looks.call_off(row):
            continue
        journal = Replay(journal_path(sessions.folder, name))
        try:
            sessions.replayed(row, registry, journal)
        except (NotJournaled, DissensusError):
            left[name], begun[name] = row, len(journal) - journal.unused
            later += journal.unused
        else:
            unused += journal.unused
        answers += len(journal) - journal.unused
    return Covered(answers, unused, later, left, sum(begun.values()))
