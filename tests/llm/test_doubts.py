"""A model's replies share what may be thought and no rule knows: it is said, once."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from dissensus.llm.doubts import Watch, unknown
from dissensus.llm.marks import read_marks
from hostile import REQUEST, Asked, Said, chat, hostile, make_registry, prepare, provider

MARKS = read_marks()
WORDS = ["Trade", "Law", "Custom", "Cost", "Trust", "Time", "Choice", "Risk", "Faith", "Work"]
SPEECHES = [f"{word} is what the motion turns on, and we say so." for word in WORDS]
SHARED: dict[str, tuple[list[str], str]] = {
    "a tag": ([f"<ponder>\nHm.\n</ponder>\n{s}" for s in SPEECHES], "<ponder>"),
    "a token": ([f"<|mull|>Hm.<|mulled|>{s}" for s in SPEECHES], "<|mull|>"),
    "capitals": ([f"[MUSING]Hm.[/MUSING] {s}" for s in SPEECHES], "[MUSING]"),
    "tags of many names": ([f"<of{w}>Hm</of{w}> {w} is right." for w in WORDS], "<of"),
    "a known mark in place of words": ([f"so B </think> {s}" for s in SPEECHES], "</think>"),
    "a beginning": ([f"Okay, the user wants me to argue. {s}" for s in SPEECHES],
                    "'Okay, the user wants me to argue. '"),
    "a name without its mark": ([f"thought\nHm.\n{s}" for s in SPEECHES], "'thought'"),
}  # fmt: skip
NOTHING: dict[str, list[str]] = {
    "speeches": SPEECHES,
    "a short beginning": [f"We say this: {s}" for s in SPEECHES],
    "a format": [
        f'{{"stance": "for the motion", "confidence": 0.8, "text": "{s}"}}' for s in SPEECHES
    ],
    "one answer": ["The motion should be carried, on balance."] * 10,
    "type": [f"<b>{s}</b><br/>" for s in SPEECHES],
    "a mark now and then": [*SPEECHES[:8], "<ponder>a</ponder>", "<ponder>b</ponder>"],
    "few": [f"<ponder>{s}" for s in SPEECHES[:4]],
    "references": [f"[1] {s} [A2]" for s in SPEECHES],
}


@pytest.mark.parametrize(("texts", "said"), SHARED.values(), ids=SHARED)
def test_what_most_replies_share_is_named(texts: list[str], said: str) -> None:
    assert said in unknown(texts, MARKS, simulated=False)


@pytest.mark.parametrize("texts", NOTHING.values(), ids=NOTHING)
def test_what_replies_share_by_nature_is_not(texts: list[str]) -> None:
    assert unknown(texts, MARKS, simulated=False) == ""


def test_simulated_models_begin_as_they_were_written_to() -> None:
    texts = SHARED["a beginning"][0]
    assert unknown(texts, MARKS, simulated=True) == ""


def test_it_is_said_once_a_model_over_all_processes(tmp_path: Path) -> None:
    path = tmp_path / "p.said"
    texts = SHARED["a tag"][0]
    # Each process has a watch of its own.
    said = [Watch(path, False).see("m", text, MARKS) for text in texts]
    assert [bool(words) for words in said] == [False] * 4 + [True] + [False] * 5
    assert Watch(path, False).see("other", texts[0], MARKS) == ""
    # With marks added, it is looked at again.
    more = read_marks(None, {"names": ["mull"]})
    assert [bool(Watch(path, False).see("m", text, more)) for text in texts[:5]] == [False] * 4 + [
        True
    ]


def test_a_file_that_cannot_be_written_or_read_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("no folder")
    assert Watch(tmp_path / "a/p.said", False).see("m", "<ponder>", MARKS) == ""
    (tmp_path / "torn").write_text('{"model": "m"\n')
    assert Watch(tmp_path / "torn", False).see("m", "<ponder>", MARKS) == ""


def test_a_run_warns_and_names_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    prepare(monkeypatch)

    def say(asked: Asked) -> Said:
        return Said(chat(f"<ponder>\nHm.\n</ponder>\nSpeech {asked.body['seed']}."))

    with hostile(say) as server, caplog.at_level(logging.WARNING):
        model = make_registry(tmp_path, {"p": provider(server)}).model("m")
        for seed in range(9):
            model.ask(replace(REQUEST, seed=seed))
        warned = [r.getMessage() for r in caplog.records if "no rule knows" in r.getMessage()]
        assert len(warned) == 1
        assert "name its marks in models.m.thought" in warned[0]
        caplog.clear()
        own = {"m": {"provider": "p", "thought": {"names": ["ponder"]}}}
        model = make_registry(tmp_path, {"p": provider(server)}, own).model("m")
        replies = [model.ask(replace(REQUEST, seed=seed)) for seed in range(9)]
        assert {reply.thought for reply in replies} == {"Hm."}
        assert replies[3].text == "Speech 3."
        assert not [r for r in caplog.records if "no rule knows" in r.getMessage()]
