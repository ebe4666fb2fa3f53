"""Scripts in forked processes end as scripts that Python starts: well, badly, or by a signal."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from dissensus.run import warm_scripts
from dissensus.run.warm_scripts import ScriptServer
from dissensus.study.registry import STUDIES, study_class


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptServer]:
    yield ScriptServer()
    for process in servers():
        process.kill()
        process.wait()


def servers() -> list[psutil.Process]:
    """The servers that this process has started."""
    return [
        process
        for process in psutil.Process().children()
        if not has_ended(process) and "dissensus.run.warm_scripts" in process.cmdline()
    ]


def has_ended(process: psutil.Process) -> bool:
    """Whether a process is gone, or only its end is still to be heard of."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def script(folder: Path, text: str) -> str:
    path = folder / f"script{len(list(folder.iterdir()))}.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("pass", 0),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('a sentence')", 1),
        ("1 / 0", 1),
        ("import os; os._exit(7)", 7),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    ],
)
def test_a_script_ends_with_its_own_status(
    server: ScriptServer, tmp_path: Path, text: str, status: int
) -> None:
    assert server.run(script(tmp_path, text)) == status


def test_a_script_ends_when_its_threads_have_and_says_all_that_it_says(
    server: ScriptServer, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    text = f"""
import atexit, os, sys, threading, time
os.dup2(os.open({str(out)!r}, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
atexit.register(print, "atexit", end=" ")
threading.Thread(target=lambda: (time.sleep(0.2), print("thread", end=" "))).start()
print("script", end=" ")
"""
    for end, status in (("", 0), ("sys.exit()", 0), ("sys.exit(3)", 3), ("sys.exit(True)", 1)):
        assert server.run(script(tmp_path, text + end)) == status
        assert out.read_text("utf-8") == "script thread atexit "


def test_what_a_script_needs_is_imported_before_it_begins(
    server: ScriptServer, tmp_path: Path
) -> None:
    (tmp_path / "late").mkdir()
    check = "import sys; assert 'colorsys' in sys.modules"
    assert server.run(script(tmp_path / "late", check)) == 1
    assert server.run(script(tmp_path, check), ["no_such_module", "colorsys"]) == 0
    # It stays for the next, and so does a server that could not import something.
    assert server.run(script(tmp_path, check)) == 0


def test_a_script_is_main_and_has_a_process_of_its_own(
    server: ScriptServer, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    said.mkdir()
    text = f"""
import os, signal, sys
assert __name__ == "__main__" and sys.argv == [__file__]
assert sys.path[0] == os.path.dirname(__file__)
assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL
assert not hasattr(sys, "left_by_another"), "a script sees what another did"
sys.left_by_another = os.environ["LEFT"] = "here"
with open({str(said)!r} + f"/{{os.getpid()}}", "w") as file:
    file.write(os.environ.get("OPENBLAS_NUM_THREADS", ""))
"""
    path = script(tmp_path, text)
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(server.run, [path] * 8)] == [0] * 8
    assert len(list(said.iterdir())) == 8
    assert "LEFT" not in os.environ and len(servers()) == 1


def test_what_it_says_goes_where_python_s_goes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server = ScriptServer()
    text = "import sys; print('out'); print('err', file=sys.stderr); 1 / 0"
    assert server.run(script(tmp_path, text)) == 1
    said = capfd.readouterr()
    assert said.out == "out\n"
    assert said.err.startswith("err\n") and said.err.endswith(
        "ZeroDivisionError: division by zero\n"
    )


def test_a_script_that_a_run_took_away_as_it_ended_ends_without_a_traceback(
    server: ScriptServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert server.run(str(tmp_path / "gone.py")) == 1
    assert capfd.readouterr() == ("", "")


def test_a_server_that_is_killed_loses_its_scripts_and_the_next_ones_run(tmp_path: Path) -> None:
    before = {process.pid for process in servers()}
    server = ScriptServer()
    begun = tmp_path / "begun"
    path = script(tmp_path, f"import time; open({str(begun)!r}, 'w'); time.sleep(60)")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(server.run, path)
        while not begun.exists():
            time.sleep(0.01)
        (process,) = (one for one in servers() if one.pid not in before)
        for lost in [process, *process.children()]:
            lost.kill()
        assert waiting.result(30) == -signal.SIGKILL
    assert server.run(script(tmp_path, "pass")) == 0


def test_a_server_that_ends_before_it_reads_loses_the_script_too(tmp_path: Path) -> None:
    deaf = "import os, sys, time; time.sleep(0.3); os.kill(os.getpid(), 9)"
    server = ScriptServer("-c", deaf)
    pool = ThreadPoolExecutor(1)
    asked = pool.submit(server.run, script(tmp_path, "pass"))
    pool.shutdown(wait=False)
    assert asked.result(60) == -signal.SIGKILL


def test_a_script_ends_with_its_server_and_writes_nothing_more(tmp_path: Path) -> None:
    before = {process.pid for process in servers()}
    server = ScriptServer()
    begun, written = tmp_path / "begun", tmp_path / "written"
    text = f"import time; open({str(begun)!r}, 'w'); time.sleep(60); open({str(written)!r}, 'w')"
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(server.run, script(tmp_path, text))
        while not begun.exists():
            time.sleep(0.01)
        (process,) = (each for each in servers() if each.pid not in before)
        (lost,) = process.children()
        process.kill()
        assert waiting.result(30) == -signal.SIGKILL
    deadline = time.monotonic() + 30
    while not has_ended(lost) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert has_ended(lost) and not written.exists()


def test_a_server_ends_with_the_process_that_it_serves(tmp_path: Path) -> None:
    import subprocess

    run = subprocess.run(
        [
            *(sys.executable, "-c"),
            "import sys; from dissensus.run.warm_scripts import ScriptServer; "
            "import psutil; server = ScriptServer(); server.run(sys.argv[1]); "
            "print(psutil.Process().children()[0].pid)",
            script(tmp_path, "pass"),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    number = int(run.stdout)
    end = time.monotonic() + 30
    while psutil.pid_exists(number) and time.monotonic() < end:
        time.sleep(0.02)
    assert not psutil.pid_exists(number)


@pytest.mark.parametrize("study", STUDIES)
def test_declarations_of_studies_are_imported_once_for_all_scripts(study: str) -> None:
    declared = study_class(study).__module__
    assert declared in warm_scripts._needed("", {})


@pytest.mark.thorough
def test_who_runs_sessions_alone_loads_neither_pandas_nor_scipy() -> None:
    import subprocess

    scripts = Path(__file__).parents[2] / "workflow/scripts/study"
    loaded = (
        "import sys; from dissensus.run import warm_scripts as warm; from pathlib import Path; "
        "source = Path(sys.argv[1]).read_text(); warm._import(warm.IMPORTED); "
        "warm._import(warm._needed(source, {'functions': sys.argv[2:]})); "
        "print(*sorted({'pandas', 'scipy', 'dissensus.study.sessions'} & sys.modules.keys()))"
    )

    def loads(script: str, *functions: str) -> list[str]:
        command = [sys.executable, "-c", loaded, str(scripts / script), *functions]
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return run.stdout.split()

    assert loads("run_sessions.py") == ["dissensus.study.sessions"]
    gathers = loads("run_stage.py", "dissensus.study.gather:gather_turns")
    assert "pandas" not in gathers and "scipy" not in gathers
    # A stage that takes frames has them loaded once, before its script is forked.
    assert "pandas" in loads("run_stage.py", "dissensus.run.arm_conduct:compare_conduct")
