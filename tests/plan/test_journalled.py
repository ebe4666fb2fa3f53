"""Plan and cost count what journals answer: all of it, none after an edit, and what a kill left."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.plan.described import describe_covered
from dissensus.plan.journalled import Covered, covered
from dissensus.study.sessions import Sessions
from reader.small_run import configuration, run_sessions
from support import ROOT

RUN = Path("results/demo")
#: Four sessions of eight turns, of two draws in two languages.
SESSIONS, TURNS = 4, 8


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    monkeypatch.chdir(tmp_path)
    return run_sessions(RUN, configuration())


def found_in(sessions: Sessions, **protocol: float) -> Covered | None:
    own = configuration().study("language").settings.protocol.model_dump()
    settings = configuration(protocol={**own, **protocol})
    again = Sessions.read(settings, sessions.folder)
    return covered(again, settings.registry(RUN, "plan"))


def test_a_run_that_is_whole_needs_no_call(sessions: Sessions) -> None:
    found = found_in(sessions)
    assert found and not found.left and found.unused == 0
    assert found.answers >= SESSIONS * TURNS
    (line, *more) = describe_covered(sessions, found)
    assert not more or "left if nothing goes wrong: 0" in " ".join([line, *more])
    assert line.startswith(f"in journals already: {found.answers} replies, which make 4 of 4 sess")


def test_after_an_edit_all_is_asked_anew(sessions: Sessions) -> None:
    before, found = found_in(sessions), found_in(sessions, temperature=0.5)
    assert before and found
    assert (found.answers, len(found.left)) == (0, SESSIONS)
    assert (found.later, found.unused) == (before.answers, 0)
    said = " ".join(describe_covered(sessions, found))
    assert f"calls that are left if nothing goes wrong: at most {SESSIONS * TURNS} " in said
    assert f"{before.answers} more replies in journals come after a call whose prompt has" in said
    assert "no longer sent" not in said


def test_replies_that_a_whole_session_left_behind_are_no_calls_to_make(sessions: Sessions) -> None:
    first, second, *_ = sorted((sessions.folder / "journal").glob("*.jsonl"))
    spare = second.read_text("utf-8").splitlines(keepends=True)
    with first.open("a", encoding="utf-8") as lines:
        lines.writelines(spare[:2])
    found = found_in(sessions)
    assert found and (found.unused, found.later, len(found.left)) == (2, 0, 0)
    said = " ".join(describe_covered(sessions, found))
    assert "left if nothing goes wrong: 0" in said
    assert "2 more replies in journals are to prompts that are no longer sent" in said
    assert "made anew" not in said


def test_what_a_kill_left_is_counted(sessions: Sessions) -> None:
    (first, *_) = sorted((sessions.folder / "journal").glob("*.jsonl"))
    lines = first.read_text("utf-8").splitlines(keepends=True)
    first.write_text("".join(lines[:3]), encoding="utf-8")
    whole, found = len(lines), found_in(sessions)
    assert found and list(found.left) == [first.stem]
    assert (found.begun, found.unused, found.later) == (3, 0, 0)
    said = " ".join(describe_covered(sessions, found))
    assert (
        f"which make 3 of 4 sessions; calls that are left if nothing goes wrong: {TURNS - 3}"
        in said
    )
    assert whole >= TURNS


def test_a_run_without_journals_says_nothing(sessions: Sessions) -> None:
    for path in (sessions.folder / "journal").iterdir():
        path.unlink()
    assert found_in(sessions) is None
    assert describe_covered(sessions, None) == []
