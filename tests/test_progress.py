"""What a person sees of a run: its pace in words, few lines in a log, one line in a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.ledger import Ledger
from dissensus.session.progress import Counts
from forked import run_snakemake
from snakemake_logger_plugin_dissensus.board import Board, Throughput, in_words
from support import SNAKEMAKE

#: A workflow with three sessions and a stage before and after them; what ``broken`` makes fails.
SNAKEFILE = """
import os, time
from pathlib import Path
from dissensus.session.progress import PROGRESS_COUNTS
from snakemake_logger_plugin_dissensus import close
from snakemake_logger_plugin_dissensus.board import BOARD

onstart:
    PROGRESS_COUNTS.begin(Path(".progress"))
    BOARD.expect("language", 3, 0)
    BOARD.open(Path(".progress"), None, None)

rule all:
    input: "gathered"
    message: "All is there"

rule draw:
    output: touch("manifest")
    message: "Draw the manifest"

rule run_session:
    input: "manifest"
    output: "{session}.done"
    message: "Run session {wildcards.session}"
    run:
        PROGRESS_COUNTS.count(begun=1)
        PROGRESS_COUNTS.count(calls=8, answers=8)
        time.sleep(1.2)
        PROGRESS_COUNTS.count(ended=1)
        Path(output[0]).touch()
        if wildcards.session == "b":
            logger.warning("b: failed for good, turn 1: timeout")

rule gather:
    input: "a.done", "b.done", "c.done"
    output: touch("gathered")

rule broken:
    input: "manifest"
    output: "never"
    log: "broken.log"
    message: "Break down"
    shell: "echo why > {log}; exit 3"

rule unwilling:
    input: "a.done"
    output: "nothing"
    run:
        import sys
        PROGRESS_COUNTS.count(begun=1)
        logger.warning("said just before")
        time.sleep(1.5)
        close()
        print("The last words.", file=sys.stderr, flush=True)
        os._exit(1)
"""


class Shown(list[str]):
    """A screen that remembers what it was shown."""

    def show(self, line: str) -> None:
        self.append(line)

    settle = show


def at_each(*ended: int, every_s: float, under_way: int = 0) -> Throughput:
    """The pace of a run in which so many sessions had ended at equal distances in time."""
    pace = Throughput(0.0, 0)
    for number, so_many in enumerate(ended, start=1):
        pace.note(number * every_s, so_many, under_way)
    return pace


def test_a_steady_pace() -> None:
    assert at_each(*range(1, 61), every_s=2.0).per_minute == pytest.approx(30.0)


def test_no_pace_without_something_to_base_it_on() -> None:
    assert at_each(1, 2, every_s=60.0).per_minute is None
    assert at_each(1, 2, 3, every_s=60.0).per_minute == pytest.approx(1.0)
    assert at_each(100, 200, every_s=1.0).per_minute is None
    # Ten under way, of which nine have ended: not yet a wave of them.
    assert at_each(3, 6, 9, every_s=60.0, under_way=10).per_minute is None
    assert at_each(3, 6, 10, every_s=60.0, under_way=10).per_minute == pytest.approx(10 / 3)


def test_replays_are_forgotten_after_some_minutes() -> None:
    replayed = [1_000 * second for second in range(1, 6)]
    later = [5_000 + second // 6 for second in range(1, 301)]
    pace = at_each(*replayed, *later, every_s=1.0)
    assert pace.per_minute == pytest.approx(10.0, rel=0.05)


def test_the_pace_of_long_sessions_reaches_back_a_wave() -> None:
    # Sixty sessions at once, each of ten minutes, seen when a wave ends and five minutes later.
    waves = [60 * (minute // 10) for minute in range(1, 26)]
    assert at_each(*waves[:20], every_s=60.0, under_way=60).per_minute == pytest.approx(6.0)
    assert at_each(*waves, every_s=60.0, under_way=60).per_minute == pytest.approx(60 / 15)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=400), st.integers(0, 80))
def test_a_pace_is_never_beyond_the_quickest_stretch(more: list[int], under_way: int) -> None:
    ended = [sum(more[: number + 1]) for number in range(len(more))]
    rate = at_each(*ended, every_s=10.0, under_way=under_way).per_minute
    assert rate is None or 0.0 < rate <= 6 * max(more) + 1e-9


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0 s"),
        (0.2, "1 s"),
        (59.0, "59 s"),
        (59.5, "1 min"),
        (61.0, "2 min"),
        (3_540.0, "59 min"),
        (3_541.0, "1 h"),
        (4_300.0, "1 h 12 min"),
        (86_300.0, "23 h 59 min"),
        (86_341.0, "1 d"),
        (100_000.0, "1 d 4 h"),
    ],
)
def test_time_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def board(folder: Path, counts: Counts, ledger: Path | None, budget_usd: float | None) -> Shown:
    """What a board shows last of a run of 2,000 sessions, 500 of which it need not hold."""
    shown, made = Shown(), Board()
    made.screen = shown
    made.expect("language", 1_500, 500)
    made.expect("identity", 500, 0)
    (folder / "one.json").write_text(json.dumps(asdict(counts)))
    made.open(folder, ledger, budget_usd)
    made.close()
    made.close()
    return shown


def test_what_a_board_says(tmp_path: Path) -> None:
    ledger, bound = tmp_path / "ledger.jsonl", tmp_path / "bound.jsonl"
    Ledger(ledger, None).add("m", 1.25, 10, 10)
    books = Ledger(bound, 20.0)
    books.add("m", 0.07, 10, 10)
    books.add("m", 0.11, 10, 0, sure=False)
    books.reserve("m", 0.10)
    counts = Counts(700, 600, 2, answers=5_000, calls=4_900, repairs=61, reruns=1)
    work = "2 failed for good; {}4,900 calls, 100 answers from a journal, 61 repairs, 1 rerun"
    for money, path, budget in (
        ("", None, None),
        ("$1.25 of $20.00 spent; ", ledger, 20.0),
        ("$1.25 spent; ", ledger, None),
        ("at most $0.2800 of $20.00 spent, $0.0700 of it billed; ", bound, 20.0),
    ):
        (said,) = board(tmp_path, counts, path, budget)
        words = re.sub(r"in \d+ s; ", "", said)
        assert words == "1,100 of 2,000 sessions " + work.format(money)


def test_a_board_tells_no_time_that_is_left_since_stages_come_after_the_sessions() -> None:
    made = Board()
    made.expect("language", 1_000, 0)
    made._throughput = at_each(*range(1, 61), every_s=2.0)
    assert made._outlook(Counts(60, 60)) == "; 30 a minute"


def test_what_others_completed_is_counted_at_the_end(tmp_path: Path) -> None:
    # One session was completed by a process that outlived the run before.
    shown, made = Shown(), Board()
    made.screen, made.recount = shown, lambda: 48
    made.expect("language", 48, 40)
    (tmp_path / "one.json").write_text(json.dumps(asdict(Counts(7, 7))))
    made.open(tmp_path, None, None)
    made.close()
    assert [said.partition(" in ")[0] for said in shown] == ["48 of 48 sessions"]


def test_a_study_that_is_drawn_later_is_counted_too(tmp_path: Path) -> None:
    shown, made = Shown(), Board()
    made.screen = shown
    made.expect("language", 2, 0)
    (tmp_path / "one.json").write_text(json.dumps(asdict(Counts(2, 2))))
    made.open(tmp_path, None, None)
    until = time.monotonic() + 120
    while not shown and time.monotonic() < until:
        time.sleep(0.05)
    made.expect("identity", 3, 0)
    (tmp_path / "two.json").write_text(json.dumps(asdict(Counts(3, 3))))
    made.close()
    ends = [said.partition(" in ")[0] for said in shown if " in " in said]
    assert ends == ["2 of 2 sessions", "5 of 5 sessions"]


def test_a_damaged_ledger_costs_only_the_money(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    ledger.write_text("nonsense\n")
    (said,) = board(tmp_path, Counts(1, 1, calls=1, answers=1), ledger, 20.0)
    assert said.endswith("; 1 call")


def test_a_run_without_sessions_has_no_board(tmp_path: Path) -> None:
    assert board(tmp_path, Counts(), None, None) == []


@pytest.fixture
def workflow(tmp_path: Path) -> Path:
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    return tmp_path


def command(*arguments: str) -> list[str]:
    started = [*SNAKEMAKE, "--cores", "2", "--force-use-threads"]
    return [*started, *arguments, "--logger", "dissensus"]


def piped(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_snakemake(folder, command(*arguments)[len(SNAKEMAKE) :], seconds=120)


def in_terminal(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """A run's status and all that it writes on a terminal."""
    ours, theirs = pty.openpty()
    given = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    run = subprocess.Popen(
        command(*arguments), cwd=folder, env=given, stdout=theirs, stderr=theirs, stdin=theirs
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 65_536)
        except OSError:
            break
        if not more:
            break
        said += more
    os.close(ours)
    return run.wait(120), said.decode()


def test_a_log_has_a_line_for_each_job_and_one_for_the_sessions(workflow: Path) -> None:
    done = piped(workflow)
    assert done.returncode == 0, done.stderr
    lines = [re.sub(r"^\[[\d:]{8}\] ", "", line) for line in done.stderr.splitlines()]
    for line in ("6 jobs of 4 rules, 3 sessions", "Draw the manifest", "gather", "All is there"):
        assert lines.count(line) == 1, (line, done.stderr)
    assert "b: failed for good, turn 1: timeout" in lines
    (summary,) = [line for line in lines if "of 3 sessions" in line]
    assert re.fullmatch(r"3 of 3 sessions in [^;]+; 24 calls", summary)
    assert "Run session" not in done.stderr
    assert "\x1b" not in done.stderr and "\r" not in done.stderr
    assert done.stdout == ""


def test_a_terminal_has_one_line_that_moves(workflow: Path) -> None:
    status, said = in_terminal(workflow)
    assert status == 0, said
    assert re.search(r"\r\x1b\[2K\x1b\[1m\d of 3 sessions; \d+ calls", said)
    assert said.count("] 3 of 3 sessions in ") == 1
    # The warning stands in a line of its own, above the one that moves.
    assert re.search(r"\x1b\[2K\x1b\[33mb: failed for good, turn 1: timeout\x1b\[0m\r\n", said)
    assert "Run session" not in said


@pytest.mark.thorough
def test_no_colour_where_none_is_wanted(workflow: Path) -> None:
    status, said = in_terminal(workflow, NO_COLOR="1")
    assert status == 0
    assert "of 3 sessions; " in said
    assert not re.search(r"\x1b\[[\d;]*3\dm", said)


def test_a_rule_that_fails_is_told_as_snakemake_tells_it(workflow: Path) -> None:
    done = piped(workflow, "never", "--show-failed-logs")
    assert done.returncode == 1
    for part in ("Break down", "Error in rule broken:", "    log: broken.log (check log file(s)"):
        assert part in done.stderr
    assert "Logfile broken.log:\n====" in done.stderr
    assert "\nwhy\n" in done.stderr


def test_the_last_words_of_a_run_are_its_last(workflow: Path) -> None:
    status, said = in_terminal(workflow, "nothing")
    assert status == 1
    assert "said just before" in said
    lines = said.splitlines()
    assert lines[-1] == "The last words."
    assert "] 1 of 3 sessions in " in lines[-2]


def test_a_dry_run_says_what_will_run_and_not_where(workflow: Path) -> None:
    done = piped(workflow, "--dry-run")
    assert done.returncode == 0, done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    for line in ("Draw the manifest", "Run session a", "Run session b", "gather", "All is there"):
        assert lines.count(line) == 1, lines
    assert lines.count("Job stats:") == 1 and lines.index("Job stats:") > lines.index("gather")
    for word in ("Host", "User", "Platform", "Command", "Workflow ID", "DAG", "flag -n", "Reasons"):
        assert not any(word in line for line in lines), word


def test_a_dry_run_says_why_a_job_runs_again(workflow: Path) -> None:
    assert piped(workflow, "manifest").returncode == 0
    again = piped(workflow, "--dry-run", "manifest", "--forcerun", "draw")
    assert "\nforced: draw\n" in again.stdout + again.stderr
    assert "Nothing to be done" in piped(workflow, "--dry-run", "manifest").stdout


def test_quiet_about_progress(workflow: Path) -> None:
    done = piped(workflow, "--quiet", "progress")
    assert done.returncode == 0
    assert "sessions" not in done.stderr
    assert "Draw the manifest" in done.stderr


def test_verbose_is_all_that_snakemake_says(workflow: Path) -> None:
    said = piped(workflow, "--verbose").stderr
    assert "Run session a" in said and "Job stats:" in said
    assert "3 of 3 sessions in " in said
