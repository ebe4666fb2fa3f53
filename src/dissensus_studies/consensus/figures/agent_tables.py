"""The sanity of the agents: the paper's Tables 1 and 12 in their shape, with intervals."""

from __future__ import annotations

from dissensus.report.frames import keyed
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View

from ..sanity.scoring import ACCURACY, ALL_AGENTS
from .words import cell

#: measure -> column.
_COLUMNS = {
    "cosine": "Cosine",
    "rouge_1": "ROUGE-1",
    "rouge_2": "ROUGE-2",
    "rouge_l": "ROUGE-L",
    "direct": "Choices, direct",
    "extrapolated": "Choices, extrapolated",
    ACCURACY: "Choices, all",
}


def table_1(artefacts: Artefacts, view: View) -> Table:
    """How close each agent's answers come to its own, by condition."""
    by_cell = keyed(artefacts.frame("sanity"), "domain", "agent", "condition", "measure")
    keys = dict.fromkeys(key[:3] for key in by_cell)
    rows: list[Row] = [
        (*key, *(cell(by_cell[*key, measure]) for measure in _COLUMNS)) for key in keys
    ]
    note = (
        "Choices: the share of multiple-choice questions in which an agent chose its own answer "
        f"among those of all agents, with Wilson's {view.level} interval; for all agents together "
        "Student's over questions, on the logit scale. ROUGE is F1 by words that are found in "
        "Chinese too; "
        "cosine by the study's embedder; both with the agent's answers to open questions, which it "
        "has not seen, and a bootstrap of questions. BERTScore is left out: its package is not "
        "maintained, and needs a model of its own where the cosine has one already."
    )
    columns = ("Domain", "Agent", "Condition", *_COLUMNS.values())
    title = "Table 1. Agents' answers and those of whom they stand for"
    return make("table_1", title, columns, rows, note, view.simulated)


def table_12(artefacts: Artefacts, view: View) -> Table:
    """The choices of all agents of a domain, a column for each condition."""
    frame = artefacts.frame("sanity")
    accuracies = frame[(frame["agent"] == ALL_AGENTS) & (frame["measure"] == ACCURACY)]
    by_cell = keyed(accuracies, "domain", "condition")
    domains, conditions = (list(dict.fromkeys(key[place] for key in by_cell)) for place in (0, 1))
    rows: list[Row] = [
        (domain, *(cell(by_cell[domain, condition]) for condition in conditions))
        for domain in domains
    ]
    note = (
        f"Share of choices that are the agent's own, with {view.level} intervals over questions. "
        "The paper sets agents who have an interview before their prompts beside models "
        "that were trained on such answers; a model that you have trained is one more entry of "
        "consensus.sanity.conditions, with interview: false."
    )
    columns = ("Domain", *(name.replace("_", " ") for name in conditions))
    title = "Table 12. Agents with an interview and without"
    return make("table_12", title, columns, rows, note, view.simulated)
