"""What simulated stakeholders can say of a statement: reasons for and against it, and interests.

A domain's folder may have two files for them, which ``resources/stakeholders/README.md`` describes;
where a statement or an agent is in none, the general words below stand in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dissensus.user_files import read_csv

from ..domains import STATEMENTS_FILE

REASONS_FILE, VOICES_FILE = "reasons.csv", "voices.csv"
#: Domains as name and folder.
Domains = tuple[tuple[str, str], ...]

_REASONS = ("for_1", "for_2", "against_1", "against_2")
_VOICES = ("called", "interest_1", "interest_2", "interest_3")
_GENERAL_REASONS = (
    "it has been made to work in other places",
    "waiting would only make it dearer",
    "those who would pay for it have not been asked",
    "its costs are certain and its gains are not",
)
_GENERAL_INTERESTS = ("what it costs", "who is heard", "what it leaves to those after us")


@dataclass(frozen=True)
class Voice:
    """How an agent is called by the others, and what it looks at: phrases without a full stop."""

    called: str
    interests: tuple[str, ...]


@dataclass(frozen=True)
class Reasons:
    """Clauses for and against a statement, such as may follow "because"."""

    gains: tuple[str, ...]
    costs: tuple[str, ...]

    def said_in(self, text: str) -> list[str]:
        """Those that a text has in it, with a capital or without, in its order."""
        found = [(text.find(clause[1:]), clause) for clause in (*self.gains, *self.costs)]
        return [clause for place, clause in sorted(found) if place >= 0]


@cache
def reasons_of(domains: Domains, statement: str) -> Reasons:
    """What there is for and against a statement, known by its words."""
    clauses = _known(domains).get(statement, _GENERAL_REASONS)
    return Reasons(clauses[:2], clauses[2:])


@cache
def voice_of(domains: Domains, agent: str) -> Voice:
    """Of an agent, known by its name."""
    for _, folder in domains:
        path = Path(folder) / VOICES_FILE
        rows = read_csv(path, ("agent", *_VOICES)) if path.exists() else []
        for _, cells in rows:
            if cells["agent"] == agent:
                called, *interests = (cells[name] for name in _VOICES)
                return Voice(called, tuple(interests))
    return Voice(agent.replace("_", " "), _GENERAL_INTERESTS)


@cache
def _known(domains: Domains) -> dict[str, tuple[str, ...]]:
    """Statement -> its clauses."""
    known: dict[str, tuple[str, ...]] = {}
    for _, folder in domains:
        path = Path(folder) / REASONS_FILE
        if path.exists():
            clauses = {
                cells["statement_id"]: tuple(cells[name] for name in _REASONS)
                for _, cells in read_csv(path, ("statement_id", *_REASONS))
            }
            rows = read_csv(Path(folder) / STATEMENTS_FILE, ("statement_id", "statement"))
            known |= {
                " ".join(cells["statement"].split()): clauses[cells["statement_id"]]
                for _, cells in rows
                if cells["statement_id"] in clauses
            }
    return known
