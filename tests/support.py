"""A copy of the project for tests to run in, with a study small enough to be quick."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from dissensus.shipped import STUDIES_FOLDER, shipped_folders
from forked import Forked, run_snakemake, snakemake
from scripted import ROOT, default_configuration

__all__ = ["ROOT", "SMALL", "SNAKEMAKE", "Project", "built_once"]

SNAKEMAKE = (sys.executable, "-m", "snakemake")

#: The language study of four draws: every stage runs, none for long.
SMALL: dict[str, Any] = {
    "language": {
        "draws": 4,
        "block_size": 2,
        "measures": {"repetitions": 5},
        "inference": {"resamples": 200, "flips": 500},
        "diagnosis": {
            "simulations": 20,
            "draws": [6],
            "sessions": 1,
            "truth_sessions": 1,
            "recycle": {"zero": 0.36, "planted": 0.56},
        },
    }
}


_UNSAID = shutil.ignore_patterns("speeches", "writings")


def built_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]) -> Path:
    """A folder that the first process of pytest to ask for it builds, for all of them to read."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, built = shared / name, shared / f"{name}.built"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            shutil.rmtree(folder, ignore_errors=True)
            build(folder)
            built.touch()
    return folder


def copy_studies(folder: Path) -> None:
    """Put the prompts and the simulated models of the shipped studies where settings name them."""
    for name, source in shipped_folders().items():
        for file in (*source.glob("prompts/*"), *source.glob("simulated.yaml")):
            made = folder / STUDIES_FOLDER / name / file.relative_to(source)
            made.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, made)


class Project:
    """A copy of the workflow in a folder of its own.

    Speakers have an interview each beside what says who they are: to embed all that the shipped
    ones have said and written takes longer than the rest of a small run.

    Parameters
    ----------
    folder : is made.
    """

    #: The file of settings that runs are started with.
    configuration = "more.yaml"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        for name in ("Snakefile", "config.yaml", "workflow", "profiles", "resources", "envs"):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=_UNSAID)
            else:
                shutil.copy2(source, folder / name)
        copy_studies(folder)
        self.configure(SMALL)

    @classmethod
    def at(cls, folder: Path) -> Project:
        """The project that is in a folder already."""
        made = object.__new__(cls)
        made.folder = folder
        return made

    def copy(self, folder: Path) -> Project:
        """This project, with its results, in another folder."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project.at(folder)

    def configure(self, overrides: dict[str, Any]) -> None:
        """Settings on top of the default ones, from the next run on: the language study's alone
        unless others are named.
        """
        text = yaml.safe_dump({"studies": ["language"], **overrides})
        (self.folder / "more.yaml").write_text(text, encoding="utf-8")

    def settings(self) -> dict[str, Any]:
        """The default configuration, with its simulated models in place."""
        return default_configuration()

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        return [
            *(*SNAKEMAKE, "--cores", str(cores)),
            *arguments,
            *("--configfile", self.configuration),
        ]

    def run(
        self, *arguments: str, cores: int = 2, fresh: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run Snakemake; ``fresh``: in a Python of its own, with its own order of sets."""
        command = self.command(*arguments, cores=cores)
        if not fresh:
            return run_snakemake(self.folder, command[len(SNAKEMAKE) :], seconds=300)
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=300, check=False
        )

    def succeed(self, *arguments: str, cores: int = 2, fresh: bool = False) -> str:
        done = self.run(*arguments, cores=cores, fresh=fresh)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout + done.stderr

    def disturb_when(
        self,
        happens: Callable[[], bool],
        disturb: Callable[[Forked], object],
        *arguments: str,
        cores: int = 2,
    ) -> subprocess.CompletedProcess[str]:
        """Start a run, do something to it as soon as something holds, and wait for its end."""
        command = self.command(*arguments, cores=cores)[len(SNAKEMAKE) :]
        # Whoever watches a run goes first.
        with snakemake(self.folder, command, seconds=300, nice=5) as run:
            while not (held := happens()) and not run.ended:
                time.sleep(0.005)
            if held:
                disturb(run)
            done = run.end()
        assert held, f"the run ended before what the test is about: {done.stderr[-3000:]}"
        return done

    def kill_when(self, happens: Callable[[], bool], *arguments: str, cores: int = 2) -> None:
        """Start a run, and kill it with all that it started as soon as something holds."""
        self.disturb_when(happens, Forked.kill, *arguments, cores=cores)

    def planned(self, *arguments: str, fresh: bool = False) -> dict[str, int]:
        """How many jobs of each rule a dry run would run."""
        text = self.succeed("--dry-run", *arguments, fresh=fresh)
        if "Nothing to be done" in text:
            return {}
        stats = text.split("Job stats:")[-1].split("\n\n")[0].splitlines()[3:]
        counts = {line.split()[0]: int(line.split()[1]) for line in stats if line.strip()}
        return {rule: n for rule, n in counts.items() if rule not in ("total", "all")}

    def sessions_planned(self, *arguments: str) -> int:
        """How many sessions a dry run says that a run would run."""
        said = re.search(
            r"Sessions that will run: (?:at most )?([\d,]+)", self.succeed("--dry-run", *arguments)
        )
        return int(said[1].replace(",", "")) if said else 0

    def sessions_written(self, since: float, study: str = "language") -> set[str]:
        """The sessions whose transcripts were written after a moment, with the same bytes too."""
        return {
            path.stem
            for path in self.results(study=study).glob("transcripts/*.parquet")
            if path.stat().st_ctime > since
        }

    def snapshot(self) -> dict[Path, int]:
        """Every file and folder of the results, with the time of its last change."""
        return {path: path.stat().st_mtime_ns for path in (self.folder / "results").rglob("*")}

    def requests(self, run: str = "demo") -> Counter[str]:
        """How often each request stands in a journal of any study."""
        keys: Counter[str] = Counter()
        for path in self.folder.glob(f"results/{run}/*/journal/*.jsonl"):
            # Room that was kept for a reply stays behind where a job was killed.
            lines = path.read_bytes().rstrip(b"\0").splitlines()
            keys.update(json.loads(line)["request_sha256"] for line in lines)
        return keys

    def results(self, run: str = "demo", study: str = "language") -> Path:
        return self.folder / "results" / run / study

    def digests(
        self, kinds: Sequence[str] = (".parquet",), run: str = "demo", study: str = "language"
    ) -> dict[str, bytes]:
        """Every result's bytes, but those of calls, which hold clock readings, and of what a run
        keeps for itself, such as its configuration.
        """
        folder = self.results(run, study)
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.suffix in kinds
            and not path.parent.name.endswith("calls")
            and path.name != "attempts.parquet"
            and not path.name.startswith(".")
        }
