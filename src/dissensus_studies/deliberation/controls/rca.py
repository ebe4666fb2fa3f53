"""RCA, read as Regulated Causal Anchoring (the protocol does not expand it).

A judge who does not know the truth says whether a turn's stance follows from its own reasoning. A
turn whose stance does not is sent back with the judge's reason; after the last rejection the agent
abstains.
"""

from __future__ import annotations

from dataclasses import dataclass

from dissensus.session.replies import JsonReply, Lenient


@dataclass(frozen=True)
class Verdict:
    """Whether the stance follows from the reasoning; None where the reply does not say."""

    follows: bool | None
    reason: str
    problems: tuple[str, ...]


class _Reply(Lenient):
    follows: bool
    reason: str = ""


def parse_verdict(text: str) -> Verdict:
    """Read a judge's reply: prose, then ``{"follows": true, "reason": ...}``, fenced or bare."""
    parsed = JsonReply(_Reply).read(text)
    reply = parsed.value
    if reply is None:
        return Verdict(None, "", parsed.problems)
    return Verdict(reply.follows, reply.reason, ())
