"""The benchmarks' arithmetic, their table, and one part from end to end; nothing here is timed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def found() -> Any:
    """Its modules import each other as those of a script do."""
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


def module(name: str) -> Any:
    return import_module(name)


def rows(stem: Path) -> list[list[str]]:
    """The cells of a Markdown file's table, its two heading lines left out."""
    lines = [
        line for line in stem.with_suffix(".md").read_text("utf-8").splitlines() if "|" in line
    ]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


#: Measures a command that leaves a process behind, in a process that may adopt what is left.
ORPHAN = """
import subprocess, sys, timing
timing.adopt_orphans()
there = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
burn = "import time\\nwhile time.process_time() < 0.3: pass"
parent = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {burn!r}])"
cpu_s = timing.took([sys.executable, "-c", parent], ".").cpu_s
print(cpu_s, there.poll())
there.communicate()
"""


def test_processes_that_outlive_their_parent_count() -> None:
    command = [sys.executable, "-c", ORPHAN]
    done = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, check=True)
    cpu_s, another_child = done.stdout.split()
    assert float(cpu_s) >= 0.3 and another_child == "None"


def test_a_row_shows_median_range_ratio_and_whether_its_target_is_met() -> None:
    table = module("table")
    row = table.Row(
        "a run", "s", [3.0, 1.0, 2.5], "theirs", [10.0, 5.0], table.Target(0.4, "ratio")
    )
    assert row.median == 2.5
    assert row.ratio == pytest.approx(1 / 3)
    assert row.cells() == [
        "a run", "2.50 s", "1.00 to 3.00", "3",
        "theirs, 7.50 s", "0.333", "ratio at most 0.4", "yes",
    ]  # fmt: skip
    missed = table.Row("a run", "MB", [2_500.0], target=table.Target(2_048))
    assert missed.cells()[1:] == [
        "2,500 MB", "2,500 to 2,500", "1", "", "", "at most 2,048 MB", "no",
    ]  # fmt: skip


def test_a_target_may_be_a_least_and_is_met_at_its_limit() -> None:
    target = module("table").Target
    assert [target(2).met(x) for x in (1.9, 2.0, 2.1)] == [True, True, False]
    assert [target(2, least=True).met(x) for x in (1.9, 2.0, 2.1)] == [False, True, True]
    assert target(0.95, least=True).words("") == "at least 0.95"


def test_a_ratio_that_is_asked_for_and_cannot_be_had_is_not_met() -> None:
    table = module("table")
    row = table.Row("a run", "s", [1.0], "theirs", [0.0], table.Target(2, "ratio"))
    assert row.ratio is None
    assert row.cells()[-1] == "no"


@given(
    ours=st.lists(st.floats(0.01, 1e6), min_size=1, max_size=9),
    theirs=st.lists(st.floats(0.01, 1e6), min_size=1, max_size=9),
)
def test_the_ratio_turns_over_with_the_sides_and_no_run_s_place_matters(
    ours: list[float], theirs: list[float]
) -> None:
    row = module("table").Row
    there = row("x", "s", ours, "y", theirs).ratio
    back = row("y", "s", theirs[::-1], "x", ours[::-1]).ratio
    assert there * back == pytest.approx(1.0)
    assert min(ours) / max(theirs) <= there * (1 + 1e-9)
    assert there <= max(ours) / min(theirs) * (1 + 1e-9)


def test_a_part_measured_again_leaves_the_others_and_the_order(tmp_path: Path) -> None:
    table = module("table")
    first = table.Results(tmp_path / "results", ["start", "calls"])
    for part, seconds in (("calls", 1.0), ("start", 2.0)):
        first.begin(part, "a machine", 0.5)
        first.add(part, table.Row(part, "s", [seconds], target=table.Target(1.5)))
    again = table.Results(tmp_path / "results", ["start", "calls"])
    again.begin("start", "another machine", 1.25)
    again.add("start", table.Row("new", "s", [7.0]))
    assert [(part, what, median) for part, what, median, *_ in rows(tmp_path / "results")] == [
        ("start", "new", "7.00 s"),
        ("calls", "calls", "1.00 s"),
    ]
    text = (tmp_path / "results.md").read_text("utf-8")
    assert "- start (1.2): another machine\n- calls (0.5): a machine\n" in text
    stored = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert stored["calls"]["rows"][0]["values"] == [1.0]


def test_a_file_of_rows_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text('{"start": {"on": "x"}}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"results\.json .* delete it"):
        module("table").Results(tmp_path / "results", ["start"])


def test_what_fails_has_a_row_that_says_why_and_loses_no_other(tmp_path: Path) -> None:
    bench, table, timing = module("bench"), module("table"), module("timing")
    kept: list[Any] = []
    one = bench.Bench(tmp_path, 1, False, "", kept.append)
    with one.attempt("a command"):
        timing.took([sys.executable, "-c", "raise SystemExit('no | result')"], tmp_path)
    with one.attempt("a limit"):
        timing.took([sys.executable, "-c", "import time; time.sleep(600)"], tmp_path, limit_s=-1.0)
    with one.attempt("a fault"):
        raise ZeroDivisionError("by nothing")
    one.add(table.Row("the rest", "s", [1.0]))
    shown = [row.cells()[1] for row in kept]
    assert "ended with 1: no / result" in shown[0]
    assert "was ended after -1 s" in shown[1]
    assert shown[2:] == ["failed: ZeroDivisionError: by nothing", "1.00 s"]


@pytest.mark.slow
def test_processor_time_and_memory_are_those_of_all_processes(tmp_path: Path) -> None:
    timing = module("timing")
    # A child that holds 64 MB and works for 0.3 s of processor time, in a parent that only waits.
    work = (
        "import time; kept = bytearray(b'x') * (64 << 20)\n"
        "while time.process_time() < 0.3: pass\n"
        "print('done')"
    )
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}], check=True)"
    run = timing.took([sys.executable, "-c", parent], tmp_path)
    assert run.stdout == "done\n"
    assert run.cpu_s >= 0.3
    assert run.largest_mb >= 64
    assert run.together_mb >= run.largest_mb


def test_what_is_ended_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    timing = module("timing")
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    parent = f"import subprocess; child = subprocess.Popen({sleep!r}); child.wait()"
    with subprocess.Popen([sys.executable, "-c", parent]) as process:
        while not (children := psutil.Process(process.pid).children()):
            time.sleep(0.01)
        timing._end(process.pid)
        assert process.wait(60) == -signal.SIGKILL
    gone, alive = psutil.wait_procs(children, timeout=60)
    assert len(gone) == 1 and not alive


def test_a_difference_takes_times_apart_and_keeps_memory() -> None:
    took = module("timing").Took
    assert took(5.0, 4.0, 300.0, 400.0).without(took(2.0, 1.5, 100.0, 100.0)) == took(
        3.0, 2.5, 300.0, 400.0
    )


def test_a_size_s_cost_stands_beside_the_middle_one(tmp_path: Path) -> None:
    bench, scale, timing = module("bench"), module("scale"), module("timing")
    kept: list[Any] = []
    one = bench.Bench(tmp_path, 1, False, "", kept.append)
    # 200 sessions at 20 ms of processor time, 2,000 at 10, 20,000 at 14: 1.4 of the middle size's.
    whole = {
        n: [timing.Took(ms * n / 500, ms * n / 1000)]
        for n, ms in ((200, 20), (2_000, 10), (20_000, 14))
    }
    scale._costs(one, whole, 2_000, 20_000)
    assert [(row.median, row.ratio) for row in kept[:3]] == [
        (pytest.approx(20.0), pytest.approx(2.0)),
        (pytest.approx(10.0), None),
        (pytest.approx(14.0), pytest.approx(1.4)),
    ]
    assert kept[2].cells()[-2:] == ["ratio at most 1.3", "no"]
    assert kept[4].median == pytest.approx(20.0)


def test_the_votes_that_another_framework_is_given_are_each_debate_s_last(tmp_path: Path) -> None:
    statements = {"statement_id": ["s"], "statement": ["Keep the harbour."]}
    ended = {"complete": [True, False], "rounds_lasted": [2, 1], "mode": [3, -1]}
    cast = [("a", 1, "y", 0), ("a", 2, "x", 3), ("a", 2, "y", 3), ("b", 1, "x", 1)]
    votes = pd.DataFrame(cast, columns=["session_id", "round", "agent", "vote"])
    votes["statement_id"] = "s"
    for name, frame in (
        ("statements", pd.DataFrame(statements)),
        ("metrics", pd.DataFrame({"session_id": ["a", "b"], **ended})),
        ("votes", votes),
    ):
        frame.to_parquet(tmp_path / f"{name}.parquet")
    (debate,) = module("debates").last_votes(tmp_path)
    assert debate == {
        "session": "a",
        "statement": "Keep the harbour.",
        "votes": [3, 3],
        "mode": 3,
    }


@pytest.mark.thorough
@pytest.mark.slow
def test_synthetic_tables_are_the_same_twice_and_every_stage_takes_them(tmp_path: Path) -> None:
    from dissensus.study.configuration import load_file

    stages = module("stages")
    settings = load_file(BENCHMARKS.parent / "config.yaml")
    few = settings.language.inference.model_copy(update={"resamples": 100, "flips": 100})
    study = settings.language.model_copy(update={"inference": few})
    settings = settings.model_copy(update={"language": study})
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        stages.synthesise(tmp_path / name, settings, 60)
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    assert set(stages.STAGES) == set(module("inference").STAGES)
    for stage in module("inference").STAGES:
        assert stages.run(tmp_path / "one", settings, stage)["seconds"] > 0


@pytest.mark.thorough
@pytest.mark.run
def test_a_part_from_end_to_end_writes_its_table_and_prints_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    module("run").main(["--quick", "--only", "micro"], tmp_path)
    said = capfd.readouterr().out
    assert said.strip() == (tmp_path / "quick.md").read_text("utf-8").strip()
    shown = rows(tmp_path / "quick")
    assert [row[1] for row in shown] == [
        "sign-flip test, 10,000 flips",
        "lexical measures of 100 sessions",
        "a session beyond its calls, mean of 4",
    ]
    assert all(row[4] == "1" and float(row[2].removesuffix(" s")) > 0 for row in shown)
    assert f"{os.cpu_count()} cores" in said


def test_a_phase_that_fails_is_a_row_and_loses_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, scale, timing = module("bench"), module("scale"), module("timing")

    class Project:
        """One that takes a second for everything, and always finds something to do."""

        def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
            self.folder = folder
            (folder / scale.RESULTS / "shards/1").mkdir(parents=True)

        def snakemake(self, *arguments: str, limit_s: float) -> Any:
            return timing.Took(1.0, 0.5, 10.0, 20.0)

        def idle(self, *arguments: str, limit_s: float) -> Any:
            raise timing.Failed("there was something to do")

    monkeypatch.setattr(scale, "Project", Project)
    kept: list[Any] = []
    scale.measure(bench.Bench(tmp_path, 2, True, "", kept.append))
    assert [row.what for row in kept if row.failure] == [
        f"{n} sessions, `snakemake` that finds nothing to do" for n in (4, 4, 8, 8, 16, 16)
    ]
    medians = {row.what: row.median for row in kept if not row.failure}
    # Planned, run, embedded and analysed: four commands of a second, over 16 sessions.
    assert medians["16 sessions, whole run"] == 4.0
    assert medians["16 sessions, whole run a session, wall clock"] == 250.0
    assert medians["16 sessions, whole run a session, CPU"] == 125.0


def test_the_design_in_inspect_ai_asks_and_reads_as_the_example_does() -> None:
    """Inspect AI is in an environment of its own: what makes it one design is compared as text."""
    ours = (BENCHMARKS.parent / "examples/multi_agent_debate/study.py").read_text("utf-8")
    theirs = (BENCHMARKS / "inspect_gallery.py").read_text("utf-8")
    for words in (
        "What is the result of {",
        "}? End with: The answer is <number>.",
        r"Other agents said:\n{others}\nUsing these, update your answer. {task}",
        r'stated = re.findall(r"answer is (-?\d+)", reply)',
        "{a}+{b}*{c}+{d}-{e}*{f}",
        "rng.integers(0, 30, 6)",
    ):
        assert words in ours and words in theirs, words
