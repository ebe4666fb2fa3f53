"""What is measured of the students in every debate: what each outcome counts, said once."""

from __future__ import annotations

from dissensus.report.declared import Outcome
from dissensus.union.tables import VERDICTS

#: Declared before any data.
PRIMARY = "student_survival"


def _of(column: str, title: str, noun: str, short: str) -> Outcome:
    """A share that means what its column of the verdicts does."""
    meaning = VERDICTS.columns[column].meaning
    return Outcome(meaning, title, is_share=True, noun=noun, short=short, each="debates")


#: Columns of the verdicts, the primary outcome first.
OUTCOMES = {
    PRIMARY: _of(
        PRIMARY,
        "Share of the students’ claims that survive",
        "share of the students’ claims that survive",
        "Claims that survive",
    ),
    "student_votes": _of(
        "student_votes",
        "Share of blind votes for the students’ side",
        "share of blind votes for the students’ side",
        "Blind votes",
    ),
    "student_demolitions": _of(
        "student_demolitions",
        "Share of the students’ rebuttals that demolish",
        "share of the students’ rebuttals that demolish",
        "Rebuttals that demolish",
    ),
}
