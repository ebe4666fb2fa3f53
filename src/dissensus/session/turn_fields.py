"""The columns of a table of turns: how transcripts come in from elsewhere, and go out to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: What a column's cells are read as.
Kind = Literal["name", "text", "whole", "number", "flag", "value"]


@dataclass(frozen=True)
class TurnField:
    """One column.

    Attributes
    ----------
    meaning : one sentence.
    kind : what its cells are.
    of_session : whether all turns of a session have the same.
    """

    meaning: str
    kind: Kind = "name"
    of_session: bool = False


TURN_FIELDS = {
    "session": TurnField("Name of the session, as whoever made it calls it.", of_session=True),
    "arm": TurnField("Condition of the session.", of_session=True),
    "item": TurnField("What is debated.", of_session=True),
    "pair": TurnField("What sessions share that are compared across arms.", of_session=True),
    "draw": TurnField("The same of a designed experiment: its draw.", of_session=True),
    "cluster": TurnField("What is independent of each other, such as a group.", of_session=True),
    "truth": TurnField("The right value.", kind="value", of_session=True),
    "truth_json": TurnField("The same as JSON.", of_session=True),
    "decision": TurnField("What the group decides.", kind="value", of_session=True),
    "decision_json": TurnField("The same as JSON.", of_session=True),
    "score": TurnField("Score that the session was given.", kind="number", of_session=True),
    "scores_json": TurnField("All scores that it was given, as JSON by name.", of_session=True),
    "turn": TurnField("Number of the step; those who speak at once share it.", kind="whole"),
    "round": TurnField("Number of the round.", kind="whole"),
    "round_label": TurnField("The round in words."),
    "speaker": TurnField("Who speaks; a name within the session."),
    "role": TurnField("What the speaker is in the debate."),
    "model": TurnField("The model that speaks; empty for a person."),
    "person": TurnField("Whether a person speaks.", kind="flag"),
    "text": TurnField("What is said.", kind="text"),
    "value": TurnField("Answer, vote or stance that the turn ends with.", kind="value"),
    "value_json": TurnField("The same as JSON, for values that are no plain text."),
    "repairs": TurnField("How often the turn was asked for again.", kind="whole"),
    "compliant": TurnField("Whether it keeps the rules of its format.", kind="flag"),
    "input_tokens": TurnField("Tokens that the model read for it, tries included.", kind="whole"),
    "output_tokens": TurnField("Tokens that the model wrote for it.", kind="whole"),
    "cost_usd": TurnField("What it cost, in US dollars.", kind="number"),
    "time": TurnField("When it was said."),
    "simulated": TurnField("Whether a simulated model speaks.", kind="flag"),
}
#: Without these there is no turn.
NEEDED = ("session", "speaker", "text")
