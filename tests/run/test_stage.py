"""How a stage ends: well, with a sentence, or with a traceback that only its log shows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dissensus.errors import ResourceError
from dissensus.run.stage import Stage, run
from dissensus.run.stage_log import failure_in, show_failures_last


class Outputs(list[str]):
    """Files by their place and by name, as Snakemake gives them."""

    @property
    def pool(self) -> str:
        return self[0]


def job(tmp_path: Path, **settings: Any) -> SimpleNamespace:
    return SimpleNamespace(
        rule="code_pool",
        log=[str(tmp_path / "logs" / "code_pool.log")],
        params={"settings": settings, "code": "c0de", "simulated": True},
        wildcards={},
        input=SimpleNamespace(pool="in.csv"),
        output=Outputs(["out.parquet"]),
        config={"run": "demo"},
        resources={"mem_mb": 500},
    )


def log_of(tmp_path: Path) -> str:
    return (tmp_path / "logs" / "code_pool.log").read_text(encoding="utf-8")


def test_a_stage_is_told_its_files_and_settings(tmp_path: Path):
    told: list[Any] = []
    run(lambda *given: told.extend(given), job(tmp_path, seed=7))
    given, made, stage = told
    assert (given.pool, made.pool) == ("in.csv", "out.parquet")
    assert isinstance(stage, Stage)
    assert (stage.settings, stage.simulated) == ({"seed": 7}, True)
    assert stage.provenance["stage"] == "code_pool"
    assert log_of(tmp_path).startswith("# done ")


def test_provenance_changes_with_the_settings_and_the_code(tmp_path: Path):
    told: list[str] = []
    jobs = [job(tmp_path, seed=7), job(tmp_path, seed=8), job(tmp_path, seed=7)]
    jobs[2].params["code"] = "0ther"
    for each in jobs:
        run(lambda *given: told.append(given[2].provenance["settings_sha256"]), each)
    assert len(set(told)) == 3


def test_a_users_error_is_its_sentence_and_no_traceback(tmp_path: Path, capsys):
    def main(*_: Any) -> None:
        raise ResourceError("motions.csv, row 3: 本院 is empty; fill in the text.")

    with pytest.raises(SystemExit) as ended:
        run(main, job(tmp_path))
    assert ended.value.code == 1
    sentence = "motions.csv, row 3: 本院 is empty; fill in the text.\n"
    assert capsys.readouterr().err == sentence
    assert log_of(tmp_path) == f"# failed\n{sentence}"


def test_a_run_that_shows_sentences_last_has_them_from_the_logs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def main(*_: Any) -> None:
        raise ResourceError("row 3 is empty.")

    monkeypatch.setenv("DISSENSUS_SENTENCES_LAST", "")
    show_failures_last()
    with pytest.raises(SystemExit):
        run(main, job(tmp_path))
    assert capsys.readouterr().err == ""
    assert failure_in(tmp_path / "logs" / "code_pool.log") == "row 3 is empty."


def test_what_an_error_quotes_does_not_reach_the_terminal_as_it_is(tmp_path: Path, capsys):
    def main(*_: Any) -> None:
        raise ResourceError("topics.yaml: \x1b[2J\rdone \u202e.")

    with pytest.raises(SystemExit):
        run(main, job(tmp_path))
    assert capsys.readouterr().err == (said := "topics.yaml: �[2J done �.\n")
    assert log_of(tmp_path) == f"# failed\n{said}"


def test_a_fault_of_ours_is_one_line_and_a_traceback_in_the_log(tmp_path: Path, capsys):
    def main(*_: Any) -> None:
        raise ZeroDivisionError("on purpose")

    with pytest.raises(SystemExit) as ended:
        run(main, job(tmp_path))
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    assert shown.startswith("code_pool failed (ZeroDivisionError: on purpose); see ")
    assert shown.count("\n") == 1
    assert "Traceback" in log_of(tmp_path)
    assert 'raise ZeroDivisionError("on purpose")' in log_of(tmp_path)
    assert failure_in(tmp_path / "logs" / "code_pool.log") == shown.strip()


def test_a_person_who_interrupts_is_let_go(tmp_path: Path):
    def main(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(main, job(tmp_path))
