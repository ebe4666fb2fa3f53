"""The session that looks back on the examples of a domain: why each is one, and what it lacked.

It has two calls for each example: a rationale, and then a counterfactual that is shown the
rationale. Neither is told what the public prefers, of any statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dissensus.llm.call import Message
from dissensus.session.inputs import Inputs
from dissensus.session.protocol import Call, Decoding, Steps
from dissensus.session.quoting import quoted
from dissensus.session.runner import CallFailed
from dissensus.session.templates import render, repaired

from ..learning.block import COUNTERFACTUAL, RATIONALE, example_id
from ..learning.tables import PROFILES, PROFILES_FILE
from ..learning.wording import BAD, GOOD, OTHER, LearningWords
from ..replies import SpeechFormat


@dataclass(frozen=True)
class Reflection:
    """Whose examples are looked back on, and by whom.

    Attributes
    ----------
    words : the wording of the prompts.
    domain : of the examples.
    examples : how many there are of each label, at most.
    model : that is asked.
    decoding : of its replies.
    inputs : the profiles.
    """

    words: LearningWords
    domain: str
    examples: int
    model: str
    decoding: Decoding
    inputs: Inputs

    def start(self) -> Callable[[], Steps]:
        """What runs one attempt at the session."""
        return self._steps

    def _steps(self) -> Steps:
        rows = self._examples()
        if not rows:
            raise CallFailed(f"no training debate of {self.domain} ran to its end")
        turns = yield [self._call(1, RATIONALE, row, "") for row in rows]
        rationales = [turn.value or "" for turn in turns]
        yield [
            self._call(2, COUNTERFACTUAL, row, reason)
            for row, reason in zip(rows, rationales, strict=True)
        ]

    def _examples(self) -> Sequence[Mapping[str, Any]]:
        """The examples, the good ones first, each label in the order of its places."""
        examples = []
        for label in (GOOD, BAD):
            where = {"domain": self.domain, "label": label}
            rows = self.inputs.rows_of(PROFILES_FILE, PROFILES, where, self.examples)
            examples += sorted(rows, key=lambda row: row["place"])
        return examples

    def _call(self, number: int, role: str, row: Mapping[str, Any], rationale: str) -> Call:
        words, label = self.words, words_of(self.words, row["label"])
        given = {
            "COUNT": str(row["others"]),
            "STATEMENT": row["statement"],
            "SUMMARY": row["summary"],
            "COURSE": row["course"],
            "LABEL": label,
            "OTHER": words_of(words, OTHER[row["label"]]),
        }
        if role == COUNTERFACTUAL:
            shown = render(words.rationale_shown, LABEL=label, TEXT=quoted(rationale))
            given["RATIONALE"] = shown.rstrip("\n") if rationale else ""
        messages = (
            Message("system", words.system),
            Message("user", render(words[role], **given).rstrip("\n")),
        )
        return Call(
            number,
            example_id(row["label"], row["place"]),
            role,
            role,
            self.model,
            messages,
            SpeechFormat(),
            partial(repaired, messages, words.repair),
            self.decoding,
            "reflect",
            required=False,
        )


def words_of(words: LearningWords, label: str) -> str:
    """What examples of a label are called."""
    return str(words.labels[label])
