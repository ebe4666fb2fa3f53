"""Configuration files that Snakemake gives up on before it reads this project."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakemake_logger_plugin_dissensus.unreadable import unreadable_configuration


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
    said = unreadable_configuration(arguments)
    assert said.startswith(words) and said.endswith(".")


def test_a_file_that_is_not_there_is_named() -> None:
    assert unreadable_configuration(["--configfile", "no.yaml"]).startswith(
        "no.yaml cannot be read"
    )


def test_what_is_no_configuration_is_not_read() -> None:
    Path("bad.yaml").write_bytes(b"a: [")
    Path("1").write_bytes(b"[")
    assert unreadable_configuration(["results/bad.yaml", "--cores", "1", "bad.yaml"]) == ""
    assert unreadable_configuration(["--configfile", "good.yaml", "--config", "run=a"]) == ""


def test_the_default_configuration_is_read_too() -> None:
    Path("config.yaml").write_text("{")
    assert unreadable_configuration([]).startswith("config.yaml, line 1: it is not YAML")
