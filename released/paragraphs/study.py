"""Does an agent that has read a peer's paragraph write its own in the peer's words?"""

import re
from difflib import SequenceMatcher
from pathlib import Path

from dissensus.measures import reuse_ratio
from dissensus.study.experiment import (
    Experiment,
    ExperimentSettings,
    Factor,
    File,
    Model,
    Outcome,
    quoted,
    text,
)

SHORTEST = 30
TASK = "Write one paragraph of about 80 words that answers this question: {asked}"
PEER = "A peer wrote this paragraph on the question:\n{said}\n"


def words(paragraph):
    """The words of a text, in lower case."""
    return re.findall(r"\w+(?:'\w+)*", paragraph.lower())


def paragraph(reply):
    """A reply that is long enough for wording to be compared."""
    if (count := len(words(reply))) < SHORTEST:
        raise ValueError(f"it has {count} words; write at least {SHORTEST}")
    return reply.strip()


class Paragraphs(Experiment):
    name = "paragraphs"
    question = "Does an agent that has read a peer's paragraph write its own in the peer's words?"
    arms = ("alone", "shown")
    factors = {"temperature": Factor((0.2, 1.0), "crossed")}
    item = {"asked": text("The question that the paragraphs are on.")}
    outcomes = {
        "reuse": Outcome(
            "Share of the words of both paragraphs that stand in matching runs, in order "
            "(Ratcliff-Obershelp).",
            "Wording shared with the peer",
            is_share=True,
        ),
        "longest": Outcome(
            "Words of the longest run that is the peer's.", "Longest run of the peer's", "words"
        ),
        "length": Outcome("Words of the paragraph.", "Length", "words"),
        "distinct": Outcome(
            "Share of its words that are different ones.", "Distinct words", is_share=True
        ),
    }

    class Settings(ExperimentSettings):
        model: Model
        questions: File
        """One question a line."""

    def items(self, rng):
        for asked in Path(self.settings.questions).read_text(encoding="utf-8").splitlines():
            yield {"asked": asked}

    def opening(self, session):
        yield session.call("peer", TASK.format(asked=session.item.asked), paragraph, expected=LONG)

    def debate(self, session):
        (peer,) = session.opening
        shown = PEER.format(said=quoted(peer.text)) if session.arm == "shown" else ""
        yield session.call(
            "author",
            shown + TASK.format(asked=session.item.asked),
            paragraph,
            temperature=session.factors.temperature,
            expected=LONG,
        )

    def measure(self, turns, item):
        if turns["value"].isna().any():
            return dict.fromkeys(self.outcomes)
        peer, own = map(words, turns["value"])
        longest = SequenceMatcher(None, peer, own, autojunk=False).find_longest_match().size
        distinct = len(set(own)) / len(own)
        ratio = reuse_ratio(peer, own)
        return {"reuse": ratio, "longest": longest, "length": len(own), "distinct": distinct}


#: What the plan takes a reply to be.
LONG = "word " * 80
