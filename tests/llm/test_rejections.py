"""Rejections: one call's words, or a model that rejects whatever it is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import ProviderError
from dissensus.llm import outage
from dissensus.llm.call import Message
from hostile import REQUEST, Asked, Hostile, Said, answer, error, every_interface, hostile, prepare
from llm.test_outage import ask_all, model

#: What a provider says from some moment on of every call: retired, over a limit, kept out.
ENDS = {
    "retired": (404, "The model m was retired today."),
    "limit": (400, "You have reached the limit of this workspace."),
    "parameter": (400, "Unknown parameter: seed."),
    "unprocessable": (422, "No."),
}


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch, outages=True)
    monkeypatch.setattr(outage, "REJECTED_FIRST_S", 0.02)
    monkeypatch.setattr(outage, "_POLL_S", 0.02)
    # Calls that are rejected at the same time wait that long one after the other.
    wait_for(monkeypatch, 0.1)


def wait_for(monkeypatch: pytest.MonkeyPatch, limit_s: float) -> None:
    """Have a model that rejects everything be asked again for so long."""
    defaults = list(outage.Rejections.__init__.__defaults__ or ())
    monkeypatch.setattr(outage.Rejections.__init__, "__defaults__", (limit_s, *defaults[1:]))


def rejecting(interface: str, status: int, words: str) -> Said:
    return Said(error(interface, words, "invalid_request_error"), status)


def warmed(folder: Path, server: Hostile, interface: str = "openai") -> Any:
    """A model that has answered a call."""
    made = model(folder, server, interface, retries=3)
    assert made.ask(REQUEST).text == "Hello."
    return made


@pytest.mark.parametrize("end", ENDS)
@every_interface
def test_what_every_call_meets_stops_the_run_and_is_in_no_journal(
    tmp_path: Path, interface: str, end: str
) -> None:
    over = threading.Event()

    def say(_: Asked) -> Said:
        return rejecting(interface, *ENDS[end]) if over.is_set() else Said(answer(interface))

    with hostile(say) as server:
        made = warmed(tmp_path, server, interface)
        over.set()
        ends = ask_all(made, tmp_path / "calls", 6)
        assert all(isinstance(one, ProviderError) for one in ends)
        assert "models.m: providers.p rejects whatever it is asked (" in str(ends[0])
        assert ENDS[end][1] in str(ends[0])
        assert [path for path in tmp_path.glob("calls/*") if path.stat().st_size] == []
        over.clear()
        again = ask_all(model(tmp_path, server, interface), tmp_path / "calls", 6)
    assert [reply.text for reply in again] == ["Hello."] * 6


def test_calls_wait_until_the_model_takes_them_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for(monkeypatch, 20.0)
    over = threading.Event()

    def say(_: Asked) -> Said:
        return rejecting("openai", *ENDS["limit"]) if over.is_set() else Said(answer("openai"))

    with hostile(say) as server:
        made = warmed(tmp_path, server)
        over.set()
        threading.Timer(0.3, over.clear).start()
        replies = ask_all(made, tmp_path / "calls", 6)
    assert [(reply.text, reply.error) for reply in replies] == [("Hello.", "")] * 6
    said = capsys.readouterr().err
    assert "providers.p rejects all calls to models.m (You have reached the limit" in said
    assert said.endswith("providers.p takes calls to models.m again.\n")


@every_interface
def test_a_call_that_alone_is_rejected_is_its_session_s_failure(
    tmp_path: Path, interface: str
) -> None:
    """The call that was taken before is asked once more, and tells."""

    def say(asked: Asked) -> Said:
        is_bad = "forbidden" in str(asked.messages)
        return rejecting(interface, *ENDS["limit"]) if is_bad else Said(answer(interface))

    with hostile(say) as server:
        made = warmed(tmp_path, server, interface)
        bad = replace(REQUEST, messages=(*REQUEST.messages[:-1], Message("user", "forbidden")))
        replies = [made.ask(replace(bad, seed=seed)) for seed in range(5)]
        # Three tries and the call of before.
        assert len(server.calls) == 1 + 5 * (3 + 1)
    assert [(reply.text, reply.error) for reply in replies] == [("", "rejected")] * 5
    assert server.calls[4].body == server.calls[0].body


def letting_short_ones_through(over: threading.Event, interface: str) -> Callable[[Asked], Said]:
    """From some moment on, no call is taken but a short question."""

    def say(asked: Asked) -> Said:
        is_fine = not over.is_set() or "Hello." in str(asked.messages)
        return Said(answer(interface)) if is_fine else rejecting(interface, *ENDS["limit"])

    return say


@every_interface
def test_a_short_question_that_is_taken_excuses_no_row_of_rejected_calls(
    tmp_path: Path, interface: str
) -> None:
    """In a process that was answered nothing yet, as on a cluster, where a short one must tell."""
    over = threading.Event()
    with hostile(letting_short_ones_through(over, interface)) as server:
        warmed(tmp_path, server, interface)
        over.set()
        made = model(tmp_path, server, interface, retries=3)
        errors = [made.ask(replace(REQUEST, seed=seed)).error for seed in range(3)]
        with pytest.raises(ProviderError, match="rejected 4 calls in a row and takes a short"):
            made.ask(REQUEST)
        first, short = server.calls[0], server.calls[-1]
    assert errors == ["rejected"] * 3
    roles = [role for role, _ in short.messages]
    assert roles == [role for role, _ in first.messages][: len(roles)]
    for system in ("system", "systemInstruction"):
        assert short.body.get(system) == first.body.get(system)
    assert short.messages[-1] == ("user", "Hello.")


@every_interface
def test_calls_that_are_rejected_with_one_that_was_taken_before_stop_the_run(
    tmp_path: Path, interface: str
) -> None:
    """Even where a firewall lets short questions through."""
    over = threading.Event()
    with hostile(letting_short_ones_through(over, interface)) as server:
        made = warmed(tmp_path, server, interface)
        over.set()
        ends = ask_all(made, tmp_path / "calls", 6)
    assert all("rejects whatever it is asked" in str(end) for end in ends)
    assert [path for path in tmp_path.glob("calls/*") if path.stat().st_size] == []


def test_a_model_that_never_answered_stops_the_run_at_once(tmp_path: Path) -> None:
    with hostile(rejecting("openai", *ENDS["retired"])) as server:
        [end] = ask_all(model(tmp_path, server, retries=3), tmp_path / "calls", 1)
        assert len(server.calls) == 3
    assert "models.m: providers.p rejects its requests (The model m was retired" in str(end)


@pytest.mark.parametrize("words", ["Request denied.", "Forbidden", "input flagged"])
def test_a_403_of_one_prompt_is_its_session_s_and_one_of_all_stops_the_run(
    tmp_path: Path, words: str
) -> None:
    over = threading.Event()

    def say(asked: Asked) -> Said:
        if over.is_set() or "forbidden words" in asked.messages[-1][1]:
            return Said(error("openai", words, "forbidden"), 403)
        return Said(answer("openai"))

    bad = replace(REQUEST, messages=(Message("user", "forbidden words"),))
    with hostile(say) as server:
        made = warmed(tmp_path, server)
        reply = made.ask(bad)
        assert reply.error == ("content_filter" if "flagged" in words else "rejected")
        assert made.ask(replace(REQUEST, seed=3)).text == "Hello."
        over.set()
        if "flagged" not in words:
            with pytest.raises(ProviderError, match="rejects whatever it is asked"):
                made.ask(replace(REQUEST, seed=4))


def test_the_parameter_that_fastapi_names_is_what_is_to_be_left_out(tmp_path: Path) -> None:
    detail = [
        {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs", "input": 9}
    ]
    said = Said({"detail": detail}, 422)
    with hostile(said) as server, pytest.raises(ProviderError) as caught:
        model(tmp_path, server).ask(REQUEST)
    assert "models.m.rename: {seed: null} leaves seed out" in str(caught.value)


@pytest.mark.parametrize("code", ["tool_use_failed", "output_parse_failed", "json_validate_failed"])
def test_a_sample_that_cannot_be_read_is_drawn_again(tmp_path: Path, code: str) -> None:
    failed = {"error": {"message": "Failed.", "type": "invalid_request_error", "code": code}}
    with hostile(Said(failed, 400), Said(failed, 400), Said(answer("openai"))) as server:
        reply = model(tmp_path, server, retries=3).ask(REQUEST)
    assert reply.text == "Hello." and reply.faults == ("empty", "empty")
