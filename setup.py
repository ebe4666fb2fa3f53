"""What pyproject.toml cannot say: a wheel holds the workflow, its resources and the gallery too.

They stand beside the packages in a checkout, and in a folder ``packed`` of the package in a wheel.
"""

import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

#: What :func:`dissensus.shipped.home` holds.
PROJECT = (
    "Snakefile",
    "config.yaml",
    "config",
    "workflow",
    "profiles",
    "resources",
    "envs",
    "examples",
    "CITATION.cff",
)
#: The commit of the code, which an artefact names.
COMMIT = "COMMIT"


class BuildWithProject(build_py):
    """Copies it, but where the package is only linked to the checkout."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        here, folder = Path(__file__).parent, Path(self.build_lib) / "dissensus/packed"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in PROJECT:
            if (here / name).is_dir():
                shutil.copytree(
                    here / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*")
                )
            else:
                shutil.copyfile(here / name, folder / name)
        if commit := _commit(here):
            (folder / COMMIT).write_text(f"{commit}\n", encoding="utf-8")


class SourceWithLinks(sdist):
    """Adds what a source package would lose: the link to the studies, and the commit."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        folder = Path(base_dir)
        (folder / "studies").symlink_to("src/dissensus_studies")
        if commit := _commit(Path(__file__).parent):
            (folder / COMMIT).write_text(f"{commit}\n", encoding="utf-8")


def _commit(here: Path) -> str:
    """The checkout's commit, or the one that the source package says; "" where nothing does."""
    if (here / COMMIT).is_file():
        return (here / COMMIT).read_text(encoding="utf-8").strip()
    if not (here / ".git").exists():
        return ""
    asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True)
    return asked.stdout.strip() if asked.returncode == 0 else ""


setup(cmdclass={"build_py": BuildWithProject, "sdist": SourceWithLinks})
