"""Runs on a real Slurm of one node, which the tests start and stop."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from serving import Server, serving
from support import SMALL, SNAKEMAKE, Project

SCRIPT = Path(__file__).with_name("cluster.sh")
#: What differs from a cluster of people's: there is no time to wait for the first look.
HERE = ("--slurm-init-seconds-before-status-checks", "1")
PANEL = ["a", "b", "c", "d"]
TURNS = "results/real/language/turns.parquet"
#: A stage of each kind: sessions, what gathers them, what measures them.
STAGES = (TURNS, "results/real/language/shards/1/components.parquet")
Environment = dict[str, str]
Start = Callable[..., subprocess.Popen[str]]


def cluster(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SCRIPT), *arguments], capture_output=True, text=True, timeout=480, check=False
    )


@pytest.fixture(scope="session")
def slurm() -> Iterator[Environment]:
    """The environment in which commands talk to the cluster.

    Skips, with the script's own reason, where there is no Slurm.
    """
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("no plugin for Slurm here: make .venv/slurm installs it")
    found = cluster("available")
    if found.returncode == 1:
        pytest.skip(found.stderr.strip())
    assert found.returncode == 0, found.stderr
    # Not a folder of pytest's, whose path leaves no room for the names of sockets.
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    try:
        started = cluster("start", str(folder))
        assert started.returncode == 0, started.stderr
        exports = (shlex.split(line)[1] for line in started.stdout.splitlines())
        yield os.environ | dict(export.split("=", 1) for export in exports)
    finally:
        cluster("stop", str(folder))
        shutil.rmtree(folder)


def ask(slurm: Environment, *command: str) -> str:
    done = subprocess.run(
        command, env=slurm, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def start(slurm: Environment, project: Project) -> Iterator[Start]:
    """Starts a run of the project whose jobs go to the cluster; it takes the targets."""
    runs = []

    def started(*targets: str) -> subprocess.Popen[str]:
        # As docs/cluster.md says it: without --cores, which is for one machine.
        profile = ("--workflow-profile", "profiles/slurm", *HERE)
        command = [*SNAKEMAKE, *targets, *profile, "--configfile", project.configuration]
        runs.append(
            subprocess.Popen(
                command,
                cwd=project.folder,
                env=slurm,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        )
        return runs[-1]

    yield started
    for run in runs:
        run.kill()
        run.wait()


def finish(run: subprocess.Popen[str]) -> str:
    said, _ = run.communicate(timeout=400)
    assert run.returncode == 0, said[-4000:]
    return said


def until(happens: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.2)


def jobs(slurm: Environment, *states: str) -> list[str]:
    """Ids of the jobs in some state, oldest first."""
    listed = ask(slurm, "squeue", "--noheader", "--format=%A", f"--states={','.join(states)}")
    return sorted(listed.split(), key=int)


def waiting(server: Server, draws: int, **top: Any) -> dict[str, Any]:
    """A study of such models, in shards of two draws."""
    provider = {"interface": "openai", "base_url": f"{server.address}/v1", "simulated": True}
    price = {"input": 1.0, "output": 5.0}
    return {
        "run": "real",
        "providers": {"o": provider},
        "models": {
            name: {"provider": "o", "model": f"simulated-{name}", "price": price} for name in PANEL
        },
        "language": {**SMALL["language"], "draws": draws, "block_size": 2, "panel": PANEL},
        **top,
    }


def counted(server: Server, what: str) -> int:
    return sum(int(kind[what]) for kind in server.stats()["calls"].values())


def test_neither_a_reached_budget_nor_scancel_repeats_a_call_or_changes_a_byte(
    slurm: Environment, start: Start, project: Project, tmp_path: Path
) -> None:
    """The study makes the bytes that it makes on one machine, by sessions and by other stages."""
    with serving("--latency", "0.5") as server:
        # The budget ends the run on every node.
        project.configure(waiting(server, draws=4, budget_usd=0.015))
        run = start(*STAGES)
        said, _ = run.communicate(timeout=300)
        assert run.returncode != 0
        assert "of the $0.0150 that budget_usd allows" in said
        assert "raise budget_usd and start again" in said
        assert "Traceback" not in said
        assert "Trying to restart" not in said
        until(lambda: not jobs(slurm, "running", "pending", "completing"))
        # Of the run that goes on, half the jobs are killed.
        answered = counted(server, "answered")
        assert answered == counted(server, "received") > 0
        project.configure(waiting(server, draws=4, budget_usd=5.0))
        run = start(*STAGES)
        until(
            lambda: len(jobs(slurm, "running")) >= 2 and counted(server, "answered") > answered + 8
        )
        running = jobs(slurm, "running")
        # Sessions wait for models: however many a job has, it takes one processor.
        assert set(ask(slurm, "squeue", "--noheader", "--format=%C").split()) == {"1"}
        ask(slurm, "scancel", *running[: max(1, len(running) // 2)])
        said = finish(run)
        assert "Trying to restart" in said
        assert counted(server, "received") == counted(server, "distinct")
    # On one machine, of models that take no time.
    local = Project(tmp_path / "local")
    with serving() as server:
        local.configure(waiting(server, draws=4, budget_usd=5.0))
        local.succeed(*STAGES, cores=8)
    # Calls have names of their own on the server.
    made, whole = (
        {name: held for name, held in one.digests(run="real").items() if "calls" not in name}
        for one in (project, local)
    )
    assert len(made) > 20 and made == whole
