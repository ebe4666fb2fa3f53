"""The five-point scale that agents vote on, and what a public may prefer on it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from dissensus.text.seen import BLANK, as_seen

#: In the order of their points, 0 to 4.
LABELS = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")
POINTS = len(LABELS)
AGREE = LABELS.index("Agree")
#: A vote that could not be read.
UNREAD = -1
#: Three levels for five points: against, neutral, for.
LEVELS = (0, 0, 1, 2, 2)

#: What may stand around a label without a meaning, and what may part it from its condition.
_AROUND = " '‘’[](){}.,;:!。、–—-"
_PARTS = ",;:.!()[]–—"
#: Words that begin a condition without any sign before it.
_IF = (
    *("if", "provided", "providing", "assuming", "as", "so", "on", "with", "when", "where", "once"),
    *("unless", "but", "conditionally", "under", "subject"),
)

_PLACES = {label.casefold(): point for point, label in enumerate(LABELS)}


def point_of(label: str) -> int:
    """The point of a label, whatever its capitals and spaces; :data:`UNREAD` where it is none."""
    return _PLACES.get(" ".join(label.split()).casefold(), UNREAD)


# Debates cast the same few votes again and again.
@lru_cache(maxsize=1024)
def read_vote(text: str) -> tuple[int, str]:
    """The point that a vote names, and the condition that it names with it; "" for none.

    A label may stand in quotes or brackets, and have a condition after it, since the prompt of
    ``compromise`` asks for such votes: "Agree (conditionally)", "Agree if it is funded",
    "Conditionally agree". A condition with a label of its own, as in "Agree, or rather Neutral",
    leaves the vote unread, and so does any other text.

    Returns
    -------
    point, condition
        :data:`UNREAD` and "" where it is no vote.
    """
    marked = re.sub('[*_`"“”„«»]', "", unicodedata.normalize("NFKC", text))
    plain = " ".join(marked.split()).strip(_AROUND)
    bare = re.sub("^conditional(ly)? ", "", plain, flags=re.IGNORECASE)
    labels = sorted(LABELS, key=len, reverse=True)
    label = next((name for name in labels if bare.casefold().startswith(name.casefold())), "")
    rest = bare[len(label) :]
    words = rest.split()
    is_condition = rest[:1] in _PARTS or (
        rest.startswith(" ") and (words[0].casefold() in _IF or not words[0][0].isalnum())
    )
    if not label or not is_condition or names_label(rest, range(POINTS)):
        return UNREAD, ""
    condition = rest.strip(_AROUND)
    return point_of(label), condition or ("conditionally" if bare != plain else "")


def label_of(vote: int) -> str:
    """The label of a vote; "not stated" where it could not be read."""
    return "not stated" if vote == UNREAD else LABELS[vote]


def read_truth(text: str) -> list[int]:
    """The points of a preference such as "Agree" or "Neutral to Agree"; none where it is neither.

    A set is written by its two ends, the lower first.
    """
    ends = [point_of(part) for part in text.split(" to ")]
    if UNREAD in ends or len(ends) > 2 or (len(ends) == 2 and ends[0] >= ends[1]):
        return []
    return list(range(ends[0], ends[-1] + 1))


def middle(truth: Sequence[int]) -> int:
    """The one point that stands for a preference: the middle of a set, or the one above it."""
    return truth[len(truth) // 2]


def names_label(text: str, truth: Sequence[int]) -> str:
    """The first label of a preference that a text has in it; "" for none.

    Capitals, white space, full width, characters that are not seen and letters that look like
    others hide no label, nor does a longer word: "disagree" has "agree" in it. To be on the safe
    side costs a nudger a word.
    """
    labels = {LABELS[point]: " ".join(LABELS[point].casefold().split()) for point in truth}
    folded = " ".join("".join(as_seen(word)) for word in BLANK.sub(" ", text).split())
    return next((label for label, words in labels.items() if words in folded), "")


def agreed(votes: Sequence[int]) -> bool:
    """Whether every vote of a round could be read and is the same."""
    return UNREAD not in votes and len(set(votes)) == 1


def plurality(votes: Sequence[int]) -> int:
    """The unique plurality of a round's votes; :data:`UNREAD` where there is none."""
    counts = sorted(((votes.count(point), point) for point in range(POINTS)), reverse=True)
    return counts[0][1] if counts[0][0] > counts[1][0] else UNREAD


def trust(confidence: float) -> float:
    """What a vote of some confidence weighs in ReConcile (Chen, Saha and Bansal 2024, section 3).

    The steps are that paper's: models are too sure of themselves, so that all but full confidence
    weighs less than it says.
    """
    if confidence <= 0.6:
        return 0.1
    steps = ((1.0, 1.0), (0.9, 0.8), (0.8, 0.5))
    return next((weight for least, weight in steps if confidence >= least), 0.3)
