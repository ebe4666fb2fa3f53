"""``dissensus run``: Snakemake, with the workflow and the profile that dissensus comes with."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import yaml

from dissensus.errors import SettingError
from dissensus.shipped import home

#: Where Snakemake looks for a workflow, below the folder that it starts in.
_OWN_SNAKEFILES = ("Snakefile", "workflow/Snakefile")
_PROFILES = "profiles"
#: Executors that Snakemake has without a plugin.
_BUILT_IN = ("local", "dryrun", "touch")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser what ``dissensus run`` takes."""
    parser.add_argument("targets", nargs="*", help="rules, such as plan, or files; all by default")
    parser.add_argument("--cores", default="8", help="jobs and sessions at a time (8)")
    for option, what in (("--configfile", "FILE"), ("--config", "KEY=VALUE")):
        parser.add_argument(option, nargs="+", metavar=what, default=[], help="over config.yaml")
    parser.add_argument("-n", "--dry-run", action="store_true", help="say what would run")
    parser.add_argument(
        "--profile", default="default", help="default, slurm, or the folder of one of your own"
    )


def run(chosen: argparse.Namespace, further: Sequence[str]) -> NoReturn:
    """Become Snakemake.

    Parameters
    ----------
    chosen : as :func:`add_run_options` has them.
    further : options of Snakemake's own.

    Raises
    ------
    SettingError : there is no such profile, or its executor is not installed.
    """
    line = [sys.executable, "-P", "-m", "snakemake", *snakemake_options(chosen), *further]
    os.execv(sys.executable, line)


def snakemake_options(chosen: argparse.Namespace) -> list[str]:
    """What Snakemake is started with.

    A project's own Snakefile comes first, which may include that of dissensus as a module.
    """
    has_own = any(Path(name).is_file() for name in _OWN_SNAKEFILES)
    options = [] if has_own else ["--snakefile", str(home() / "Snakefile")]
    options += ["--workflow-profile", str(_profile(chosen.profile)), "--cores", chosen.cores]
    if chosen.configfile:
        options += ["--configfile", *map(_settings, chosen.configfile)]
    if chosen.config:
        options += ["--config", *chosen.config]
    # Targets come first, since options of several values take what follows them.
    return [*chosen.targets, *options, *["--dry-run"] * chosen.dry_run]


def _settings(file: str) -> str:
    """A file of settings: one that dissensus comes with, where the project has none of its path."""
    return file if Path(file).exists() or not (home() / file).is_file() else str(home() / file)


def _check_executor(file: Path, name: str) -> None:
    """That Snakemake has the plugin that a profile names; it would list its options otherwise."""
    try:
        given = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        # Snakemake says what is wrong with it.
        return
    executor = given.get("executor") if isinstance(given, Mapping) else None
    plugin = f"snakemake_executor_plugin_{str(executor).replace('-', '_')}"
    if executor is None or executor in _BUILT_IN or find_spec(plugin):
        return
    package = "dissensus[slurm]" if executor == "slurm" else plugin.replace("_", "-")
    raise SettingError(
        f"--profile holds {name!r}, whose executor {executor!r} is not installed; "
        f"pip install '{package}'."
    )


def _profile(name: str) -> Path:
    places = (Path(_PROFILES) / name, home() / _PROFILES / name, Path(name))
    for place in places:
        if (place / "config.yaml").is_file():
            _check_executor(place / "config.yaml", name)
            return place
    theirs = ", ".join(sorted(each.name for each in (home() / _PROFILES).iterdir()))
    raise SettingError(
        f"--profile holds {name!r}; it may be one of {theirs}, or a folder with a config.yaml."
    )
