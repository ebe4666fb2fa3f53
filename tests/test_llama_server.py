"""Every study in small against a real llama.cpp server, with a tiny model that says random words.

`make .venv/llama` installs the server; `.ci/run` does that before the tests.
"""

from __future__ import annotations

import importlib.util
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from both import rows
from dissensus_serve import llama
from support import ROOT, Project, built_once
from tiny_gguf import write_tiny_model

STUDIES = ("language", "identity", "deliberation", "union", "consensus")
#: Smaller than config/local.yaml still: a word in fifty ends a reply, and a limit the others.
SMALLER: dict[str, dict[str, Any]] = {
    "language": {"draws": 2, "block_size": 2, "protocol": {"max_tokens": 60, "repairs": 1}},
    "identity": {"protocol": {"max_tokens": 60, "session_attempts": 1}},
    "deliberation": {"protocol": {"max_tokens": 60, "repairs": 1, "session_attempts": 1}},
    "union": {
        "protocol": {
            **{"max_tokens": 60, "speech_tokens": 60, "short_tokens": 60},
            **{"repairs": 0, "session_attempts": 1},
        }
    },
    "consensus": {"protocol": {"max_tokens": 60, "repairs": 1, "session_attempts": 1}},
}
QUICK = {"resamples": 100, "flips": 100}
#: What needs every session of a study, and a table that says who judged whom.
TARGETS = [
    f"results/local/{study}/{name}"
    for study in STUDIES
    for name in ("turns.parquet", "tables/table_spending.md")
]


def llama_is_here() -> bool:
    return importlib.util.find_spec("xllamacpp") is not None


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def build(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        prompts = (ROOT / "src/dissensus_studies").glob("*/prompts/*.yaml")
        write_tiny_model(folder / "tiny.gguf", " ".join(p.read_text("utf-8") for p in prompts))

    return built_once(tmp_path_factory, "tiny_model", build) / "tiny.gguf"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def configured(project: Project, port: int) -> None:
    """config/local.yaml, made smaller."""
    settings = yaml.safe_load((ROOT / "config/local.yaml").read_text("utf-8"))
    settings["studies"] = [*STUDIES]
    settings["providers"]["local"]["base_url"] = f"http://127.0.0.1:{port}/v1"
    for study, smaller in SMALLER.items():
        block = settings[study]
        settings[study] = {
            **block,
            **smaller,
            "protocol": {**block.get("protocol", {}), **smaller["protocol"]},
            "inference": {"resamples": 100} if study in ("identity", "union") else QUICK,
        }
    project.configure(settings)


@pytest.fixture(scope="module")
def local(
    model: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Project, subprocess.CompletedProcess[str]]:
    """A run of all studies with one local model that plays every part, and what it said."""
    if not llama_is_here():
        pytest.skip("no llama.cpp here: make .venv/llama installs it")
    project, port = Project(tmp_path_factory.mktemp("llama") / "project"), free_port()
    configured(project, port)
    serving = [sys.executable, "-m", "dissensus_serve.llama", str(model), "--port", str(port)]
    done = subprocess.run(
        [
            *serving,
            "--context",
            "65536",
            "--threads",
            "1",
            "--",
            *project.command(*TARGETS, cores=4),
        ],
        cwd=project.folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return project, done


@pytest.mark.thorough
@pytest.mark.parametrize("study", STUDIES)
def test_a_study_runs_with_one_local_model_that_plays_every_part(
    local: tuple[Project, subprocess.CompletedProcess[str]], study: str
) -> None:
    project, done = local
    said = done.stdout + done.stderr
    assert "Traceback" not in said, said[-3000:]
    folder = project.results("local", study)
    sessions = [row["session_id"] for row in rows(folder / "manifest.parquet")]
    outcomes, calls = (
        [row for path in folder.glob(f"shards/*/{name}.parquet") for row in rows(path)]
        for name in ("outcomes", "calls")
    )
    assert sorted(row["session_id"] for row in outcomes) == sorted(sessions)
    # One that reads what failed asks nothing.
    asking = {row["session_id"] for row in outcomes if ", which it reads, " not in row["failure"]}
    assert {row["session_id"] for row in calls} == asking
    assert {row["provider"] for row in calls} == {"local"} and {row["model"] for row in calls} == {
        "local"
    }
    assert sum(row["output_tokens"] for row in calls) > 100
    assert "imulated" not in said
    if not (folder / "turns.parquet").exists():
        # What says random words may complete no debate; that is one sentence, of this study.
        assert re.search(rf"^results/local/{study} has no session ", said, re.M), said[-3000:]
    table = (folder / "tables/table_spending.md").read_text("utf-8")
    is_marked = "local judges debates that it may be in." in table
    assert is_marked == (study in ("deliberation", "union"))


def test_a_model_that_is_no_file_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert llama.main(["nothing.gguf", "--", "true"]) == 1
    assert capsys.readouterr().err == (
        "nothing.gguf is no file; name a model in the GGUF format.\n"
    )


def test_without_llama_the_sentence_says_how_to_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    (tmp_path / "m.gguf").touch()
    assert llama.main([str(tmp_path / "m.gguf"), "--", "true"]) == 1
    assert "run `make .venv/llama`" in capsys.readouterr().err
