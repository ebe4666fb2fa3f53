"""What a session was sent can be read after its prompts were edited, and what changed is named."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from dissensus.errors import SettingError
from dissensus.keep.reading import sent
from dissensus.run.kept import changed_since, keep_files, kept_states
from dissensus.study.configuration import Configuration
from dissensus.study.sessions import Sessions
from reader.small_run import configuration, run_sessions
from support import ROOT, Project, copy_studies

FOLDER = Path("results/demo/language")
PROMPT = Path("studies/language/prompts/en.yaml")
OLD, NEW = "You are participating in a debate", "You take part in a debate"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configuration:
    """Of a project whose run has ended, with the files that it kept."""
    copytree(ROOT / "resources", tmp_path / "resources")
    copy_studies(tmp_path)
    monkeypatch.chdir(tmp_path)
    made = configuration()
    keep_files(run_sessions(FOLDER.parent, made).study, FOLDER)
    return made


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_what_was_sent_is_shown_as_it_was_and_the_file_is_named(
    settings: Configuration, caplog: pytest.LogCaptureFixture
) -> None:
    before = sent(FOLDER, "d001-en", settings)
    assert OLD in before[0]["content"] and not caplog.records
    edit(PROMPT, OLD, NEW)
    with caplog.at_level(logging.WARNING, "dissensus"):
        assert sent(FOLDER, "d001-en", settings) == before
    assert caplog.messages == [f"{PROMPT} changed after d001-en; shown is what it was sent."]
    assert changed_since(kept_states(FOLDER)[0]) == [str(PROMPT)]
    # Nothing of the project was touched.
    assert NEW in PROMPT.read_text("utf-8")


def test_sessions_of_before_and_after_an_edit_are_both_read(settings: Configuration) -> None:
    first = sent(FOLDER, "d001-en", settings)
    edit(PROMPT, OLD, NEW)
    sessions = Sessions.read(settings, FOLDER)
    sessions.run(sessions.rows["d002-en"], settings.registry(FOLDER.parent, "test"))
    keep_files(sessions.study, FOLDER)
    keep_files(sessions.study, FOLDER)
    assert len(kept_states(FOLDER)) == 2
    assert sent(FOLDER, "d001-en", settings) == first
    assert NEW in sent(FOLDER, "d002-en", settings)[0]["content"]


def test_what_cannot_be_shown_names_what_changed(settings: Configuration) -> None:
    (FOLDER / ".files.json").unlink()
    edit(PROMPT, OLD, NEW)
    with pytest.raises(SettingError, match="since settings, prompts or code have changed since"):
        sent(FOLDER, "d001-en", settings)
    keep_files(Sessions.read(settings, FOLDER).study, FOLDER)
    edit(PROMPT, NEW, "Debate")
    with pytest.raises(SettingError) as caught:
        sent(FOLDER, "d001-en", settings)
    assert f"cannot be rebuilt, since {PROMPT} changed since; put back" in str(caught.value)
    assert "calls whose prompts have changed are made, and paid, anew" in str(caught.value)


OWN = """
from dissensus.study.experiment import Experiment, Outcome, text


class Mine(Experiment):
    name = "mine"
    question = "Does a word matter?"
    arms = ("short", "long")
    item = {"asked": text("The question.")}
    outcomes = {"length": Outcome("Letters.", "Letters")}

    def items(self, rng):
        for number in range(2):
            yield {"asked": f"Question {number}?"}

    def debate(self, session):
        yield session.call("A1", f"Be {session.arm}. {session.item.asked}", expected="Yes.")

    def measure(self, turns, item):
        return {"length": len(turns["text"][0])}
"""

SAYS = """
def speak(messages, settings, rng):
    return "Yes."
"""


@pytest.mark.thorough
def test_prompts_in_the_code_of_a_study_of_ones_own_are_shown_as_they_were(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    study = project.folder / "mine/study.py"
    study.parent.mkdir()
    study.write_text(OWN, encoding="utf-8")
    (study.parent / "simulated.py").write_text(SAYS, encoding="utf-8")
    project.configure(
        {
            "studies": ["mine"],
            "study_folders": {"mine": "mine"},
            "models": {"agent": {"provider": "simulated", "behaviour": "mine.simulated"}},
            "mine": {"model": "agent"},
        }
    )
    project.succeed("results/demo/mine/turns.parquet")

    def read_prompts() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dissensus", "read", "d001-short", "--prompts"]
        return subprocess.run(command, cwd=project.folder, capture_output=True, text=True)

    before = read_prompts()
    assert "Be short. Question" in before.stdout and not before.stderr
    edit(study, "Be {session.arm}.", "Stay {session.arm}.")
    after = read_prompts()
    assert after.stdout == before.stdout
    assert "mine/study.py changed after d001-short; shown is what it was sent." in after.stderr
    (project.folder / "results/demo/mine/.files.json").unlink()
    refused = read_prompts()
    assert refused.returncode and "cannot be rebuilt" in refused.stderr
