"""Docent's agent runs: one a session, with a transcript an agent, as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from dissensus.errors import ResourceError
from dissensus.keep.exporting.messages import message, metadata, outcomes, usage
from dissensus.keep.exporting.sessions import Exported, StudyFolder
from dissensus.tables.artefact import replacing


def write_docent(study: StudyFolder, path: Path) -> int:
    """Write an agent run a line; how many there are.

    An agent's transcript is what it says. What it was shown is in no artefact, so that no words of
    others stand there. A session that failed for good has no words, and Docent takes no such run:
    it is left out.

    Raises
    ------
    ResourceError : the file's name does not end in .jsonl.
    """
    if path.suffix != ".jsonl":
        raise ResourceError(f"{path} ends otherwise than .jsonl; an agent run is a line.")
    count = 0
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for session in study.sessions():
            if not session.turns:
                continue
            file.write(json.dumps(_run(study, session), ensure_ascii=False) + "\n")
            count += 1
    return count


def _run(study: StudyFolder, session: Exported) -> dict[str, Any]:
    place = f"dissensus/{study.folder.parent.name}/{study.folder.name}/{session.name}"
    agents = dict.fromkeys(turn["speaker"] for turn in session.turns)
    return {
        "id": str(uuid5(NAMESPACE_URL, place)),
        "name": session.name,
        "description": session.title,
        "transcripts": [
            {
                "id": str(uuid5(NAMESPACE_URL, f"{place}/{agent}")),
                "name": agent,
                "messages": [message(t) for t in session.turns if t["speaker"] == agent],
                "metadata": {"agent": agent},
            }
            for agent in agents
        ],
        "metadata": {
            **metadata(study, session),
            "scores": outcomes(session),
            "usage": usage(study.calls(session.name)),
        },
    }
