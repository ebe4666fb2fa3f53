"""``dissensus worlds``, from a configuration to what is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dissensus.cli import main
from dissensus.study.experiment import diagnosis
from known_studies import studies_as_before
from support import ROOT

EXAMPLE = "examples/scripted_majority/config.yaml"


def printed(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    with studies_as_before():
        code = main(["worlds", *more])
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "_SESSIONS", 50)
    monkeypatch.chdir(ROOT)


@pytest.mark.thorough
def test_each_estimate_has_a_line_with_its_monte_carlo_interval(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ("scripted_majority", "--null", "--n", "6", "--items", "5", "--configfile", EXAMPLE)
    code, said = printed(capsys, *given)
    assert code == 0 and said.count("6 simulated studies of 5 items") == 2
    assert "Sharp null" in said and "Null in the mean" in said
    lines = [line for line in said.splitlines() if " cluster_robust " in line]
    assert lines and all(re.search(r" 0 +[01]\.\d{3} \[[\d.]+, [\d.]+\]", line) for line in lines)
    assert "Simulated models: the numbers say nothing about any real one." in said
    # The same seed says the same.
    assert printed(capsys, *given)[1] == said


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("nowhere", "--configfile", EXAMPLE), "runs no study 'nowhere'; it runs scripted_maj"),
        (("scripted_majority", "--n", "0", "--configfile", EXAMPLE), "--n is 0; it must be 1 or"),
        (("language",), "language is no Experiment, so that its analysis is not declared"),
    ],
)
def test_what_cannot_be_simulated_is_a_sentence(
    given: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = printed(capsys, *given)
    assert code == 1 and sentence in " ".join(said.split())


def test_real_models_are_no_world(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "real.yaml"
    text = (ROOT / EXAMPLE).read_text("utf-8")
    names = re.findall(r"^  (\w+): \{provider", text, re.MULTILINE)
    text = re.sub(
        r"provider: simulated, behaviour: [\w.]+(, speech: \{[^}]*\})?",
        "provider: openai, model: x",
        text,
    )
    file.write_text(text)
    code, said = printed(capsys, "scripted_majority", "--configfile", str(file))
    assert code == 1 and names[0] in said and "which no simulation can stand for" in said
