"""A copy of the project whose run is measured."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from timing import Failed, Took, took

ROOT = Path(__file__).resolve().parent.parent
#: Where the copy's run keeps its results.
RESULTS = Path("results/bench/language")
#: What `--cores` says where sessions compute their words themselves.
CORES = os.cpu_count() or 1
#: Settings of a quick run: every stage runs, none for long.
LIGHT = {
    "measures": {"repetitions": 5},
    "inference": {"resamples": 200, "flips": 500},
}
#: What planning leaves, which sessions begin with.
PLANNED = ("pool.parquet", "reliability.parquet", "manifest.parquet")


class Project:
    """The project in a folder of its own.

    Parameters
    ----------
    folder : where; it must not be there yet.
    settings : on top of config.yaml's.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        for name in ("Snakefile", "config.yaml", "workflow", "profiles", "resources", "envs"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, folder / name)
        self.configure(settings)

    def configure(self, settings: dict[str, Any]) -> None:
        """Other settings on top of config.yaml's, from the next run on."""
        text = yaml.safe_dump({"run": "bench", "studies": ["language"], **settings})
        (self.folder / "more.yaml").write_text(text, encoding="utf-8")

    def snakemake(self, *arguments: str, cores: int = CORES, limit_s: float = 600.0) -> Took:
        """Run snakemake and measure it."""
        start = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        command = [*start, *arguments, "--configfile", "more.yaml"]
        return took(command, self.folder, limit_s=limit_s)

    def idle(self, *targets: str, limit_s: float = 600.0) -> Took:
        """Run snakemake where everything is there, and measure it.

        Raises
        ------
        Failed : it found something to do, as where a source was edited in the meantime.
        """
        run = self.snakemake(*targets, limit_s=limit_s)
        if "Nothing to be done" not in run.stderr:
            raise Failed("snakemake ran jobs where nothing was to be done")
        return run

    def forget(self, kept: Sequence[str] = (), results: Path = RESULTS) -> None:
        """Put away what sessions left, but for what is named, and what came of it; not the plan.

        It is not deleted: for minutes after, some file systems take longer to make files.
        """
        away = Path(tempfile.mkdtemp(prefix="forgotten-", dir=self.folder))
        for path in (self.folder / results).iterdir():
            if path.name not in (*PLANNED, *kept):
                path.rename(away / path.name)
