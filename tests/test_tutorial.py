"""The jobs of docs/tutorial.md, done with the files and the commands that it shows."""

from __future__ import annotations

import re

import pytest
import yaml
from snakemake.utils import update_config

from both import rows
from dissensus.study.configuration import load
from scripted import default_configuration
from serving import serving
from support import ROOT, Project
from test_reproduced import reproduced  # noqa: F401

PAGE = (ROOT / "docs/tutorial.md").read_text("utf-8")
MOTIONS, MINE, SERVER = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
COMMANDS = re.findall(r"^(?:snakemake|dissensus) .*$", PAGE, re.M)


def arguments(start: str) -> list[str]:
    """The arguments of the one command of the page that begins like that, but for its settings."""
    (command,) = (line for line in COMMANDS if line.startswith(start))
    return [word for word in command.split()[1:] if word != "--configfile" and ".yaml" not in word]


@pytest.mark.thorough
@pytest.mark.run
def test_a_motion_of_ones_own_is_debated(project: Project) -> None:
    (project.folder / "mine").mkdir()
    (project.folder / "mine/motions.yaml").write_text(MOTIONS, encoding="utf-8")
    (project.folder / "mine.yaml").write_text(MINE, encoding="utf-8")
    project.configuration = "mine.yaml"
    said = project.succeed(*arguments("snakemake plan"))
    assert "union: 2 draws, 3 sessions" in said
    project.succeed(*arguments("snakemake --cores 4 results/mine"))
    page = next(project.folder.glob("results/mine/union/debates/*.md")).read_text("utf-8")
    assert page.startswith("# This House would let a jury of citizens veto new laws")


@pytest.mark.thorough
@pytest.mark.run
def test_a_budget_stops_a_run_which_goes_on_when_it_is_raised(project: Project) -> None:
    with serving() as server:
        settings = SERVER.replace("http://127.0.0.1:8321", server.address)
        path = project.folder / "server.yaml"
        path.write_text(settings, encoding="utf-8")
        project.configuration = "server.yaml"
        assert "Budget: $0.2000" in project.succeed(*arguments("snakemake cost"))
        turns = "results/server/language/turns.parquet"
        stopped = project.run(turns, cores=20)
        assert stopped.returncode != 0
        assert "raise budget_usd and start again" in stopped.stderr
        assert "Traceback" not in stopped.stderr
        path.write_text(settings.replace("0.20", "2.00"), encoding="utf-8")
        project.succeed(turns, cores=20)
        counted = server.stats()["calls"]["chat"]
    assert counted["answered"] == counted["distinct"]
    outcomes = rows(project.results("server") / "outcomes.parquet")
    assert len(outcomes) == 40
    assert all(row["complete"] for row in outcomes)


def test_the_session_that_is_said_to_be_run_again_is(reproduced: Project) -> None:  # noqa: F811
    outcomes = {r["session_id"]: r for r in rows(reproduced.results() / "outcomes.parquet")}
    (named,) = re.findall(r"dissensus read (\S+) ", PAGE)
    assert "In the default run there is none" in PAGE
    assert all(row["complete"] for row in outcomes.values())
    # A small run that is made for these tests has fewer draws.
    assert named not in outcomes or outcomes[named]["attempts"] == 3


def test_the_server_of_the_page_may_be_a_real_one() -> None:
    configuration = default_configuration()
    update_config(configuration, yaml.safe_load(SERVER.replace(", simulated: true", "")))
    settings = load(configuration)
    assert settings.run == "server"
    assert not settings.simulated
