"""The questions of a run: read from their banks, drawn at random, numbered, put in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase as LETTERS
from typing import Any

from dissensus.design.manifest import stream
from dissensus.errors import ResourceError
from dissensus.tables.artefact import Schema
from dissensus.tables.common import text, texts

from ..settings import BankSettings
from .formats import FORMATS, Question
from .sources import read_source

QUESTIONS = Schema(
    name="questions",
    row="question",
    columns={
        "question_id": text("Name of the question: its bank, and its row in the source."),
        "bank": text("Name of the question bank in the configuration."),
        "field": text("Subject of the question; empty where its source gives none."),
        "kind": text("choice where the answer is a letter, numeric where it is a number."),
        "text": text("The question without its options."),
        "options": texts(
            "Options in the order of their letters; of a numeric question known numbers."
        ),
        "answer": text("The right option's letter, or the right number."),
        "source": text("File and row that the question was read from."),
    },
    key=("question_id",),
)


def collect(settings: Mapping[str, Any], seed: int) -> dict[str, tuple[Schema, list[Any]]]:
    """The questions of a run; see :class:`dissensus.study.study.Source`."""
    banks = {name: BankSettings(**bank) for name, bank in settings["banks"].items()}
    return {"questions": (QUESTIONS, collect_questions(banks, seed))}


def collect_questions(banks: Mapping[str, BankSettings], seed: int) -> list[dict[str, Any]]:
    """The questions of every bank, or as many as its settings draw at random, without replacement.

    An id is the bank's name and the number of the row in its source, so that a question has the
    same one whatever else is drawn; and what a smaller number draws, a larger one draws too.

    Parameters
    ----------
    banks : name -> settings.
    seed : the run's.

    Returns
    -------
    Rows of :data:`QUESTIONS`, in the order of their ids.

    Raises
    ------
    ResourceError : the first row that cannot be used, by file and row; or a bank has fewer
        questions than are to be drawn.
    """
    rows = []
    for name, bank in banks.items():
        available = read_bank(bank)
        wanted = len(available) if bank.questions is None else bank.questions
        if wanted > len(available):
            raise ResourceError(
                f"identity.banks.{name}.questions holds {wanted}; {bank.source} has "
                f"{len(available)}, so it may be that at most, or null for all."
            )
        order = stream(seed, "questions", name).permutation(len(available))
        drawn = sorted(int(index) for index in order[:wanted])
        width = max(3, len(str(len(available))))
        for index in drawn:
            place, question = available[index]
            rows.append(
                {
                    "question_id": f"{name}-{index + 1:0{width}d}",
                    "bank": name,
                    **vars(question),
                    "options": list(question.options),
                    "source": place,
                }
            )
    return sorted(rows, key=lambda row: row["question_id"])


def read_bank(bank: BankSettings) -> list[tuple[str, Question]]:
    """Every question of a bank and where it is from, in the order of the source.

    Raises
    ------
    ResourceError : the first row that cannot be used.
    """
    reader = FORMATS[bank.format]
    return [(place, reader(row, place)) for place, row in read_source(bank.source)]


def write_question(kind: str, text: str, options: Sequence[str]) -> str:
    """A question as a prompt states it: its text, and a line ``(A) ...`` for each option.

    The paper prints no such form, so this one is ours. A numeric question shows no options.
    """
    if kind == "numeric":
        return text
    lines = [f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join([text, *lines])
