"""What is learned, as artefacts: profiles of agents, and the examples that others are shown."""

from __future__ import annotations

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import count, share, text, texts

from ..design import IDS

PROFILES = Schema(
    name="profiles",
    row="agent of a training debate",
    columns={
        **IDS,
        "agent": text("Name of the agent in its domain."),
        "statement": text("What was debated."),
        "others": count("How many other agents debated."),
        "votes": texts("Its votes by round, in words."),
        "explanations": texts("What it said beside them, in full."),
        "rounds_to": Column(
            "int", "Round in which all agreed; else that of a majority; else the most rounds."
        ),
        "ending": text("consensus, majority or neither."),
        "compromise": share("Distance between its first and last vote, over 4."),
        "switches": count("How often it changed its vote."),
        "followed": count("How often it changed to the mode of the round before."),
        "sycophancy": share("The same over the rounds of the debate."),
        "dogmatic": share("1 where it never changed and ended outside the mode, else 0."),
        "summary": text("The same in words, of a template."),
        "course": text("Its rounds as those who learn are shown them."),
        "measures": text("Its measures as those who learn of numbers alone are shown them."),
        "rank": Column("int", "Its place among the agents of its domain, 1 for the best."),
        "label": text("good or bad for those taken as examples; empty for all others."),
        "place": Column("int", "Among the examples of its label, 1 for the clearest; 0 for none."),
    },
    key=("session_id", "agent"),
)
#: The same file, by its path in the study's folder.
PROFILES_FILE = "profiles.parquet"

FEWSHOT = Schema(
    name="fewshot",
    row="example that agents of the ccagent arms are shown",
    columns={
        **PROFILES.pick(
            *("domain", "label", "place", "session_id", "arm", "statement_id", "agent"),
            *("statement", "summary", "course", "measures"),
        ),
        "rationale": text("Why it is good or bad, as a model said; empty where it said nothing."),
        "counterfactual": text("What would have made it the other; empty likewise."),
    },
    key=("domain", "label", "place"),
)
#: The same file, by its path in the study's folder.
FEWSHOT_FILE = "fewshot.parquet"
