"""``dissensus run``: how Snakemake is started."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from dissensus.errors import SettingError
from dissensus.project import running
from dissensus.project.running import add_run_options, snakemake_options
from scripted import ROOT


def options(*typed: str) -> list[str]:
    parser = argparse.ArgumentParser()
    add_run_options(parser)
    return snakemake_options(parser.parse_args(typed))


def test_it_starts_the_workflow_of_the_package_with_its_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = ["--workflow-profile", str(ROOT / "profiles/default")]
    start = ["--snakefile", str(ROOT / "Snakefile"), *profile]
    assert options() == [*start, "--cores", "8"]
    assert options("plan", "-n") == ["plan", *start, "--cores", "8", "--dry-run"]
    given = options("--cores", "2", "--configfile", "config/arms.yaml", "--config", "seed=7")
    # A file that dissensus comes with; the project's own come first.
    arms = str(ROOT / "config/arms.yaml")
    further = ["--configfile", arms, "--config", "seed=7"]
    assert given == [*start, "--cores", "2", *further]
    (tmp_path / "config").mkdir()
    (tmp_path / "config/arms.yaml").touch()
    assert "config/arms.yaml" in options("--configfile", "config/arms.yaml")


def test_a_projects_own_snakefile_and_profile_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").touch()
    (tmp_path / "profiles/slurm").mkdir(parents=True)
    (tmp_path / "profiles/slurm/config.yaml").touch()
    slurm = ["--workflow-profile", "profiles/slurm", "--cores", "8"]
    assert options("--profile", "slurm") == slurm
    with pytest.raises(SettingError, match=r"'none'; it may be one of default, slurm, or a"):
        options("--profile", "none")


@pytest.mark.parametrize(
    ("executor", "package"),
    [("slurm", "dissensus[slurm]"), ("no-such", "snakemake-executor-plugin-no-such")],
)
def test_a_profile_whose_executor_is_not_installed_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str, package: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    profile = tmp_path / "mine/config.yaml"
    profile.write_text(f"executor: {executor}\n", "utf-8")
    monkeypatch.setattr(running, "find_spec", lambda _: None)
    with pytest.raises(SettingError) as caught:
        options("--profile", "mine")
    assert str(caught.value) == (
        f"--profile holds 'mine', whose executor '{executor}' is not installed; "
        f"pip install '{package}'."
    )
    # One that Snakemake has, and a profile that it will itself refuse.
    for text in ("executor: local\n", "jobs: 4\n", "executor: [\n", ""):
        profile.write_text(text, "utf-8")
        assert "mine" in options("--profile", "mine")
    monkeypatch.setattr(running, "find_spec", lambda _: True)
    profile.write_text(f"executor: {executor}\n", "utf-8")
    assert "mine" in options("--profile", "mine")


def test_in_a_checkout_it_starts_what_snakemake_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    profile = ["--workflow-profile", "profiles/default"]
    assert options("verify") == ["verify", *profile, "--cores", "8"]
