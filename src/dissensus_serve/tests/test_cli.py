"""The command: how it starts, what it says, how it ends, and what it makes of a wrong option."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from dissensus.cli import main
from serving import ROOT, command, serving


def run(*options: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*options), cwd=cwd, capture_output=True, text=True, timeout=30, check=False
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_quietly_even_with_a_call_in_flight(number: signal.Signals):
    options = command("--port", "0", "--fault", "timeout=1", "--model", "m", "--words", "fixed")
    with subprocess.Popen(
        options, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        address = process.stdout.readline().split()[2].rstrip(";")
        body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(f"{address}/v1/chat/completions", json=body, timeout=0.2)
        with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1]))) as client:
            client.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            process.send_signal(number)
            assert process.wait(timeout=10) == 0
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""


def test_its_line_says_how_to_point_a_configuration_at_it():
    with serving() as server:
        assert server.said.startswith(f"Listening on {server.address};")
        assert f'base_url: "{server.address}/v1"' in server.said
        assert httpx2.get(f"{server.address}/health").json() == {"status": "ok"}
    with serving("--quiet") as server:
        assert server.said == server.address


def test_a_port_in_use_is_one_sentence():
    with serving() as server:
        ended = run("--port", server.address.rsplit(":", 1)[1])
    assert ended.returncode == 1
    assert ended.stderr.startswith("Cannot listen on 127.0.0.1:")
    assert ended.stderr.count("\n") == 1


def test_another_host_is_warned_of():
    with subprocess.Popen(
        command("--port", "0", "--host", "0.0.0.0"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith("Listening on")
        process.terminate()
        assert process.stderr.read().startswith("Warning: 0.0.0.0 lets other machines reach")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--prot", "1"], "prot"),
        (["--port", "99999"], "at most 65535"),
        (["--port", "x"], "whole number"),
        (["--latency", "-1"], "at least 0"),
        (["--latency", "nan"], "nan"),
        (["--faults", "2"], "at most 1"),
        (["--fault", "bad=0.1"], "rate_limit"),
        (["--fault", "empty"], "KIND=RATE"),
        (["--fault", "empty=0.6", "--fault", "timeout=0.6"], "add up to 1.2"),
        (["--model", "=x"], "NAME"),
        (["--model", "gpt=nobody"], "has no simulated model 'nobody'"),
        (["--config", "no.yaml"], "no.yaml cannot be read"),
        (["--config", "LICENSE"], "LICENSE"),
        (["--key-from", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE is not set"),
        (["--words", "many"], "speeches"),
        (["--requests-per-minute", "0"], "at least 1"),
        (["--host", "256.0.0.1"], "Cannot listen on"),
    ],
)
def test_a_wrong_option_is_one_sentence(
    options: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any
):
    monkeypatch.chdir(ROOT)
    assert told(capsys, *options).count("\n") == 1
    assert says in told(capsys, *options)


def told(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What the command prints when it refuses to start."""
    try:
        code: Any = main(["serve", *options])
    except SystemExit as end:
        code = end.code
    assert code in (1, 2)
    return capsys.readouterr().err


def test_wrong_settings_of_a_model_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "odd.yaml"
    file.write_text("models: {m: {provider: simulated, behaviour: no.such}}", encoding="utf-8")
    assert "models.m.behaviour holds 'no.such'" in told(capsys, "--config", str(file))
    behaviour = "dissensus_studies.language.simulated"
    file.write_text(
        f"models: {{m: {{provider: simulated, behaviour: {behaviour}, speech: {{recycle: 1}}}}}}",
        encoding="utf-8",
    )
    assert "models.m.speech.recycle holds 1" in told(capsys, "--config", str(file))
    file.write_text("models: {m: {provider: openai}}", encoding="utf-8")
    assert "no simulated model" in told(capsys, "--config", str(file))


def test_the_package_is_a_command_by_itself(capsys: pytest.CaptureFixture[str]):
    started = [sys.executable, "-m", "dissensus_serve"]
    ended = subprocess.run([*started, "--port", "x"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == told(capsys, "--port", "x")


def test_without_the_package_the_command_says_where_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("dissensus.cli.find_spec", {"dissensus_serve": None}.__getitem__)
    for options in ([], ["--port", "0"], ["--help"]):
        said = told(capsys, *options)
        assert said.count("\n") == 1
        assert "dissensus_serve, which is not installed here" in said


def test_help_lists_every_option():
    ended = run("--help")
    assert ended.returncode == 0
    for name in (
        "--faults",
        "--fault",
        "--latency-spread",
        "--batch-seconds",
        "--refuse-parameter",
    ):
        assert name in ended.stdout
