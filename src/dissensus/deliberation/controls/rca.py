"""RCA, read as Regulated Causal Anchoring (the protocol does not expand it).

A judge who does not know the truth says whether a turn's stance follows from its own reasoning. A
turn whose stance does not is sent back with the judge's reason; after the last rejection the agent
abstains.
"""

from __future__ import annotations

from dataclasses import dataclass

from dissensus.deliberation.controls.reply import Part, read_reply


@dataclass(frozen=True)
class Verdict:
    """Whether the stance follows from the reasoning; None where the reply does not say."""

    follows: bool | None
    reason: str
    problems: tuple[str, ...]


class _Reply(Part):
    follows: bool
    reason: str = ""


def parse_verdict(text: str) -> Verdict:
    """Read a judge's reply: prose, then ``{"follows": true, "reason": ...}``, fenced or bare."""
    reply, problems = read_reply(text, _Reply)
    if reply is None:
        return Verdict(None, "", problems)
    # JSON can escape halves of surrogate pairs, which no request can carry back to the debater.
    reason = reply.reason.encode("utf-8", "replace").decode("utf-8")
    return Verdict(reply.follows, reason, ())
