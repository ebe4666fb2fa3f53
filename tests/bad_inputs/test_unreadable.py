"""Configuration files that Snakemake gives up on before it reads this project."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakemake_logger_plugin_dissensus.unreadable import unreadable_settings


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text("seed: 1\n")
    Path("good.yaml").write_text("seed: 2\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a: [", "bad.yaml, line 1: it is not YAML (did not find"),
        (b"\xff\xfea: 1", "bad.yaml, line 1: it is not UTF-8; save it"),
        (b"\0", "bad.yaml, line 1: it has the control character U+0000"),
        (b"a: *b", "bad.yaml, line 1: it is not YAML (found undefined alias"),
        (b"{? [a, b] : 1}", "bad.yaml, line 1: it is not YAML (found unhashable key"),
        (b"", "bad.yaml holds no settings"),
        (b"[1, 2]", "bad.yaml holds no settings"),
        (b"text", "bad.yaml holds no settings"),
        (b"seed: " + b"9" * 5000, "bad.yaml, line 1: it is not YAML ('9999"),
        (b"prices: 2020-13-45", "bad.yaml, line 1: it is not YAML ('2020-13-45': month"),
        (b"seed: 010", "bad.yaml, line 1: seed holds 010, which YAML reads as 8; write 10"),
        (b"seed: 1:30", "bad.yaml, line 1: seed holds 1:30, which YAML reads as 90; write 90"),
        (b"a: &x {b: *x}", "bad.yaml holds a value that cannot be read (Circular"),
    ],
)
@pytest.mark.parametrize(
    "arguments",
    [
        ["--configfile", "good.yaml", "bad.yaml", "--cores", "1"],
        ["all", "--configfile=bad.yaml"],
        ["--configfiles", "bad.yaml"],
    ],
    ids=" ".join,
)
def test_the_file_that_cannot_be_read_is_named(
    content: bytes, words: str, arguments: list[str]
) -> None:
    Path("bad.yaml").write_bytes(content)
    said = unreadable_settings(arguments)
    assert said.startswith(words) and said.endswith(".")


def test_a_file_that_is_not_there_is_named() -> None:
    assert unreadable_settings(["--configfile", "no.yaml"]).startswith("no.yaml cannot be read")


def test_what_is_no_configuration_is_not_read() -> None:
    Path("bad.yaml").write_bytes(b"a: [")
    Path("1").write_bytes(b"[")
    assert unreadable_settings(["results/bad.yaml", "--cores", "1", "bad.yaml"]) == ""
    assert unreadable_settings(["--configfile", "good.yaml", "--config", "run=a"]) == ""


def test_the_default_configuration_is_read_too() -> None:
    Path("config.yaml").write_text("{")
    assert unreadable_settings([]).startswith("config.yaml, line 1: it is not YAML")


def test_a_target_after_an_option_that_takes_all_words_is_said_to_be_one() -> None:
    said = unreadable_settings(["--configfile", "good.yaml", "results/x.parquet", "-n"])
    assert said == (
        "results/x.parquet stands after --configfile, which takes all words that follow; "
        "write the target in front of --configfile, or write -- between them."
    )
    assert unreadable_settings(["--configfile", "good.yaml", "language"]).startswith("language ")
    assert unreadable_settings(["--configfile", "good.yaml", "--", "language"]) == ""
    said = unreadable_settings(["--config", "run=a", "results/a/x.parquet"])
    assert said.startswith("results/a/x.parquet stands after --config, which")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("language.draws=3", "write --config 'language={draws: 3}' (with the quotes)."),
        (
            "language.protocol.session_deadline_s=60",
            "write --config 'language={protocol: {session_deadline_s: 60}}' (with the quotes).",
        ),
        ("9=3", "it must be a setting's name, '=' and its value."),
        (".=3", "it must be a setting's name, '=' and its value."),
    ],
)
@pytest.mark.parametrize("option", ["--config", "-C"])
def test_a_setting_within_a_block_is_said_how(option: str, entry: str, words: str) -> None:
    assert unreadable_settings(["-n", option, "run=a", entry]).endswith(words)


def test_what_the_sentence_says_to_write_is_taken() -> None:
    assert unreadable_settings(["-C", "language={draws: 3}", "--configfile", "good.yaml"]) == ""
