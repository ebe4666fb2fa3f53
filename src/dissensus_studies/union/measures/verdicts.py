"""The verdict of a debate: what each layer alone says, and the first layer that decides.

Source: the post "Simulating a Cambridge Union Debate With Multi-Agent LLMs", three layers of
judging. That a tie of the panel is a verdict of its own, and that a layer whose material is not
complete says nothing, is settled here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..tables import CONTESTED, SIDES

#: What a layer says that cannot say anything.
NONE = "none"
#: Of fewer readable votes there is no majority.
FEWEST_VOTES = 4


def majority(sides: Iterable[str]) -> str:
    """The side with more votes; contested where both have as many. "" is no vote."""
    votes = Counter(filter(None, sides))
    return higher(votes[SIDES[0]], votes[SIDES[1]])


def higher(proposition: float | None, opposition: float | None) -> str:
    """The side with the higher number; contested where equal, none where one is missing."""
    if proposition is None or opposition is None:
        return NONE
    if proposition == opposition:
        return CONTESTED
    return SIDES[opposition > proposition]


def panel(sides: Sequence[str]) -> str:
    """What the blind panel says: the majority of its readable votes, of at least four.

    Parameters
    ----------
    sides : side of each vote; "" where the vote cannot be read.
    """
    readable = [side for side in sides if side]
    return majority(readable) if len(readable) >= FEWEST_VOTES else NONE


def passes_agree(votes: Iterable[tuple[int, str]]) -> bool:
    """Whether one side has the majority of both passes.

    Parameters
    ----------
    votes : number of the pass, 1 or 2, and side; "" where the vote cannot be read.
    """
    by_pass: dict[int, list[str]] = {1: [], 2: []}
    for pass_, side in votes:
        by_pass[pass_].append(side)
    first, second = map(majority, by_pass.values())
    return first == second != CONTESTED


#: Layer -> the shares of all votes, or of all points, from which a winner is clearly ahead, and by
#: a landslide. The source prints no rule; by these its 22 published margins are as it prints them.
MARGINS = {"panel": (0.75, 0.9), "annotation": (0.55, 0.75)}


def margin(winner: str, decided_by: str, numbers: Mapping[str, Mapping[str, float]]) -> str:
    """How far a winner is ahead: narrow, clear or landslide; "" where nobody wins or no rule is.

    Parameters
    ----------
    numbers : layer -> side -> votes, or points.
    """
    if winner not in SIDES or decided_by not in MARGINS:
        return ""
    of = numbers[decided_by]
    share = of[winner] / sum(of.values())
    clear, landslide = MARGINS[decided_by]
    return "landslide" if share >= landslide else "clear" if share >= clear else "narrow"


def verdict(says: Mapping[str, str], layers: Sequence[str]) -> tuple[str, str]:
    """The winner, and the layer that decided.

    Parameters
    ----------
    says : layer -> what it alone says: a side, contested or none.
    layers : those that may decide, in the order in which they are asked.

    A tie of the panel is the verdict: nobody wins. A tie of another layer decides nothing.
    """
    for layer in layers:
        if says[layer] in SIDES or (layer == "panel" and says[layer] == CONTESTED):
            return says[layer], layer
    return CONTESTED, NONE
