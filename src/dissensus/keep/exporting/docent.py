"""Docent's agent runs: one a session, with a transcript an agent, as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from dissensus.errors import ResourceError
from dissensus.keep.exporting.messages import failure, message, metadata, outcomes, usage
from dissensus.keep.exporting.sessions import Exported, StudyFolder
from dissensus.tables.artefact import replacing

#: Whose transcript a session has that failed for good.
_NOBODY = "nobody"


def write_docent(study: StudyFolder, path: Path) -> int:
    """Write an agent run a line; how many there are.

    An agent's transcript is what it says. What it was shown is in no artefact, so that no words of
    others stand there. Of a session that failed for good there is a transcript without messages,
    since Docent takes no run without any, and the metadata say why it failed.

    Raises
    ------
    ResourceError : the file's name does not end in .jsonl.
    """
    if path.suffix != ".jsonl":
        raise ResourceError(f"{path} ends otherwise than .jsonl; an agent run is a line.")
    count = 0
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for session in study.sessions():
            file.write(json.dumps(_run(study, session), ensure_ascii=False) + "\n")
            count += 1
    return count


def _run(study: StudyFolder, session: Exported) -> dict[str, Any]:
    place = f"dissensus/{study.folder.parent.name}/{study.folder.name}/{session.name}"
    agents = dict.fromkeys(turn["speaker"] for turn in session.turns) or {_NOBODY: None}
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
            "failure": failure(session),
            "scores": outcomes(session),
            "usage": usage(study.calls(session)),
        },
    }
