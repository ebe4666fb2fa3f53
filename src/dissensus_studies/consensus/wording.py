"""The prompt file of the consensus study: what agents are told, by part."""

from __future__ import annotations

from typing import Annotated, Any

from dissensus.session.prompt_files import Part, Text, slots


class Instructions(Part):
    """What agents are told to do in the rounds after the first, by strategy."""

    debate: Text
    discuss: Text
    consensus: Text
    compromise: Text
    reconcile: Text


_Group = Annotated[str, slots(optional=["COUNT", "AGENTS", "WHERE", "PLACE"])]


class Extra(Part):
    """An agent without a vote."""

    name: Text
    system: _Group
    example: _Group


class Extras(Part):
    moderator: Extra
    nudger: Extra
    credible: Extra
    sentimental: Extra


class Outsiders(Part):
    """What the outsiders of side rounds are called."""

    ally: Text
    experts: Text


class Words(Part):
    """Everything that is said to the models of a session."""

    question: Annotated[str, slots("STATEMENT", "AGENT", optional=["OTHERS"])]
    first: Annotated[str, slots("QUESTION", "REPLY")]
    later: Annotated[
        str,
        slots("QUESTION", "INSTRUCTION", "SHOWN", "SIDE", "EXTRA", "REPLY", optional=["BEFORE"]),
    ]
    instructions: Instructions
    entry: Annotated[str, slots("AGENT", "VOTE", "TEXT")]
    confident_entry: Annotated[str, slots("AGENT", "VOTE", "CONFIDENCE", "TEXT")]
    speech: Annotated[str, slots("AGENT", "TEXT")]
    reply: Text
    confident_reply: Text
    speech_reply: Text
    repair: Annotated[str, slots("PROBLEMS")]
    extras: Extras
    extra: Annotated[
        str, slots("STATEMENT", "TRUTH", "SHOWN", "OWN", "REPLY", optional=["EXAMPLE"])
    ]
    truth: Annotated[str, slots("TRUTH")]
    shown: Annotated[str, slots("SHOWN", optional=["BEFORE"])]
    own: Annotated[str, slots("TEXT")]
    ally: Annotated[str, slots("AGENT", "STATEMENT")]
    experts: Annotated[str, slots("AGENT", "STATEMENT", "VOTE", "MAJORITY", optional=["EXPERTS"])]
    alliance: Annotated[str, slots("PARTNERS", optional=["ROUNDS"])]
    opposites: Annotated[str, slots("PARTNERS", optional=["ROUNDS"])]
    side: Annotated[str, slots("QUESTION", "INSTRUCTION", "SHOWN", "TALK", "REPLY")]
    talk: Annotated[str, slots("TALK")]
    after_side: Annotated[str, slots("TALK", optional=["PARTNERS"])]
    outsiders: Outsiders

    def used_by(self, strategy: str) -> dict[str, Any]:
        """What a session of a strategy is told, so that it depends on no other wording."""
        told = self.model_dump(exclude={"instructions", "extras", "ally", "experts", *SIDES})
        told["instruction"] = self.instructions[instruction_of(strategy)]
        if strategy in EXTRAS:
            told["extra_agent"] = getattr(self.extras, strategy).model_dump()
        if strategy in SIDES:
            told["side_rounds"] = [self[strategy], self[SIDES[strategy]]]
        return told


#: Roles: whose votes count, and who speaks in side rounds.
VOTER, SIDE = "voter", "side"
#: Strategies with an agent that has no vote.
EXTRAS = ("moderator", "nudger", "credible", "sentimental")
#: Strategies with side rounds -> the outsiders who may take part in them.
SIDES = {"alliance": "ally", "opposites": "experts"}
#: Strategies that are a wording alone.
WORDINGS = ("debate", "discuss", "consensus", "compromise")
#: The baseline.
RECONCILE = "reconcile"
#: CCAgent, with all that it learns from.
CCAGENT = "ccagent"
#: The same with a part of its examples left out, or with numbers alone.
ABLATIONS = (
    "ccagent_without_good",
    "ccagent_without_bad",
    "ccagent_without_rationale",
    "ccagent_without_counterfactual",
    "ccagent_metrics_only",
)
#: The same with the examples of another domain.
TRANSFERRED = "ccagent_transferred"
#: Strategies that wait for examples of earlier debates.
LEARNED = (CCAGENT, *ABLATIONS, TRANSFERRED)
#: The paper's ten, and the baseline.
UNLEARNED = (*WORDINGS, *EXTRAS, *SIDES, RECONCILE)
STRATEGIES = (*UNLEARNED, *LEARNED)


def instruction_of(strategy: str) -> str:
    """Which instruction a strategy's agents get.

    Those with others beside them, or with examples before them, are in a debate.
    """
    return strategy if strategy in (*WORDINGS, RECONCILE) else "debate"
