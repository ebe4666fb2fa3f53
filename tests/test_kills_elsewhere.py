"""Kills where a run is not in its debates: in translations, and in a fork from the terminal."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dissensus.llm.sender import SIMULATED_HEADER
from dissensus.tables.artefact import read
from dissensus.text.sentences import split_sentences
from serving import Server, serving
from support import SMALL, Project

PANEL = ["a", "b", "c", "d"]
PRICE = {"input": 1.0, "output": 5.0}
METRICS = "results/real/language/metrics.parquet"
#: What a sentence of a speech becomes, by the language that a prompt asks for.
SENTENCE = {"English": "The point is put again here.", "Chinese": "这里再说一次同样的意思。"}


class Translator(ThreadingHTTPServer):
    """Puts every sentence into the language that is asked for, and counts each request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.asked: Counter[str] = Counter()

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Answer(BaseHTTPRequestHandler):
    """One answer, as the chat interface has it."""

    protocol_version = "HTTP/1.1"
    server: Translator

    def do_POST(self) -> None:
        """Translate, slowly enough for a kill to come in between."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked[body] += 1
        time.sleep(0.1)
        prompt = json.loads(body)["messages"][-1]["content"]
        head, speech = prompt.split("The speech:\n")
        into = next(name for name in SENTENCE if f"into {name}" in head)
        text = " ".join([SENTENCE[into]] * len(split_sentences(speech)))
        usage = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        answer = {"id": "x", "object": "chat.completion", "created": 0, "model": "t"}
        sent = json.dumps({**answer, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.send_header(SIMULATED_HEADER, "1")
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def translating() -> Iterator[Translator]:
    with Translator() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def real(debaters: Server, translator: str | None = None) -> dict[str, Any]:
    """The small study with models behind a server, and a translator behind another one."""
    chat = {"interface": "openai", "simulated": True}
    hosts = {"o": {"base_url": f"{debaters.address}/v1", **chat}}
    models = {
        name: {"provider": "o", "model": f"simulated-{name}", "price": PRICE} for name in PANEL
    }
    language = {**SMALL["language"], "panel": PANEL}
    if translator:
        hosts["t"] = {"base_url": translator, **chat}
        models["translator"] = {"provider": "t", "model": "t", "price": PRICE}
        language["instrument"] = {"translator": "translator"}
    return {"run": "real", "providers": hosts, "models": models, "language": language}


def lines_of(project: Project, pattern: str) -> int:
    found = project.results("real").rglob(f"{pattern}.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in found)


@pytest.mark.thorough
def test_translations_that_are_killed_go_on_and_are_paid_once(
    project: Project, tmp_path: Path
) -> None:
    kills, cores = 3, 4
    with serving() as debaters, translating() as translator:
        project.configure(real(debaters, translator.address))
        for _ in range(kills):
            at = lines_of(project, "*-as-*") + 6

            def further(at: int = at) -> bool:
                return lines_of(project, "*-as-*") > at

            project.kill_when(further, METRICS, cores=cores)
        project.succeed(METRICS, cores=cores)
        asked = Counter(translator.asked)
        undisturbed = Project(tmp_path / "undisturbed")
        undisturbed.configure(real(debaters, translator.address))
        undisturbed.succeed(METRICS, cores=cores)
    journaled = lines_of(project, "*-as-*")
    # What was in flight at a kill is asked once more: of each of the cores a session of 8 calls.
    assert journaled <= asked.total() <= journaled + kills * cores * 8
    for path in undisturbed.results("real").glob("transcripts/*"):
        made = project.results("real") / "transcripts" / path.name
        assert made.read_bytes() == path.read_bytes(), path.name
    renderings = list(project.results("real").glob("transcripts/*-as-*"))
    assert len(renderings) == 8
    texts = {turn["text"] for path in renderings for turn in read(path).to_pylist()}
    assert texts <= {" ".join([words] * n) for words in SENTENCE.values() for n in range(1, 40)}
    # As they were when the file was made: nothing runs again.
    assert project.planned(METRICS) == {}


@pytest.mark.thorough
def test_a_fork_that_is_killed_goes_on_and_is_paid_once(project: Project) -> None:
    session = "results/real/language/transcripts/d001-en.parquet"
    with serving("--latency", "0.3") as server:
        project.configure(real(server))
        project.succeed(session, cores=4)
        (project.folder / "say.txt").write_text("Rivers need no laws.", encoding="utf-8")
        before = calls_of(server)
        command = ["fork", "d001-en", "--run", "real", "--turn", "2", "--say", "say.txt"]
        for lines in (1, 3):
            kill_when(lambda n=lines: lines_of(project, "forks/**/*") >= n, project, command)  # type: ignore[misc]
        done = forked(project, command)
        assert done.returncode == 0, done.stderr
        made = calls_of(server) - before
        (folder,) = (project.results("real") / "forks").iterdir()
        kept = sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.jsonl"))
        # A debate has one call in flight, which a kill loses.
        assert kept >= 6 and kept <= made <= kept + 2
        assert "0 calls were made" in forked(project, command).stderr
        assert calls_of(server) - before == made
    (project.folder / "say.txt").write_text("Laws need no rivers.", encoding="utf-8")
    nobody = forked(project, command)
    assert nobody.returncode == 1 and "Traceback" not in nobody.stderr
    assert "providers.o" in nobody.stderr and nobody.stderr.count("\n") == 1


def calls_of(server: Server) -> int:
    return sum(int(kind["received"]) for kind in server.stats()["calls"].values())


def dissensus(command: list[str]) -> list[str]:
    return [sys.executable, "-m", "dissensus", *command]


def forked(project: Project, command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        dissensus(command), cwd=project.folder, capture_output=True, text=True, check=False
    )


def kill_when(happens: Callable[[], bool], project: Project, command: list[str]) -> None:
    with subprocess.Popen(
        dissensus(command),
        cwd=project.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while not happens() and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None, "It was over before it could be killed."
        process.kill()
