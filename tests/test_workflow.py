"""Whole runs: what is made, what is made again, and what survives a kill."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dissensus_studies.language.settings import ROLES
from support import ROOT, SMALL, Project

SESSIONS = [f"d{draw:03d}-{language}" for draw in range(1, 5) for language in ("en", "zh")]


#: Where the tests of sessions stop, and those of measures.
TURNS = "results/demo/language/turns.parquet"
METRICS = "results/demo/language/metrics.parquet"


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


def merged(**language: Any) -> dict[str, Any]:
    """The small study with some of its blocks changed."""
    study = dict(SMALL["language"])
    for name, value in language.items():
        held = study.get(name)
        study[name] = {**held, **value} if isinstance(held, dict) else value
    return {"language": study}


def test_a_run_makes_every_artefact(finished: Project) -> None:
    folder = finished.results()
    assert sorted(path.stem for path in folder.glob("transcripts/*.parquet")) == SESSIONS
    tried = [row for path in folder.glob("shards/*/attempts.parquet") for row in rows(path)]
    assert sorted({row["session_id"] for row in tried}) == SESSIONS
    turns, metrics = rows(folder / "turns.parquet"), rows(folder / "metrics.parquet")
    assert [row["session_id"] for row in metrics] == SESSIONS
    complete = [row["session_id"] for row in metrics if row["complete"]]
    assert Counter(row["session_id"] for row in turns) == dict.fromkeys(complete, 8)
    headline = [row for row in rows(folder / "language_effect.parquet") if row["headline"]]
    assert [row["contrast"] for row in headline] == ["zh-en"]


def test_every_result_says_that_its_models_were_simulated(finished: Project) -> None:
    for path in finished.results().rglob("*.parquet"):
        said = json.loads(pq.read_schema(path).metadata[b"dissensus"])
        assert said["simulated"] is True, path


def test_a_second_run_has_nothing_to_do(finished: Project) -> None:
    assert finished.planned() == {}


@pytest.mark.thorough
def test_same_bytes_in_another_folder_on_other_cores_in_other_jobs(
    finished: Project, project: Project
) -> None:
    project.configure({**SMALL, "shards": 2})
    project.succeed(cores=8, fresh=True)
    kinds = (".parquet", ".csv", ".md", ".svg", ".png")
    made, whole = (
        {name: data for name, data in one.digests(kinds).items() if not name.startswith("shards/")}
        for one in (project, finished)
    )
    assert made == whole


def test_one_session_can_be_named(project: Project) -> None:
    first = next(
        row["session_id"]
        for row in _manifest(project)
        if row["position"] == 1 and row["draw_id"] == "d003"
    )
    project.succeed(f"results/demo/language/transcripts/{first}.parquet")
    made = [path.stem for path in project.results().glob("transcripts/*.parquet")]
    assert made == [first]


def _manifest(project: Project) -> list[dict[str, Any]]:
    project.succeed("results/demo/language/manifest.parquet")
    return rows(project.results() / "manifest.parquet")


def test_an_unknown_session_is_a_sentence(copied: Project) -> None:
    done = copied.run("results/demo/language/transcripts/d999-zh.parquet")
    assert done.returncode != 0
    assert "d999-zh is no session of run demo, which has d001-en to d004-zh." in done.stderr
    assert "Traceback" not in done.stderr


def test_deleted_transcripts_are_made_again_from_their_journals(copied: Project) -> None:
    before, asked = copied.digests(), copied.requests()
    # The first of a draw, and the second of another, in whichever order they were held.
    for session in ("d002-en", "d003-zh"):
        (copied.results() / f"transcripts/{session}.parquet").unlink()
    # One of them was cut off in its last line besides.
    journal = copied.results() / "journal/d003-zh.jsonl"
    journal.write_bytes(journal.read_bytes()[:-40])
    moment = time.time()
    copied.succeed(METRICS)
    assert copied.sessions_written(moment) == {"d002-en", "d003-zh"}
    assert copied.digests() == before
    assert copied.requests() == asked


def test_a_deleted_result_runs_only_what_depends_on_it(copied: Project) -> None:
    for name in ("pool.parquet", "shards/1/embeddings.parquet", "figures/flow.png"):
        (copied.results() / name).rename(copied.folder / "away")
        assert copied.planned(), f"{name} is not missed"
        (copied.folder / "away").rename(copied.results() / name)
    (copied.results() / "language_effect.parquet").unlink()
    planned = copied.planned()
    assert planned["estimate_language_effect"] == 1
    upstream = {"run_sessions", "embed_turns", "measure_shard", "measure_homogeneity"}
    assert not upstream & set(planned)


def test_any_deleted_result_comes_back_and_no_session_runs(copied: Project) -> None:
    names = ("pool.parquet", "outcomes.parquet", "shards/1/embeddings.parquet")
    before = {name: (copied.results() / name).read_bytes() for name in names}
    for name in names:
        (copied.results() / name).unlink()
    moment = time.time()
    copied.succeed(*(f"results/demo/language/{name}" for name in names))
    assert copied.sessions_written(moment) == set()
    assert {name: (copied.results() / name).read_bytes() for name in names} == before
    assert "run_sessions" not in copied.planned()


def test_an_anchor_or_a_weight_reruns_no_session_and_no_embedding(copied: Project) -> None:
    copied.configure(merged(measures={"weights": {"lexical": 0.25, "semantic": 0.75}}))
    planned = copied.planned()
    assert planned["measure_homogeneity"] == 1
    assert not {"run_sessions", "embed_turns", "measure_shard"} & set(planned)


def test_what_all_sessions_depend_on_holds_all_of_them_at_once(copied: Project) -> None:
    # The second of a draw waits for the first, which does not hide that it has changed too.
    copied.configure(merged(protocol={"temperature": 0.3}))
    assert copied.sessions_planned() == 8


def test_a_prompt_reruns_exactly_the_sessions_that_use_it(copied: Project) -> None:
    prompt = copied.folder / "studies/language/prompts/zh.yaml"
    text = prompt.read_text(encoding="utf-8")
    prompt.write_text(text.replace("Deliver your statement now.", "Deliver it now."), "utf-8")
    snapshot = copied.snapshot()
    assert copied.sessions_planned() == 4
    for command in (["--list-rules"], ["--summary"], ["--lint"]):
        copied.run(*command)
    assert copied.snapshot() == snapshot, "only a run writes"
    moment = time.time()
    copied.succeed(TURNS)
    assert copied.sessions_written(moment) == {f"d{n:03d}-zh" for n in range(1, 5)}
    assert set(copied.requests().values()) == {1}


@pytest.mark.thorough
def test_another_seed_is_another_study(copied: Project) -> None:
    before = copied.digests()
    copied.configure({**SMALL, "seed": 7, "run": "other"})
    copied.succeed("results/other/language/turns.parquet")
    assert copied.digests(run="other")["turns.parquet"] != before["turns.parquet"]


@pytest.mark.parametrize(
    "change",
    [
        {"panel": ["simulated-a", "simulated-b", "simulated-c", "other"]},
        {"pool": {"sources": ["wudc"]}},
    ],
    ids=["panel", "pool"],
)
def test_another_cast_language_or_pool_draws_the_manifest_anew(
    copied: Project, change: dict[str, Any]
) -> None:
    other = copied.settings()["models"]["simulated-a"]
    copied.configure({**merged(**change), "models": {"other": other}})
    planned = copied.planned()
    assert "draw_language_manifest" in planned or "collect_language" in planned


def test_a_parameter_in_a_file_of_models_runs_its_sessions_again(copied: Project) -> None:
    assert copied.planned() == {}
    path = copied.folder / "studies/language/simulated.yaml"
    text = path.read_text("utf-8")
    assert text.count("zh: 0.56") == 1
    path.write_text(text.replace("zh: 0.56", "zh: 0.57"), "utf-8")
    assert copied.sessions_planned() == 8


@pytest.mark.thorough
def test_a_killed_run_goes_on_where_it_stopped(finished: Project, project: Project) -> None:
    folder = project.results()
    for left in ("journal/*.jsonl", "transcripts/*.parquet", "shards/*/turns.parquet"):
        project.kill_when(lambda left=left: any(folder.glob(left)), METRICS)  # type: ignore[misc]
    project.succeed(METRICS)
    whole = finished.digests()
    assert project.digests() == {name: whole[name] for name in project.digests()}
    assert "metrics.parquet" in project.digests()
    assert set(project.requests().values()) == {1}
    assert project.requests() == finished.requests()
    assert not list(project.results().rglob("*.part"))


@pytest.mark.thorough
def test_two_runs_cannot_write_in_one_folder(copied: Project) -> None:
    import fcntl

    shutil.rmtree(copied.results() / "transcripts")
    with (copied.folder / "results/demo/.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = copied.run()
    assert done.returncode != 0
    assert "results/demo is being written by another snakemake" in done.stderr
    copied.succeed(TURNS)


def test_simulated_and_real_models_never_share_a_folder(copied: Project) -> None:
    (copied.folder / "results/demo/.models").write_text("real\n")
    shutil.rmtree(copied.results() / "transcripts")
    done = copied.run()
    assert done.returncode != 0
    assert "holds a run with real models and this one has simulated models" in done.stderr


def test_a_failed_session_is_attrition_and_stops_no_other(project: Project) -> None:
    # With this seed, two draws of the four have the model that never answers.
    sound = {"timeout_rate": 0.0, "empty_rate": 0.0}
    models: dict[str, Any] = {f"simulated-{letter}": sound for letter in "abcd"}
    models["silent"] = {**project.settings()["models"]["simulated-a"], "timeout_rate": 1.0}
    changed = merged(panel=[*models])
    project.configure({**changed, "models": models, "seed": 3})
    said = project.succeed(METRICS)
    outcomes = rows(project.results() / "outcomes.parquet")
    failed = [row for row in outcomes if not row["complete"]]
    cast = {row["session_id"]: [row[role] for role in ROLES] for row in _manifest(project)}
    assert [row["session_id"] for row in failed] == [s for s in cast if "silent" in cast[s]]
    assert len(failed) == 4
    assert all(row["attempts"] == 3 and row["failure"] for row in failed)
    for row in failed:
        assert f"{row['session_id']}: failed for good, {row['failure']}" in said
    metrics = {row["session_id"]: row for row in rows(project.results() / "metrics.parquet")}
    assert all(metrics[row["session_id"]]["s_lex"] is None for row in failed)


def test_a_third_language_is_an_entry_in_the_configuration(project: Project) -> None:
    again = {
        "prompts": "studies/language/prompts/en.yaml",
        "motion": "motion_en",
        "script": "latin",
    }
    project.configure(merged(languages={"en_again": again}))
    project.succeed("results/demo/language/language_effect.parquet")
    effect = rows(project.results() / "language_effect.parquet")
    assert {row["contrast"] for row in effect} == {"zh-en", "en_again-en"}
    metrics = rows(project.results() / "metrics.parquet")
    assert Counter(row["language"] for row in metrics) == {"en": 4, "zh": 4, "en_again": 4}


def test_wrong_settings_are_a_sentence_each(project: Project) -> None:
    project.configure({"sed": 1, **merged(draws="many", reference="fr")})
    done = project.run("--dry-run")
    assert done.returncode != 0
    for sentence in (
        "sed is no setting",
        "language.draws holds 'many'; it must be a whole number",
    ):
        assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        (
            "studies/language/prompts/zh.yaml",
            "{TOPIC}",
            "{TOPC}",
            ", line 10: template has {TOPC}, which is no slot; {TOPIC} is.",
        ),
        (
            "config.yaml",
            "\n  draws: 100",
            "\n  draws: 100\n  draws: 4",
            ", line {next}: language.draws stands in line {line} already; keep one.",
        ),
    ],
)
def test_a_fault_of_a_file_ends_a_run_before_it_begins(
    project: Project, file: str, old: str, new: str, sentence: str
) -> None:
    path = project.folder / file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    line = text[: text.index(old)].count("\n") + 2
    sentence = sentence.replace("{line}", str(line)).replace("{next}", str(line + 1))
    done = project.run("--dry-run")
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if not line.startswith("Using ")]
    assert said == [f"{file}{sentence}"]
    assert not (project.folder / "results").exists()


def test_a_wrong_motion_file_is_named_by_row(project: Project) -> None:
    motions = project.folder / "resources/motions/motions.csv"
    lines = motions.read_text(encoding="utf-8").splitlines(keepends=True)
    motions.write_text("".join([*lines, lines[3]]), encoding="utf-8")
    done = project.run("results/demo/language/pool.parquet")
    assert done.returncode != 0
    assert f"motions.csv, row {len(lines) + 1}: motion_id" in done.stderr
    assert "stands in row 4 already" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.results() / "pool.parquet").exists()


def test_the_schema_for_editors_is_the_one_that_is_enforced() -> None:
    from dissensus.study.editor_schema import schema

    held = (ROOT / "workflow/schemas/config.schema.json").read_text(encoding="utf-8")
    assert held == schema()


@pytest.mark.thorough
def test_the_diagnosis_is_a_target_of_its_own(project: Project) -> None:
    # Its library has draws for every motion of the pool.
    project.configure(merged(pool={"sources": ["wudc"], "years": [2023]}))
    project.succeed("diagnosis")
    table = (project.results() / "tables/table_diagnosis.md").read_text(encoding="utf-8")
    assert "| zero 6 draws " in table
    found = rows(project.results() / "design_diagnosis.parquet")
    assert {"zero_6_draws", "planted_6_draws", "zero_as_run"} < {row["world"] for row in found}
    assert max(row["simulations"] for row in found) == 20
    assert not (project.results() / "journal").exists()


def test_the_report_is_made_of_the_run_s_own_numbers(copied: Project) -> None:
    copied.succeed("--report", "report.html")
    text = (copied.folder / "report.html").read_text(encoding="utf-8")
    headline = next(
        row for row in rows(copied.results() / "language_effect.parquet") if row["headline"]
    )
    assert f"{headline['estimate']:+.3f}".replace("-", "\N{MINUS SIGN}") in text
    assert "All models of this run are simulated" in text


def test_the_plan_counts_the_calls_before_any_is_made(project: Project) -> None:
    said = project.succeed("plan")
    assert "language: 4 draws, 8 sessions (4 en, 4 zh)" in said
    assert "64 calls if nothing goes wrong; 576 with every repair and every session attempt" in said
    assert not (project.results() / "journal").exists()
