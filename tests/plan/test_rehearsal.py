"""A reader's own study that is wrong is a sentence before its first session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support import Project

#: The page's study as a Study of its own, whose parts are all declared by hand.
STUDY = """
from dataclasses import dataclass
from functools import partial

from dissensus.design.manifest import rows_of_draw
from dissensus.llm.call import Message
from dissensus.report.declared import Table
from dissensus.session.protocol import Call, Parsed
from dissensus.study.kind import Kind
from dissensus.study.settings import StudySettings
from dissensus.study.study import Manifest, ModelUse, Source, Study
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, text

ASKED = {"item_id": text("Name."), "asked": text("Question.")}
QUESTIONS = Schema("questions", "question", ASKED, key=("item_id",))
PLACE = common("session_id", "draw_id", "block", "position", "seed")
NAMES = {"item_id": text("Name."), "arm": text("Arm.")}
SESSIONS = Schema("manifest", "session", {**PLACE, **NAMES}, key=("session_id",))

class OwnSettings(StudySettings):
    model: str

def collect(settings, seed):
    return {"questions": (QUESTIONS, [{"item_id": "q", "asked": "Why?"}])}

def draw(questions, settings, seed):
    return rows_of_draw(0, 1, ["a", "b"], seed, {"item_id": "q"})

class Any_:
    def read(self, text):
        return Parsed(text)

@dataclass(frozen=True)
class Question:
    asked: str
    model: str

class Answer(Kind):
    def cast(self, row):
        return [self.settings.model]

    def spec(self, row, item):
        return Question(item["asked"], self.settings.model)

    def steps(self, spec, inputs):
        return partial(ask, spec, self.decoding)

def ask(spec, decoding):
    prompt = (Message("user", spec.asked),)
    place = (1, "A", "r", "round 1", spec.model)
    yield [Call(*place, prompt, Any_(), lambda _: prompt, decoding, purpose="debate")]

class Own(Study[OwnSettings]):
    name, Settings, arm, protocol = "own", OwnSettings, "arm", "own.study"
    ids = SESSIONS.pick("session_id", "draw_id", "arm")
    manifest = Manifest("own.study:draw", schema="own.study:SESSIONS")
    source = Source(
        "own.study:collect", artefact="questions", key="item_id", schema="own.study:QUESTIONS"
    )
    view = ("model",)
    tables = (Table("table_x", "own.show:table", ("outcomes",), "X", "1 Tables"),)

    def models(self):
        return [ModelUse("model", "debate", [self.settings.model])]

    @property
    def kinds(self):
        return [Answer(self.settings)]
"""
SHOW = "def table(artefacts, view):\n    raise AssertionError\n"
RULES = 'rule own:\n    input:\n        core("own"),\n'
SPEAK = """
def check(speech):
    pass

def identity(settings):
    return 1

def speak(messages, settings, rng):
    return "Because."
"""
CONFIGURATION = """
run: own
studies: [own]
study_folders: {own: own}
models:
  m: {provider: simulated, behaviour: own.simulated, speech: {}}
own: {model: m, protocol: {temperature: 1.0, max_tokens: 9, repairs: 0, session_attempts: 1}}
"""
TURNS = "results/own/own/turns.parquet"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("own") / "project")
    made.configuration = "own.yaml"
    return made


def lay(project: Project, old: str = "", new: str = "", rules: str = RULES) -> Path:
    """Write the study, with one piece of its code replaced."""
    folder = project.folder / "own"
    folder.mkdir(exist_ok=True)
    # Two cases may be of one length, and written within the second that Python's own files tell.
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    assert old in STUDY
    files = {"study.py": STUDY.replace(old, new) if old else STUDY, "show.py": SHOW}
    for name, content in {**files, "rules.smk": rules, "simulated.py": SPEAK}.items():
        (folder / name).write_text(content, encoding="utf-8")
    (project.folder / "own.yaml").write_text(CONFIGURATION, encoding="utf-8")
    return folder / "study.py"


def test_the_study_runs_as_it_is(project: Project) -> None:
    lay(project)
    project.succeed(TURNS)


#: What is replaced, by what, and what is said.
WRONG = {
    "arm": (
        *('"arm", "own.study"\n', '"amr", "own.study"\n'),
        "arm is 'amr', and the manifest has no such column",
    ),
    "view": (
        *('view = ("model",)', 'view = ("modl",)'),
        "view names the setting 'modl', and the study has none",
    ),
    "protocol": (
        *('"arm", "own.study"\n', '"arm", "own.studdy"\n'),
        "protocol is 'own.studdy'; it must be the module",
    ),
    "elsewhere": (
        *('"arm", "own.study"\n', '"arm", "own.show"\n'),
        "protocol is 'own.show', and the steps are made in",
    ),
    "maker": (
        *('"own.show:table"', '"own.show:tabel"'),
        "table_x names 'own.show:tabel', and there is no such function",
    ),
    "key": (
        *("spec.asked", "spec.asekd"),
        "ended with AttributeError: 'Question' object has no attribute 'asekd'",
    ),
    "cast": ("return [self.settings.model]", "return []", "asks 'm', which cast does not name"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_before_the_first_session(project: Project, case: str) -> None:
    old, new, sentence = WRONG[case]
    file = lay(project, old, new)
    done = project.run(TURNS)
    assert done.returncode != 0
    assert sentence in done.stderr and str(file) in done.stderr
    assert "Traceback" not in done.stderr


def test_rules_that_leave_out_what_every_study_makes_are_a_sentence(project: Project) -> None:
    lay(project, rules="rule own:\n    input:\n        []\n")
    done = project.run("--dry-run")
    assert done.returncode != 0 and "must have a rule 'own' with core('own')" in done.stderr
    # Who writes no rule of the study's name, or none at all, has one of all that it makes.
    lay(project, rules="rule other:\n    input:\n        []\n")
    project.succeed("--dry-run", "own")
    (project.folder / "own/rules.smk").unlink()
    assert "gather_own_turns" in project.succeed("--dry-run", "own")
