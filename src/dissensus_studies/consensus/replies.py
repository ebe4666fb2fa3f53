"""What agents' replies must be, and what is read of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dissensus.session.protocol import Parsed

from .scale import LABELS, UNREAD, names_label, read_vote

#: A line of a list or a heading, with marks of Markdown or none; a quoted one is another's. What is
#: stated is without its margins: to look for these here would take the square of the time.
_LINE = r"^[ \t*_#•\-]*+{name}[ \t*_]*+[:：](.*)$"
_BEFORE, _AFTER = " \t*_", " \t*_."
_VOTE = re.compile(_LINE.format(name="(?:final )?vote"), re.IGNORECASE | re.MULTILINE)
_CONFIDENCE = re.compile(_LINE.format(name="confidence"), re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Ballot:
    """A vote with its explanation.

    Attributes
    ----------
    vote : 0 to 4, or :data:`~.scale.UNREAD`.
    explanation : the reply without its lines of vote and confidence, but with a vote's condition.
    confidence : 0 to 1; None where none is asked for or it cannot be read.
    """

    vote: int
    explanation: str
    confidence: float | None = None


@dataclass(frozen=True)
class BallotFormat:
    """A reply that explains, and ends with a line such as ``Vote: Agree``.

    A condition, as in ``Vote: Agree, if it is funded``, stays in the explanation. Lines that say
    different votes are none: one of them may be quoted from another agent.

    Attributes
    ----------
    confident : whether a line such as ``Confidence: 0.8`` is wanted too.
    """

    confident: bool = False

    def read(self, text: str) -> Parsed[Ballot]:
        """A vote that cannot be read is a problem, and leaves the explanation as it is."""
        problems = []
        votes = {read_vote(_stated(vote))[0] for vote in _VOTE.findall(text)}
        vote = votes.pop() if len(votes) == 1 else UNREAD
        if votes:
            problems.append("there are several lines 'Vote:', and they differ")
        elif vote == UNREAD:
            problems.append(f"there is no line 'Vote:' with one of {', '.join(LABELS)}")
        confidence = _confidence(text) if self.confident else None
        if self.confident and confidence is None:
            problems.append("there is no line 'Confidence:' with a number from 0 to 1")
        explanation = _VOTE.sub(lambda line: read_vote(line[1])[1], text)
        if self.confident:
            explanation = _CONFIDENCE.sub("", explanation)
        explanation = explanation.strip()
        if not explanation:
            problems.append("there is no explanation")
        return Parsed(Ballot(vote, explanation, confidence), tuple(problems))


@dataclass(frozen=True)
class SpeechFormat:
    """A contribution without a vote: any text, but for the labels of a secret preference.

    Attributes
    ----------
    secret : points of the scale whose labels it may not have in it; none for other speakers.
    """

    secret: tuple[int, ...] = ()

    def read(self, text: str) -> Parsed[str]:
        """The text; None where it gives the secret away, so that nobody is shown it."""
        if not text.strip():
            return Parsed(None, ("it is empty",))
        label = names_label(text, self.secret)
        if label:
            return Parsed(None, (f"it has the words {label!r} in it, which nobody may be told",))
        return Parsed(text.strip())


def _stated(rest: str) -> str:
    """What stands on a line after its colon, without mark-up and a full stop."""
    return rest.lstrip(_BEFORE).rstrip(_AFTER)


def _confidence(text: str) -> float | None:
    stated = list(_CONFIDENCE.finditer(text))
    try:
        value = float(_stated(stated[-1][1])) if stated else -1.0
    except ValueError:
        return None
    if value == 0.0 and stated[-1][0].endswith("0."):
        # It was cut off before its digits.
        return None
    return value if 0.0 <= value <= 1.0 else None
