"""A study of the reader's own behind the server, and a behaviour that is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx2
import pytest

from dissensus.cli import main
from serving import ROOT, Server, serving

TEMPLATE = ROOT / "src/dissensus/project/template/echo"


def said(server: Server, words: str, interface: str = "openai") -> httpx2.Response:
    body = {"model": "guesser", "messages": [{"role": "user", "content": words}]}
    if interface == "anthropic":
        body["max_tokens"] = 50
        return httpx2.post(f"{server.address}/v1/messages", json=body, timeout=30)
    return httpx2.post(f"{server.address}/v1/chat/completions", json=body, timeout=30)


def test_the_models_of_a_new_project_are_served_by_the_file_that_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "bridges"]) == 0
    # By the project's configuration, by the study's own file, and from the study's folder.
    for folder, file in (
        ("bridges", "bridges/simulated.yaml"),
        ("bridges", "config.yaml"),
        ("bridges/bridges", "simulated.yaml"),
    ):
        with serving("--config", file, cwd=tmp_path / folder) as server:
            answer = said(server, "How long? Another says 100.").json()
            number = int(answer["choices"][0]["message"]["content"].split()[-1].strip("."))
            # Half the way from about 500.
            assert 200 < number < 400


def test_a_behaviour_that_ends_in_an_error_is_named_by_its_line(tmp_path: Path) -> None:
    own = tmp_path / "echo"
    shutil.copytree(TEMPLATE, own)
    text = (own / "simulated.py").read_text("utf-8")
    (own / "simulated.py").write_text(text.replace("int(shown)", "shown"), "utf-8")
    line = 1 + text[: text.index("int(shown)")].count("\n")
    place = f"TypeError in {own / 'simulated.py'}, line {line}: unsupported operand"
    with serving("--config", "echo/simulated.yaml", cwd=tmp_path) as server:
        for interface in ("openai", "anthropic", "openai"):
            answer = said(server, "Another says 100.", interface)
            assert answer.status_code == 400
            assert f"echo.simulated.speak ended in {place}" in answer.json()["error"]["message"]
        # It answers what it can, and said what it could not once.
        assert said(server, "How long?").status_code == 200
        assert server.errors().count(place) == 1 and "Traceback" not in server.errors()
        counted = server.stats()
        assert counted["calls"]["chat"]["refused"] == {"400": 2}
        assert counted["in_flight"]["now"] == 0
