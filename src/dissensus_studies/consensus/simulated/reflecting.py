"""What simulated models say of examples: words of the right kind, which plant nothing alone.

What they are worth to those who read them is a setting (``learns``), whatever they say.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dissensus.llm.call import Message

_SYSTEM = "You study debates between stakeholders."
#: By what is asked for, whether the example is a strong one, and whether its agent moved.
_SAID = {
    ("rationale", True, True): (
        "It said what would change its mind, and moved once that was met.",
        "It took up the others' reasons before it moved, so that the group met early.",
    ),
    ("rationale", True, False): (
        "It gave its reason in a form that the others could take up, and they met there.",
        "It stood where the group could agree, and said so plainly from the beginning.",
    ),
    ("rationale", False, True): (
        "It changed with the count of votes, and no reason of its own went with the change.",
        "It moved too late, and so little that nobody could meet it.",
    ),
    ("rationale", False, False): (
        "It repeated its first position and answered nothing that was put to it.",
        "It talked past the others, so that nobody had a reason to move.",
    ),
    ("counterfactual", True, True): (
        "Had it kept to its first vote without a condition, the group would have stayed apart.",
        "Had it merely joined the largest group, the others would have learned nothing from it.",
    ),
    ("counterfactual", True, False): (
        "Had it opened with demands instead of reasons, the others would have moved away.",
        "Had it changed its vote without need, the group would have had to begin again.",
    ),
    ("counterfactual", False, True): (
        "It could have said which reason of the others weighed most, and moved by that much.",
        "It could have moved a round earlier, with a word on why.",
    ),
    ("counterfactual", False, False): (
        "It could have named one safeguard under which it would take a step.",
        "It could have offered the middle ground that two of the others were near already.",
    ),
}
_STAYED = "Changes of its vote: 0,"


def is_reflection(messages: Sequence[Message]) -> bool:
    """Whether a prompt asks to look back on an example."""
    return messages[0].role == "system" and messages[0].content.startswith(_SYSTEM)


def reflect(messages: Sequence[Message], rng: np.random.Generator) -> str:
    """A rationale or a counterfactual, as the prompt asks for it."""
    content = messages[-1].content
    is_counterfactual = "what the agent would have had to do otherwise" in content
    asked = "counterfactual" if is_counterfactual else "rationale"
    phrases = _SAID[asked, "this is a strong example" in content, _STAYED not in content]
    return phrases[int(rng.integers(len(phrases)))]
