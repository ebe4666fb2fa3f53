"""The questions that agents are checked with: ``questions.csv`` of a domain, which it may lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import ascii_uppercase

from dissensus.design.manifest import stream
from dissensus.errors import ResourceError
from dissensus.setting_faults import fault
from dissensus.user_files import read_csv

QUESTIONS_FILE = "questions.csv"
DIRECT, EXTRAPOLATED, OPEN = "direct", "extrapolated", "open"
KINDS = (DIRECT, EXTRAPOLATED, OPEN)


@dataclass(frozen=True)
class Question:
    """A question, and what each agent would say: its choice among all of these, or in full.

    ``kind``: direct, answered in the interviews; extrapolated; or open, with answers in full.
    """

    id: str
    kind: str
    question: str
    answers: dict[str, str]

    def options(self, agent: str) -> list[str]:
        """The answers of all agents in an order of the agent's own, the same in every run."""
        given = list(self.answers.values())
        order = stream("options", self.question, agent).permutation(len(given))
        return [given[int(place)] for place in order]

    def letter(self, agent: str) -> str:
        """Of the option that is the agent's own."""
        return ascii_uppercase[self.options(agent).index(self.answers[agent])]


@cache
def read_questions(folder: str, agents: tuple[str, ...]) -> tuple[Question, ...]:
    """The questions of a domain; none where it has no file of them.

    Parameters
    ----------
    folder : of the domain.
    agents : of the domain, each of which has a column.

    Raises
    ------
    ResourceError : with the file, the row and the mend.
    """
    path = Path(folder) / QUESTIONS_FILE
    if not path.exists():
        return ()
    by_id: dict[str, Question] = {}
    for number, cells in read_csv(path, ("question_id", "kind", "question", *agents)):
        cells = {name: " ".join(cell.split()) for name, cell in cells.items()}
        where = f"{path}, row {number}"
        empty = [name for name in ("question_id", "question", *agents) if not cells[name]]
        if empty:
            raise ResourceError(f"{where}: {empty[0]} is empty; fill it in.")
        if cells["kind"] not in KINDS:
            may = f"it may be {', '.join(KINDS)}"
            raise ResourceError(f"{where}: {fault('kind', cells['kind'], may)}")
        if cells["question_id"] in by_id:
            raise ResourceError(f"{where}: its question_id stands above already; give it another.")
        answers = {agent: cells[agent] for agent in agents}
        _check_apart(where, cells["kind"], list(answers.values()))
        name = cells["question_id"]
        by_id[name] = Question(name, cells["kind"], cells["question"], answers)
    return tuple(by_id.values())


def _check_apart(where: str, kind: str, answers: Sequence[str]) -> None:
    if kind != OPEN and len(set(answers)) < len(answers):
        raise ResourceError(
            f"{where}: two agents have the same answer, so that no option is the right one; "
            "word them apart."
        )
