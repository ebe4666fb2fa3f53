"""What a killed run leaves outside its folder, its next start removes: that and nothing else."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from dissensus.run.leftovers import remove_scripts, take_over


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("snakemake1", "snakemake2", "mine"):
        (tmp_path / name / "inside").mkdir(parents=True)
    Path("results/a").mkdir(parents=True)
    return Path("results/a")


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.fixture
def unasked() -> Iterator[int]:
    """The number of a process that has ended, and whose parent does not ask how."""
    process = subprocess.Popen(["true"])
    while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    yield process.pid
    process.wait()


def left_by(results: Path, host: str, number: int, *folders: str) -> None:
    paths = "".join(f"{Path(name).absolute()}\n" for name in folders)
    (results / ".temporary").write_text(f"{host}\n{number}\n{paths}")


def test_the_folders_of_a_process_that_is_gone_are_removed(results: Path) -> None:
    left_by(results, platform.node(), gone(), "snakemake1", "mine", "nowhere")
    take_over(results, [Path("snakemake2")])
    assert not Path("snakemake1").exists()
    assert Path("mine/inside").exists() and Path("snakemake2/inside").exists()
    here = f"{platform.node()}\n{os.getpid()}\n{Path('snakemake2').absolute()}\n"
    assert (results / ".temporary").read_text() == here


def test_what_killed_processes_had_begun_to_write_is_removed(results: Path, unasked: int) -> None:
    (results / "a").mkdir()
    writers = (os.getpid(), gone(), unasked)
    parts = [results / f"a/.d001.parquet.{number}.part" for number in writers]
    for path in (*parts, results / "a/d001.parquet"):
        path.touch()
    left_by(results, platform.node(), unasked)
    take_over(results, [])
    assert {path.name for path in (results / "a").iterdir()} == {parts[0].name, "d001.parquet"}


@pytest.mark.parametrize("where", ["alive", "elsewhere", "torn"])
def test_what_may_be_in_use_stays(results: Path, where: str) -> None:
    if where == "torn":
        (results / ".temporary").write_text(f"{Path('snakemake1').absolute()}")
    else:
        host, number = (platform.node(), os.getpid()) if where == "alive" else ("other", gone())
        left_by(results, host, number, "snakemake1")
    take_over(results, [])
    assert Path("snakemake1/inside").exists()


def test_a_run_removes_the_scripts_of_its_own_files(results: Path) -> None:
    scripts = Path(".snakemake/scripts")
    scripts.mkdir(parents=True)
    (scripts / "tmpa.collect.py").write_bytes(b"'results/a/language/pool.parquet'")
    (scripts / "tmpb.collect.py").write_bytes(b"'results/ab/language/pool.parquet'")
    remove_scripts(results)
    assert [path.name for path in scripts.iterdir()] == ["tmpb.collect.py"]
