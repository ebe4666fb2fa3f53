"""What a run says last, where an input is wrong: its sentence, once, and nothing after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support import SMALL, Project

#: What Snakemake says of jobs that failed.
NOISE = (
    *("Error in rule", "RuleException", "CalledProcessError", "WorkflowError", "Traceback"),
    *("Exiting because", "Shutting down", "Complete log(s)", "Elapsed time"),
)
#: How lines of progress begin.
HEADS = ("[", "Using workflow specific profile", "Config file ")
POOL = "results/demo/language/pool.parquet"
MOTIONS, TOPICS = "resources/motions/motions.csv", "resources/topics/topics.yaml"


def last_words(
    project: Project, *arguments: str, fresh: bool = False
) -> tuple[list[str], list[str]]:
    """The lines of a run that fails which are no progress, and all its lines."""
    done = project.run(*arguments, fresh=fresh)
    assert done.returncode == 1, done.stderr
    assert not [noise for noise in NOISE if noise in done.stderr], done.stderr
    lines = done.stderr.splitlines()
    return [line for line in lines if not line.startswith(HEADS)], lines


def damage(project: Project, path: str, old: str, new: str) -> None:
    file = project.folder / path
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.thorough
def test_a_wrong_row_is_the_last_sentence_and_the_only_one(project: Project) -> None:
    damage(project, MOTIONS, ",2023,", ",MMXXIII,")
    said, lines = last_words(project)
    (sentence,) = said
    assert sentence.startswith(f"{MOTIONS}, row 2: year holds 'MMXXIII'; it must be a whole number")
    assert lines[-1] == sentence
    assert any(line.endswith("collect_language failed; why is said at the end") for line in lines)
    # Other jobs go on.
    assert (project.folder / "results/demo/report.rst").exists()
    log = (project.results() / "logs/collect.log").read_text(encoding="utf-8")
    assert log == f"# failed\n{sentence}\n"


def test_two_wrong_files_are_a_sentence_each(project: Project) -> None:
    project.configure({"studies": ["language", "deliberation"], **SMALL})
    damage(project, MOTIONS, ",2023,", ",MMXXIII,")
    damage(project, TOPICS, "ordered: false", "ordered: maybe")
    said, lines = last_words(project)
    assert sorted(line.split(",")[0].split(":")[0] for line in said) == [MOTIONS, TOPICS]
    assert sorted(lines[-2:]) == sorted(said)


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        ({"tokenizer": "tiktoken:nope"}, "measures.tokenizer: tokenizer 'tiktoken:nope': tiktoken"),
        pytest.param(
            {"tokenizer": "hf:/nonexistent"},
            "measures.tokenizer: tokenizer 'hf:/nonexistent': no",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            {"alternative_embedders": ["sentence-transformers:/nonexistent"]},
            "measures.alternative_embedders: embedder 'sentence-transformers:/nonexistent'",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_measure_that_cannot_be_loaded_is_found_before_the_first_call(
    project: Project, measures: dict[str, Any], words: str
) -> None:
    held: dict[str, Any] = SMALL["language"]
    project.configure({"language": {**held, "measures": {**held["measures"], **measures}}})
    said, lines = last_words(project)
    assert said[-1] == lines[-1]
    assert len(said) == 1 and said[0].startswith(f"language.{words}")
    assert not (project.results() / "journal").exists()


def test_a_wrong_setting_is_said_alone(project: Project) -> None:
    project.configure({"seed": -1})
    said, lines = last_words(project)
    assert len(said) == 1
    assert said[0].endswith("more.yaml, config.yaml: seed holds -1; it must be at least 0.")
    assert lines[-1] == said[-1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: [", "more.yaml, line 1: it is not YAML (did not find"),
        ("prices: 2020-13-45", "more.yaml, line 1: it is not YAML ('2020-13-45': month"),
    ],
)
@pytest.mark.parametrize("arguments", [[], ["--dry-run"]], ids=str)
def test_a_configuration_that_is_none_is_said_alone(
    project: Project, content: str, words: str, arguments: list[str]
) -> None:
    (project.folder / "more.yaml").write_text(content)
    said, lines = last_words(project, *arguments)
    assert len(said) == 1 and said[0].startswith(words)
    assert lines[-1] == said[0]


SCRIPT = "workflow/scripts/study/collect.py"
BEGIN = "    collected = stage.function"


def test_a_fault_of_ours_is_a_line_with_the_path_of_its_log(project: Project) -> None:
    damage(project, SCRIPT, BEGIN, f"    1 / 0\n{BEGIN}")
    said, lines = last_words(project)
    log = "results/demo/language/logs/collect.log"
    assert (
        said
        == [f"collect_language failed (ZeroDivisionError: division by zero); see {log}"]
        == lines[-1:]
    )
    assert "Traceback" in (project.folder / log).read_text(encoding="utf-8")


def test_a_job_without_memory_is_a_sentence_and_the_next_start_goes_on(project: Project) -> None:
    text = (project.folder / SCRIPT).read_text(encoding="utf-8")
    damage(project, SCRIPT, BEGIN, f"    bytearray(1 << 62)\n{BEGIN}")
    said, lines = last_words(project)
    log = "results/demo/language/logs/collect.log"
    sentence = (
        "collect_language ran out of memory; start again with fewer --cores, or on a machine with "
        f"more memory. {log} says where."
    )
    assert said == [sentence] == lines[-1:]
    (project.folder / SCRIPT).write_text(text, encoding="utf-8")
    project.succeed(POOL)


@pytest.mark.parametrize("whom", ["os.getpid()", "os.getppid()"], ids=["script", "server"])
def test_a_job_that_was_killed_has_a_sentence_too(project: Project, whom: str) -> None:
    """By itself, or with the server that it was forked from."""
    text = (project.folder / SCRIPT).read_text(encoding="utf-8")
    killed = f"    import os, time; os.kill({whom}, 9); time.sleep(60)\n{BEGIN}"
    damage(project, SCRIPT, BEGIN, killed)
    stale = project.results() / "logs/collect.log"
    stale.parent.mkdir(parents=True)
    stale.write_text("# failed\nof yesterday\n")
    # This job alone: others that end with the server have sentences too, in any order.
    done = project.run(POOL)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "of yesterday" not in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "collect_language, which makes results/demo/language/pool.parquet, was ended by SIGKILL, "
        "as the system does where memory runs out; start again with fewer --cores, or on a machine "
        "with more memory."
    )
    (project.folder / SCRIPT).write_text(text, encoding="utf-8")
    project.succeed(POOL)


def test_nothing_is_left_in_temporary_folders(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "tmp").mkdir()
    project.configure({"language": {**SMALL["language"], "measures": {"tokenizer": "hf:/no"}}})
    last_words(project, fresh=True)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert list((tmp_path / "cache").rglob("snakemake-runtime-cache/*")) == []


@pytest.mark.parametrize(
    ("target", "nearest"),
    [
        ("diagnosys", "diagnosis"),
        ("results/demo/language/metrics.parqet", "results/demo/language/metrics.parquet"),
    ],
)
def test_a_misspelt_target_is_a_sentence_with_the_nearest(
    project: Project, target: str, nearest: str
) -> None:
    said, lines = last_words(project, target)
    assert said == lines[-1:] == [f"No rule makes {target}; the nearest that there is: {nearest}."]


def test_a_list_of_rules_is_words_and_no_code(project: Project) -> None:
    lines = project.succeed("--list").splitlines()
    rules = [line for line in lines if not line.startswith(HEADS)]
    assert len(rules) > 30
    assert [line for line in rules if "{" in line or not line.endswith(")")] == []
