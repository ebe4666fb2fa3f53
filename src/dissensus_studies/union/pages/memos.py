"""All coaching memos of a run, to read."""

from __future__ import annotations

from dissensus.report.markdown import bullets, line, page

from .. import replies
from .run import Row, Run

_PARTS = {
    "worked": "What worked",
    "failed": "What failed",
    "missed": "What was missed",
    "advice": "Advice",
}


def memos_page(run: Run) -> str:
    """The memos in Markdown, by motion and epoch, one for each student."""
    parts = []
    for session in run.sessions("memo"):
        epoch, motion = session["epoch"], run.motions[session["motion_id"]]["motion"]
        parts.append(f"## {line(motion)}: before epoch {epoch}")
        if not run.ended(session["session_id"]):
            why = line(run.outcomes[session["session_id"]]["failure"])
            parts.append(f"The memo failed for good: {why}")
            continue
        for turn in run.turns[session["session_id"]]:
            parts += _memo(turn)
    return page("Coaching memos", parts or ["The run has no memos."], run.simulated)


def _memo(turn: Row) -> list[str]:
    parts = [f"### To {line(turn['speaker'])}"]
    memo = replies.read(replies.Memo, turn["text"])
    if memo is None:
        return [*parts, "*The memo could not be read.*"]
    for name, title in _PARTS.items():
        parts += [f"{title}:", bullets(getattr(memo, name))]
    return parts
