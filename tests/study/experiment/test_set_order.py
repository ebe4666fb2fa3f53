"""A prompt with a set in it is the same in every process of a run: none is paid twice."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support import Project

STUDY = """
from dissensus.study.experiment import Experiment, text

class Order(Experiment):
    name = "order"
    arms = ("a", "b")
    item = {"asked": text("What is asked.")}
    outcomes = {"length": "Letters of the reply."}

    def items(self, rng):
        yield {"asked": "Which?"}

    def debate(self, session):
        words = {"elm", "oak", "yew", "ash", "fir", "lime", "plum", "pear", "beech", "birch"}
        yield session.call("A1", session.item.asked + " " + ", ".join(words))

    def measure(self, turns, item):
        return {"length": len(turns["text"].iloc[-1])}
"""
SPEAK = """
def speak(messages, settings, rng):
    return "Oak."
"""
CONFIGURATION = """
run: order
studies: [order]
study_folders: {order: order}
models:
  m: {provider: simulated, behaviour: order.simulated, speech: {}}
order: {model: m}
"""
TURNS = "results/order/order/turns.parquet"


@pytest.mark.thorough
@pytest.mark.run
def test_a_set_in_a_prompt_has_one_order(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    (project.folder / "order").mkdir()
    for name, text in {"study.py": STUDY, "simulated.py": SPEAK}.items():
        (project.folder / "order" / name).write_text(text, encoding="utf-8")
    (project.folder / "order.yaml").write_text(CONFIGURATION, encoding="utf-8")
    project.configuration = "order.yaml"
    project.succeed(TURNS, fresh=True)
    asked = project.requests("order")
    assert len(asked) == 2
    for path in project.folder.glob("results/order/order/transcripts/*"):
        path.unlink()
    said = project.succeed(TURNS, fresh=True)
    assert project.requests("order") == asked
    assert "; 0 calls, 2 answers from a journal" in said
    assert "no prompt asks for any more" not in said
    # What a person reads of it is the same, too.
    session = next(iter(project.folder.glob("results/order/order/journal/*.jsonl"))).stem
    command = [sys.executable, "-m", "dissensus", "read", session, "--prompts"]
    shown = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    # An edited prompt is asked anew, and the replies that it leaves behind are counted.
    study = project.folder / "order/study.py"
    study.write_text(STUDY.replace("Which?", "Which tree?"), encoding="utf-8")
    said = project.succeed(TURNS)
    assert "; 2 calls, 2 answers in a journal that no prompt asks for any more" in said
