"""What simulated models say of examples: words of the right kind, which plant nothing alone.

What they are worth to those who read them is a setting (``learns``), whatever they say.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dissensus.llm.call import Message

_SYSTEM = "You study debates between stakeholders."
#: By what is asked for, and whether the example is a strong one.
_SAID = {
    (False, True): (
        "It said openly what would change its mind, and moved once that was met.",
        "It took up the others' reasons before it gave its own, so that the group met early.",
        "It gave way where others had more at stake, and kept to the point elsewhere.",
    ),
    (False, False): (
        "It repeated its first position and answered nothing that was put to it.",
        "It changed with the count of votes, and no reason of its own went with the change.",
        "It talked past the others, so that nobody had a reason to move.",
    ),
    (True, True): (
        "Had it held to its first vote without a condition, the group would have stayed apart.",
        "Had it merely joined the largest group, the others would have learned nothing from it.",
        "Had it answered with its own case alone, two more rounds would have been needed.",
    ),
    (True, False): (
        "It could have named one safeguard under which it would take a step.",
        "It could have said which reason of the others weighed most, and moved by that much.",
        "It could have offered the middle ground that two of the others were near already.",
    ),
}


def is_reflection(messages: Sequence[Message]) -> bool:
    """Whether a prompt asks to look back on an example."""
    return messages[0].role == "system" and messages[0].content.startswith(_SYSTEM)


def reflect(messages: Sequence[Message], rng: np.random.Generator) -> str:
    """A rationale or a counterfactual, as the prompt asks for it."""
    content = messages[-1].content
    is_counterfactual = "what the agent would have had to do otherwise" in content
    said = _SAID[is_counterfactual, "this is a strong example" in content]
    return said[int(rng.integers(len(said)))]
