"""The prompt file of CCAgent: summaries, what is asked of examples, and how they are shown."""

from __future__ import annotations

from typing import Annotated

from dissensus.session.prompt_files import Part, Text, slots

GOOD, BAD = "good", "bad"
#: Label -> the other one.
OTHER = {GOOD: BAD, BAD: GOOD}


class Labels(Part):
    """What examples are called."""

    good: Text
    bad: Text


class Endings(Part):
    """How a debate came out, by whether all agreed, or more than half."""

    consensus: Annotated[str, slots("ROUND")]
    majority: Annotated[str, slots("ROUND")]
    neither: Text


class LearningWords(Part):
    """Everything that is said of an example, to whoever explains it and to whoever learns."""

    labels: Labels
    summary: Annotated[
        str, slots("FIRST", "LAST", "ROUNDS", "SWITCHES", "ENDING", optional=["FOLLOWED"])
    ]
    endings: Endings
    dogmatic: Text
    round: Annotated[str, slots("ROUND", "VOTE", "TEXT", optional=["OTHERS"])]
    measures: Annotated[
        str,
        slots("ROUNDS", "COMPROMISE", "SYCOPHANCY", "DOGMATISM", optional=["SWITCHES"]),
    ]
    system: Text
    rationale: Annotated[
        str, slots("STATEMENT", "SUMMARY", "COURSE", "LABEL", optional=["COUNT", "OTHER"])
    ]
    counterfactual: Annotated[
        str,
        slots("STATEMENT", "SUMMARY", "COURSE", "RATIONALE", "OTHER", optional=["COUNT", "LABEL"]),
    ]
    rationale_shown: Annotated[str, slots("TEXT", optional=["LABEL"])]
    repair: Annotated[str, slots("PROBLEMS")]
    example: Annotated[
        str,
        slots(
            *("LABEL", "STATEMENT", "SUMMARY", "COURSE", "MEASURES", "RATIONALE"),
            "COUNTERFACTUAL",
            optional=["NUMBER"],
        ),
    ]
    example_summary: Annotated[str, slots("TEXT")]
    example_measures: Annotated[str, slots("TEXT")]
    example_rationale: Annotated[str, slots("TEXT", optional=["LABEL"])]
    example_counterfactual: Annotated[str, slots("TEXT", optional=["OTHER"])]
    block: Annotated[str, slots("EXAMPLES")]
    learned: Annotated[str, slots("BLOCK", "PROMPT")]
