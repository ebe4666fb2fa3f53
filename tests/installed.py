"""An environment that has dissensus as a wheel: nothing of the checkout is on its path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from scripted import ROOT

#: What no source package has.
_LEFT_OUT = shutil.ignore_patterns(
    *(".*", "results", "build", "dist", "site", "__pycache__", "*.egg-info", "released")
)


class Installed:
    """The environment, and what it is asked to do in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def packages(self) -> Path:
        """Where its packages are."""
        return next(self.folder.glob("lib/python*/site-packages"))

    def run(self, where: Path, *arguments: str, seconds: float = 300) -> str:
        """What ``dissensus`` prints, of a command that must succeed."""
        done = self.start(where, *arguments, seconds=seconds)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return done.stdout + done.stderr

    def start(
        self, where: Path, *arguments: str, seconds: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """The same of any command."""
        left_out = ("PYTHONPATH", "VIRTUAL_ENV")
        environment = {name: value for name, value in os.environ.items() if name not in left_out}
        return subprocess.run(
            [str(self.folder / "bin/python"), "-P", "-m", "dissensus", *arguments],
            cwd=where,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout, from a copy of it."""
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=_LEFT_OUT, symlinks=True)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    shutil.rmtree(source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Installed:
    """Make an environment with a wheel, and with the packages that the tests run with."""
    command = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(command, check=True, timeout=120)
    made = Installed(folder)
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(made.packages)
    # A folder that is named so is looked in; the links to the checkout in it are not followed.
    further = f"{sysconfig.get_paths()['purelib']}\n"
    (made.packages / "dependencies.pth").write_text(further, encoding="utf-8")
    return made
