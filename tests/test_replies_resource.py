"""Every reply of resources/replies is read as it says there."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from dissensus.llm.outcomes import fault_in, message_of, outcome_of, status_of
from dissensus.llm.providers.anthropic import AnthropicCodec
from dissensus.llm.providers.openai import OpenAICodec
from dissensus.session.quoting import block
from dissensus.session.replies import JsonReply
from dissensus_studies.consensus.replies import BallotFormat
from dissensus_studies.consensus.scale import LABELS, UNREAD
from dissensus_studies.deliberation.controls.crit import parse_assessment
from dissensus_studies.deliberation.controls.rca import parse_verdict
from dissensus_studies.deliberation.turns import parse_turn
from dissensus_studies.identity.measures.reading import parse_answer, parse_leniently
from dissensus_studies.union import replies as union
from support import ROOT

FILE = ROOT / "resources/replies/replies.jsonl"
REPLIES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
INTERFACES = {"openai": OpenAICodec, "anthropic": AnthropicCodec}
MODELS = {
    "blind_vote": union.BlindVote,
    "labelled_vote": union.LabelledVote,
    "rubric": union.Rubric,
    "claims": union.FoundClaims,
    "rebuttals": union.FoundRebuttals,
}


def read(entry: dict[str, Any]) -> Any:
    """What a reply's reader makes of it, in the terms of ``reads``."""
    reader, reply = entry["reader"], entry["reply"]
    if reader in ("choice", "number"):
        options = entry.get("options", ())
        asked = reply, {"choice": "choice", "number": "numeric"}[reader], len(options), options
        answer = parse_answer(*asked)
        return {"answer": answer, "lenient": answer or parse_leniently(*asked)}
    if reader == "ballot":
        ballot = BallotFormat(entry["confident"]).read(reply).value
        assert ballot is not None
        vote = "" if ballot.vote == UNREAD else LABELS[ballot.vote]
        return {"vote": vote, "confidence": ballot.confidence}
    if reader == "turn":
        turn = parse_turn(reply, entry["options"])
        return {
            **{"stance": turn.stance, "confidence": turn.confidence, "claims": len(turn.claims)},
            **{"engagements": len(turn.engagements), "sound": not turn.problems},
        }
    if reader in INTERFACES:
        answer = INTERFACES[reader]().parse(reply)
        names = ("text", "thought", "finish_reason", "error")
        used = {
            f"{way}_tokens": getattr(answer.usage, f"{way}_tokens") for way in ("input", "output")
        }
        return {name: getattr(answer, name) for name in names} | used
    if reader == "fault":
        fault = fault_in(reply)
        if fault is None:
            return None
        return {"outcome": outcome_of(status_of(fault), fault), "message": message_of(fault)}
    if reader == "block":
        return block(reply)
    if reader == "assessment":
        assessment = parse_assessment(reply)
        return None if assessment.problems else {"reasons": len(assessment.reasons)}
    if reader == "verdict":
        verdict = parse_verdict(reply)
        return None if verdict.problems else {"follows": verdict.follows}
    value: Any = JsonReply(MODELS[reader]).read(reply).value
    if value is None:
        return None
    if reader in ("claims", "rebuttals"):
        return {"count": len(getattr(value, reader))}
    return {name: getattr(value, name) for name in entry["reads"] or value.model_fields}


@pytest.mark.parametrize("entry", REPLIES, ids=[entry["id"] for entry in REPLIES])
def test_a_reply_is_read_as_it_should_be(entry: dict[str, Any]) -> None:
    assert read(entry) == entry["reads"]


def test_there_are_enough_of_every_kind() -> None:
    kinds = Counter(entry["reader"] for entry in REPLIES)
    assert kinds.total() >= 200
    assert set(kinds) == {"choice", "number", "ballot", "turn", "assessment", "verdict"} | {
        *("fault", "block"),
        *INTERFACES,
        *MODELS,
    }
    assert len({entry["id"] for entry in REPLIES}) == len(REPLIES)
