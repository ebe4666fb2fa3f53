"""Where an artefact came from: what every file's metadata says."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock
from typing import Any

from dissensus.digests import digest, file_digest
from dissensus.shipped import is_checkout, origin

#: In the folder of a project that was unpacked from an archive: the commit of its code.
COMMIT_FILE = "COMMIT"
#: In the folder of a study whose plan was registered before its first session.
PLAN_FILE, PLAN_DIGEST = "preregistration.json", "plan_sha256"
#: Beside a plan: what others say of when it was there.
STAMPS_FILE = "preregistration.stamps.json"
#: The entry with the digest of what an artefact depends on.
SETTINGS_DIGEST = "settings_sha256"
#: Of sessions that begin or end together, one asks for the packages and the commit.
_ASKING = Lock()
_PACKAGES = ["dissensus", "numpy", "pyarrow", "scipy", "snakemake"]


def provenance(stage: str, simulated: bool, depends_on: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata for an artefact: nothing that varies between two runs of the same thing.

    Parameters
    ----------
    stage : the rule that makes it.
    simulated : whether the words behind it came from simulated models.
    depends_on : the settings that the stage was given; kept as a digest.

    Returns
    -------
    Besides these the versions of packages, the code's commit, and where the code is an installed
    package the commit of the project that uses it, if that is under git.
    """
    with _ASKING:
        versions, commit = package_versions(), code_commit()
        project = "" if is_checkout() else _commit_of(Path.cwd())
    return {
        "stage": stage,
        "simulated": simulated,
        SETTINGS_DIGEST: digest(dict(depends_on)),
        "versions": versions,
        "commit": commit,
        **({"project_commit": project} if project else {}),
    }


def note_package(name: str) -> None:
    """Have artefacts name the version of a further package: one that offers a study."""
    if name not in _PACKAGES:
        _PACKAGES.append(name)
        package_versions.cache_clear()


@cache
def package_versions() -> dict[str, str]:
    """Python, and the packages that an artefact may depend on, with their versions."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


@cache
def code_commit() -> str:
    """The code's commit: the one that a package or an archive says, or the checkout's; "unknown"
    outside these.
    """
    place = origin()
    has_own = any((place / name).exists() for name in (COMMIT_FILE, ".git"))
    # Another checkout may be above an environment.
    return (has_own and _commit_of(place)) or "unknown"


@cache
def _commit_of(folder: Path) -> str:
    """The commit that a folder has checked out, or that an archive of it says; "" of others."""
    said = folder / COMMIT_FILE
    if said.is_file():
        return said.read_text(encoding="utf-8").strip()
    try:
        asked = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return asked.stdout.strip()


def plan_of(path: str | Path) -> dict[str, str]:
    """The digest of the plan that a study's artefact was made under; nothing where there is none.

    Parameters
    ----------
    path : of the artefact, anywhere below the folder of its study.
    """
    for folder in list(Path(path).parents)[:4]:
        plan = folder / PLAN_FILE
        if plan.is_file():
            return {PLAN_DIGEST: _digest_of(plan, plan.stat().st_mtime_ns)}
    return {}


@cache
def _digest_of(plan: Path, changed: int) -> str:
    """SHA-256 of a plan as it was last changed."""
    return file_digest(plan)
