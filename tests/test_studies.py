"""Whole runs of the identity and the deliberation study: what is made, and what is made again."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from both import (
    AGENTS,
    BOTH,
    ROUNDS,
    SEATS,
    STUDIES,
    TURNS,
    asked,
    drawn,
    everything,
    manifest,
    ran_since,
    rewrite,
    rows,
    with_both,
)
from support import ROOT, SMALL, Project


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run of both studies at its end, for tests that only look."""
    made = with_both(tmp_path_factory.mktemp("studies") / "project")
    made.succeed()
    return made


@pytest.fixture
def ended_copy(ended: Project, tmp_path: Path) -> Project:
    """The same, to change at will."""
    return ended.copy(tmp_path / "project")


#: Artefacts of every study, and of each.
SHARED = "turns outcomes spending conduct manifest metrics"
MADE = {
    "identity": (
        "questions answers transitions estimates dcm dcm_tests martingale power",
        "conformity peers rounds ibc_power",
        "1 2 3 4 5 6 7 printed martingale goodness conduct spending models",
    ),
    "deliberation": (
        "topics claims engagements stances judgements rounds influence pairs contrasts",
        "trajectories control ignored_claims contrasts debate_graph",
        "arms contrasts hints references pairs calls control spending models",
    ),
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_run_makes_every_artefact_and_says_that_it_is_simulated(
    ended: Project, study: str
) -> None:
    folder, (own, figures, tables) = ended.results(study=study), MADE[study]
    for name in f"{SHARED} {own}".split():
        assert rows(folder / f"{name}.parquet"), name
    for path in folder.rglob("*.parquet"):
        said = json.loads(pq.read_schema(path).metadata[b"dissensus"])
        assert said["simulated"] is True, path
    for name in figures.split():
        assert "imulated" in (folder / f"figures/{name}.svg").read_text(encoding="utf-8"), name
        assert "imulated" in (folder / f"captions/{name}.rst").read_text(encoding="utf-8"), name
        assert (folder / f"figures/{name}.png").stat().st_size > 10_000
    for name in tables.split():
        markdown = (folder / f"tables/table_{name}.md").read_text(encoding="utf-8")
        # One table is of the paper's own numbers.
        assert "imulated" in markdown or name == "printed", name
        assert (folder / f"tables/table_{name}.csv").stat().st_size > 0
    sessions = [row["session_id"] for row in manifest(ended, study)]
    assert sessions == sorted(set(sessions))
    for kind in ("sessions", "calls", "transcripts", "complete", "journal"):
        assert sorted(path.stem for path in (folder / kind).iterdir()) == sessions
    outcomes = rows(folder / "outcomes.parquet")
    assert {row["session_id"] for row in outcomes if row["complete"]} == set(sessions)


def test_every_agent_is_asked_once_a_round(ended: Project) -> None:
    calls: Counter[tuple[str, str]] = Counter()
    for study in STUDIES:
        for path in ended.results(study=study).glob("calls/*.parquet"):
            calls.update((r["session_id"], r["role"]) for r in rows(path) if r["attempt"] == 1)
    for row in manifest(ended, "identity"):
        rounds = 1 if row["condition"] == "opening" else ROUNDS
        assert calls[row["session_id"], "agent"] == AGENTS * rounds, row["session_id"]
    for row in manifest(ended, "deliberation"):
        session, arm = row["session_id"], row["arm"]
        assert calls[session, "debater"] == SEATS * TURNS, session
        scored = SEATS * TURNS if arm in ("crit", "pid") else 0
        assert calls[session, "judge:crit"] == scored, session
        # What a judge sends back is asked for and judged once more.
        sent_back = calls[session, "retry"]
        judged = SEATS * TURNS + sent_back if arm == "rca" else 0
        assert calls[session, "judge:rca"] == judged, session
        assert not sent_back or arm == "rca"


def test_a_second_run_has_nothing_to_do(ended: Project) -> None:
    assert ended.planned() == {}


def journals_of(project: Project) -> int:
    return len(list(project.folder.glob("results/demo/*/journal/*.jsonl")))


def test_what_is_killed_goes_on_elsewhere_to_the_same_bytes(ended: Project, tmp_path: Path) -> None:
    project = with_both(tmp_path / "project")
    for journals in (3, 15, 30):
        project.kill_when(lambda n=journals: journals_of(project) >= n, cores=4)  # type: ignore[misc]
    assert not (project.results(study="deliberation") / "contrasts.parquet").exists()
    project.succeed(cores=4)
    assert everything(project) == everything(ended)
    assert asked(project) == asked(ended)
    assert set(asked(project).values()) == {1}
    assert not list(project.folder.glob("results/demo/**/*.part"))


def test_deleted_transcripts_are_made_again_and_no_other_session_is_touched(
    ended_copy: Project,
) -> None:
    before, keys = everything(ended_copy), asked(ended_copy)
    # The identity study's jobs hold many sessions anyway; now those of the other do so too.
    ended_copy.configure({**BOTH, "sessions_per_job": 8})
    sessions = manifest(ended_copy, "identity")
    opening = next(row for row in sessions if row["condition"] == "opening")
    debate = next(row for row in sessions if row["team"] == "full")
    lost = {opening["session_id"], debate["session_id"], "t002-crit"}
    for path in ended_copy.folder.glob("results/demo/*/transcripts/*"):
        if path.stem in lost:
            path.unlink()
    # One of them was cut off in the last line of its journal.
    journal = ended_copy.results(study="deliberation") / "journal/t002-crit.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines)[:-40])
    planned = ended_copy.planned()
    assert planned["run_bundle"] >= 4
    assert "run_session" not in planned
    bundles = [f"identity/bundles/{row['job']}" for row in (opening, debate)]
    bundles += [f"deliberation/bundles/{name}" for name in ("t001_t002", "t003_t003")]
    moment = time.time()
    ended_copy.succeed(*(f"results/demo/{bundle}" for bundle in bundles))
    assert ran_since(ended_copy, moment) == lost
    assert journal.read_bytes().splitlines(keepends=True)[:-1] == lines[:-1]
    assert asked(ended_copy) == keys
    assert everything(ended_copy) == before


def test_a_deleted_result_runs_only_what_depends_on_it(ended_copy: Project) -> None:
    (ended_copy.results(study="identity") / "estimates.parquet").unlink()
    (ended_copy.results(study="deliberation") / "metrics.parquet").unlink()
    planned = {"estimate_identity", "plot_identity", "tabulate_identity", "measure_deliberation",
               "estimate_arms", "plot_deliberation", "tabulate_deliberation",
               "write_results_page"}  # fmt: skip
    assert ended_copy.planned() == dict.fromkeys(planned, 1)


def test_single_sessions_can_be_named_and_run_alone(ended: Project, tmp_path: Path) -> None:
    project = with_both(tmp_path / "project")
    debate = next(row for row in manifest(ended, "identity") if row["team"] == "full")
    first = next(row for row in manifest(ended, "deliberation") if row["position"] == 1)
    named = {"identity": debate["session_id"], "deliberation": first["session_id"]}
    project.succeed(
        *(f"results/demo/{study}/transcripts/{named[study]}.parquet" for study in named)
    )
    made = {path.stem: path for path in project.folder.glob("results/demo/*/transcripts/*")}
    assert set(made) == {*named.values(), debate["opening"]}
    for path in made.values():
        whole = ended.folder / path.relative_to(project.folder)
        assert path.read_bytes() == whole.read_bytes()


def test_single_results_can_be_named(ended_copy: Project) -> None:
    table = ended_copy.results(study="identity") / "tables/table_1.md"
    before = table.read_bytes()
    table.unlink()
    named = ("identity/tables/table_1.md", "deliberation/graphs/t002-rca.svg")
    ended_copy.succeed(*(f"results/demo/{name}" for name in named))
    assert table.read_bytes() == before
    folder = ended_copy.results(study="deliberation")
    topic = next(
        r["topic_id"] for r in manifest(ended_copy, "deliberation") if r["draw_id"] == "t002"
    )
    topics = {row["topic_id"]: row["question"] for row in rows(folder / "topics.parquet")}
    graph = (folder / "graphs/t002-rca.svg").read_text(encoding="utf-8")
    assert f"{topics[topic]} (rca)" in graph


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "identity/transcripts/full-numeric-001-vanilla.parquet",
            "full-numeric-001-vanilla is no session of run demo, which has deferring-choice-",
        ),
        (
            "deliberation/graphs/t009-crit.svg",
            "t009-crit is no session of run demo, which has t001-crit to t003-rca.",
        ),
    ],
)
def test_an_unknown_session_is_a_sentence(ended_copy: Project, name: str, sentence: str) -> None:
    done = ended_copy.run(f"results/demo/{name}")
    assert done.returncode != 0
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_exactly_the_sessions_that_changed_run_again(ended_copy: Project) -> None:
    before = everything(ended_copy)
    prompts = ended_copy.folder / "resources/prompts/identity/debate.yaml"
    text = prompts.read_text(encoding="utf-8")
    head, name, tail = text.partition("anonymized: |-")
    assert tail.count("Based on the following opinions") == 1
    prompts.write_text(head + name + tail.replace("First, briefly", "Briefly", 1), "utf-8")
    changed = next(r for r in manifest(ended_copy, "identity") if r["team"] == "full")[
        "question_id"
    ]
    rewrite(
        ended_copy.folder / "choice.csv",
        ended_copy.folder / "choice.csv",
        lambda row: row["question_id"] == changed,
    )
    ended_copy.configure({**BOTH, "deliberation": {**BOTH["deliberation"], "control": {"kp": 0.2}}})
    moment = time.time()
    ended_copy.succeed(*(f"results/demo/{study}/turns.parquet" for study in STUDIES))
    expected = {
        row["session_id"]
        for row in manifest(ended_copy, "identity")
        if row["condition"] == "anonymized" or row["question_id"] == changed
    } | {row["session_id"] for row in manifest(ended_copy, "deliberation") if row["arm"] == "pid"}
    assert ran_since(ended_copy, moment) == expected
    after = everything(ended_copy)
    kept = {name for name in before if "transcripts/" in name and Path(name).stem not in expected}
    assert all(after[name] == before[name] for name in kept)


def test_a_setting_of_the_analysis_runs_no_session(ended_copy: Project) -> None:
    changed = {study: dict(BOTH[study]) for study in STUDIES}
    changed["identity"]["inference"] = {**BOTH["identity"]["inference"], "confidence": 0.9}
    changed["deliberation"]["measures"] = {"katz": 0.3, "movement": 0.1}
    ended_copy.configure({**BOTH, **changed})
    planned = set(ended_copy.planned())
    assert {"estimate_identity", "fit_dcm", "measure_deliberation", "estimate_arms"} <= planned
    kept = {"run_session", "run_bundle", "gather_shard", "gather_turns", "read_answers"}
    assert not planned & (kept | {"reconstruct_debates", "draw_identity_manifest"})


@pytest.mark.parametrize("study", STUDIES)
def test_the_manifest_follows_from_the_seed_alone(ended: Project, study: str) -> None:
    seed = ended.settings()["seed"]
    assert drawn(ended, study, seed) == manifest(ended, study)
    assert drawn(ended, study, seed + 1) != manifest(ended, study)


def test_plan_and_cost_name_every_study(ended_copy: Project) -> None:
    ended_copy.configure({**BOTH, **SMALL, "studies": ["language", *STUDIES]})
    said = ended_copy.succeed("plan", "cost")
    assert "language: 4 draws, 8 sessions (4 en, 4 zh)" in said
    assert "identity: 9 draws, 37 sessions (14 anonymized, 9 opening, 14 vanilla)" in said
    assert "deliberation: 3 draws, 12 sessions (3 crit, 3 emergent, 3 pid, 3 rca)" in said
    # 9 openings, 28 debates of two rounds; 12 sessions, of which 9 have a judge.
    told = AGENTS * (9 + 28 * ROUNDS)
    assert f"{told} calls if nothing goes wrong" in said
    assert f"{SEATS * TURNS * (12 + 9)} calls if nothing goes wrong" in said
    assert f"judge: deliberation-judge: {SEATS * TURNS * 9} calls" in said
    for study in ("language", *STUDIES):
        assert re.search(rf"^  {study} +calls +input tokens", said, re.M), study
    assert not (ended_copy.results() / "journal").exists()


def test_the_report_has_a_section_a_study_made_of_its_numbers(ended_copy: Project) -> None:
    ended_copy.succeed("--report", "report.html")
    text = (ended_copy.folder / "report.html").read_text(encoding="utf-8")
    estimates = rows(ended_copy.results(study="identity") / "estimates.parquet")
    effects = rows(ended_copy.results(study="deliberation") / "contrasts.parquet")
    cells = [
        row
        for row in estimates
        if row["round"] == 1 and row["peers"] == "all" and row["bank"] != "all"
        and row["measure"] == "delta" and row["policy"] == "drop"
    ]  # fmt: skip
    cell = max(cells, key=lambda row: abs(row["estimate"]))
    effect = max((r for r in effects if r["headline"]), key=lambda row: abs(row["estimate"]))
    plain = text.replace("\N{MINUS SIGN}", "-")
    assert f"The largest difference is {cell['estimate']:+.3f}" in plain
    assert f"the largest difference is {effect['arm']}, {effect['estimate']:+.3f}" in plain
    for study in STUDIES:
        # Named in its introduction, and a category of results.
        assert f"<strong>{study}</strong>" in text
        assert re.search(rf'"{study}": \{{\s*"1 Figures": ', text)
    assert "All models of this run are simulated" in text


def test_a_failed_opening_takes_its_debates_with_it_and_no_others(tmp_path: Path) -> None:
    project = with_both(tmp_path / "project")
    silent = {"full": None, "silent": {"model": "identity-stubborn"}}
    identity = {
        **BOTH["identity"],
        "banks": {"choice": {"source": "choice.csv", "questions": 3}, "numeric": None},
        "teams": {**BOTH["identity"]["teams"], **silent},
    }
    models = {**BOTH["models"], "identity-stubborn": {"timeout_rate": 1.0}}
    project.configure({"studies": ["identity"], "identity": identity, "models": models})
    said = project.succeed("results/demo/identity/estimates.parquet")
    assert "18 of 18 sessions" in said
    assert "9 failed for good" in said
    folder = project.results(study="identity")
    outcomes = rows(folder / "outcomes.parquet")
    assert all(row["attempts"] == (1 if row["complete"] else 3) for row in outcomes)
    lost = [row for row in manifest(project, "identity") if row["team"] == "silent"]
    assert {row["session_id"]: row["failure"] for row in outcomes if not row["complete"]} == {
        row["session_id"]: f"{row['opening']}, which it reads, failed"
        if row["opening"]
        else "turn 0: timeout"
        for row in lost
    }
    for name in ("turns", "answers"):
        assert {row["team"] for row in rows(folder / f"{name}.parquet")} == {"deferring"}
    estimates = rows(folder / "estimates.parquet")
    assert {row["team"] for row in estimates if row["estimate"] is not None} == {"deferring"}


def test_wrong_settings_are_a_sentence_each(tmp_path: Path) -> None:
    project = with_both(tmp_path / "project")
    changed = {study: dict(BOTH[study]) for study in STUDIES}
    lonely = {"model": "identity-deferring", "graph": {1: [2], 2: [1]}}
    changed["identity"]["teams"] = {"lonely": lonely}
    changed["deliberation"]["judges"] = ["deliberation-a"]
    project.configure({**BOTH, **changed})
    done = project.run("--dry-run")
    assert done.returncode != 0
    assert "identity.teams.lonely.graph holds {1: [2], 2: [1]}; agent 3 of 3 needs" in done.stderr
    assert "deliberation.judges holds ['deliberation-a']; 'deliberation-a' is of" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_resources_are_a_sentence_each(tmp_path: Path) -> None:
    project = with_both(tmp_path / "project")
    questions = project.folder / "choice.csv"
    lines = questions.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[3] = lines[3].replace(",C,", ",E,")
    questions.write_text("".join(lines), encoding="utf-8")
    topics = project.folder / "resources/topics/topics.yaml"
    text = topics.read_text(encoding="utf-8")
    topics.write_text(text.replace("supports: worn belt", "supports: worn bell"), "utf-8")
    done = project.run()
    assert done.returncode != 0
    assert "choice.csv, row 4: answer holds 'E'; it must be one of A, B, C, D." in done.stderr
    assert "topics.yaml: topic 1: evidence.0.supports holds 'worn bell'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(project.folder.glob("results/demo/*/*.parquet"))


MEASURES = {"reconstruct_debates", "measure_deliberation"}
DRAWS = {"draw_identity_manifest", "draw_deliberation_manifest"}


@pytest.mark.parametrize(
    ("edited", "runs", "spared"),
    [
        # A stage's own script; a module that drawing the manifest imports for one function; one of
        # schemas that measures import.
        ("workflow/scripts/study/draw_manifest.py", DRAWS, set()),
        ("src/dissensus/identity/protocol.py", {"draw_identity_manifest"}, MEASURES),
        ("src/dissensus/deliberation/measures/records.py", MEASURES, {"run_session", *DRAWS}),
    ],
)
def test_an_edit_of_anything_that_a_stage_imports_runs_it_again(
    ended_copy: Project,
    edited: str,
    runs: set[str],
    spared: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(ROOT / "src", ended_copy.folder / "src")
    monkeypatch.setenv("PYTHONPATH", str(ended_copy.folder / "src"))
    assert ended_copy.planned() == {}
    path = ended_copy.folder / edited
    path.write_text(path.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    planned = set(ended_copy.planned())
    assert runs <= planned and not spared & planned
