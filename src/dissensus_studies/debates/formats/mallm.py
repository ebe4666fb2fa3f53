"""The JSON that MALLM writes of its discussions, as turns.

A discussion is a session, a memory a turn, and each vote a turn without words. Its references are
the truth where there is one, and its final answer is the decision.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.setting_faults import show

from . import read_json

Row = dict[str, Any]
#: What a discussion has in any case.
_NEEDED = ("exampleId", "globalMemory", "references", "input")
#: The votes that are taken where there are several sorts.
_FIRST = ("anonymous", "public")


def turns(path: Path) -> Iterator[Row]:
    """The turns of all discussions of a file.

    Raises
    ------
    ResourceError : the file is none of MALLM's, by the number of the discussion.
    """
    discussions = read_json(path)
    if not isinstance(discussions, list):
        raise ResourceError(f"{path} holds {show(discussions)}; MALLM writes a list, [...].")
    counts: dict[str, int] = {}
    for number, given in enumerate(discussions, start=1):
        where = f"{path}, discussion {number}"
        lacking = [name for name in _NEEDED if not isinstance(given, dict) or name not in given]
        if lacking:
            raise ResourceError(f"{where}: it has no {lacking[0]}, which MALLM writes of each.")
        name = str(given["exampleId"])
        counts[name] = counts.get(name, 0) + 1
        yield from _session(given, f"{name} ({counts[name]})" if counts[name] > 1 else name, where)


def _session(given: Mapping[str, Any], name: str, where: str) -> Iterator[Row]:
    """The turns of a discussion, and then the votes."""
    personas = given.get("personas") or []
    models = {each["agentId"]: each.get("model") or "" for each in personas}
    references = given["references"] or []
    shared = {
        "session": name,
        # The baseline of one model has no paradigm.
        "arm": given.get("paradigm") or "baseline",
        "item": "\n".join(map(str, given["input"] or [])) or name,
        "truth": references[0] if len(references) == 1 else None,
        "decision": given.get("finalAnswer"),
        "person": False,
    }
    seats = _seats(given["globalMemory"], personas)
    last = 0
    for memory in given["globalMemory"]:
        if not isinstance(memory, dict) or not isinstance(memory.get("message"), str):
            raise ResourceError(f"{where}: a memory has no message, which MALLM writes of each.")
        agent = memory.get("agent_id") or ""
        last += 1
        yield {
            **shared,
            "turn": last,
            "round": memory.get("turn"),
            "speaker": seats[agent],
            "role": memory.get("contribution") or "",
            "model": models.get(agent, ""),
            "text": memory["message"],
            "value": memory.get("solution"),
        }
    for voting in (given.get("votesEachTurn") or {}).values():
        last += 1
        for agent, vote in _votes(voting, [each["agentId"] for each in personas]):
            speaks = {"speaker": seats[agent], "role": "vote", "model": models[agent], "text": ""}
            yield {**shared, "turn": last, **speaks, "value": vote}


def _seats(memories: list[Row], personas: list[Row]) -> dict[str, str]:
    """Agent -> its persona, with a number where several agents have one."""
    named = {each["agentId"]: each.get("persona") or "" for each in personas}
    for memory in memories:
        agent = memory.get("agent_id") or "" if isinstance(memory, dict) else ""
        named.setdefault(agent, memory.get("persona") or "" if isinstance(memory, dict) else "")
    seats: dict[str, str] = {}
    for place, (agent, persona) in enumerate(named.items(), start=1):
        name = " ".join(str(persona).split()) or f"A{place}"
        taken = name in seats.values()
        seats[agent] = f"{name} {place}" if taken else name
    return seats


def _votes(voting: Mapping[str, Any], agents: list[str]) -> Iterator[tuple[str, Any]]:
    """Agent and what it votes for, where each has one vote; other ballots are left out."""
    alterations = voting.get("alterations") or {}
    taken: Mapping[str, Any] = next(
        (alterations[name] for name in (*_FIRST, *alterations) if name in alterations), {}
    )
    votes, answers = taken.get("votes"), voting.get("answers") or []
    if isinstance(votes, list) and len(votes) == len(agents):
        for agent, vote in zip(agents, votes, strict=True):
            is_place = isinstance(vote, int) and 0 <= vote < len(answers)
            yield agent, answers[vote] if is_place else json.loads(json.dumps(vote))
