"""Whole runs of the identity and the deliberation study: what is made, and what is made again."""

from __future__ import annotations

import re
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from both import (
    AGENTS,
    BOTH,
    ROUNDS,
    SEATS,
    STUDIES,
    TURNS,
    drawn,
    everything,
    manifest,
    ran_since,
    rewrite,
    rows,
    with_both,
)
from support import ROOT, SMALL, Project, built_once

#: Where these tests stop: before figures and tables.
ESTIMATES = [
    *(f"results/demo/identity/{name}.parquet" for name in ("estimates", "dcm")),
    *(f"results/demo/deliberation/{name}.parquet" for name in ("metrics", "contrasts")),
]


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run of both studies with its estimates, for tests that only look."""

    def build(folder: Path) -> None:
        with_both(folder).succeed(*ESTIMATES)

    return Project.at(built_once(tmp_path_factory, "studies", build))


@pytest.fixture
def ended_copy(ended: Project, tmp_path: Path) -> Project:
    """The same, to change at will."""
    return ended.copy(tmp_path / "project")


@pytest.mark.thorough
def test_every_agent_is_asked_once_a_round(ended: Project) -> None:
    calls: Counter[tuple[str, str]] = Counter()
    for study in STUDIES:
        for path in ended.results(study=study).glob("shards/*/attempts.parquet"):
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
    assert ended.planned(*ESTIMATES) == {}


def journals_of(project: Project) -> int:
    return len(list(project.folder.glob("results/demo/*/journal/*.jsonl")))


@pytest.mark.thorough
def test_what_is_killed_goes_on_elsewhere_to_the_same_bytes(ended: Project, tmp_path: Path) -> None:
    project = with_both(tmp_path / "project")
    for journals in (3, 15, 30):
        project.kill_when(lambda n=journals: journals_of(project) >= n, *ESTIMATES, cores=4)  # type: ignore[misc]
    # One study may be whole by then; the run is not.
    assert not all((project.folder / path).exists() for path in ESTIMATES)
    project.succeed(*ESTIMATES, cores=4)
    assert everything(project) == everything(ended)
    assert project.requests() == ended.requests()
    assert set(project.requests().values()) == {1}
    assert not list(project.folder.glob("results/demo/**/*.part"))


@pytest.mark.thorough
def test_deleted_transcripts_are_made_again_and_no_other_session_is_touched(
    ended_copy: Project,
) -> None:
    before, keys = everything(ended_copy), ended_copy.requests()
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
    turns = [f"results/demo/{study}/turns.parquet" for study in STUDIES]
    planned, moment = ended_copy.planned(*turns), time.time()
    # The opening and the debate are of two jobs, which the design names.
    assert planned["run_sessions"] == 3
    ended_copy.succeed(*turns)
    assert ran_since(ended_copy, moment) == lost
    assert journal.read_bytes().splitlines(keepends=True)[:-1] == lines[:-1]
    assert ended_copy.requests() == keys
    assert everything(ended_copy) == before


def test_a_deleted_result_runs_only_what_depends_on_it(ended_copy: Project) -> None:
    (ended_copy.results(study="identity") / "estimates.parquet").unlink()
    (ended_copy.results(study="deliberation") / "metrics.parquet").unlink()
    planned = ("estimate_identity", "measure_deliberation", "estimate_arms")
    assert ended_copy.planned(*ESTIMATES) == dict.fromkeys(planned, 1)


def test_single_sessions_can_be_named_and_run_alone(ended: Project, tmp_path: Path) -> None:
    project = with_both(tmp_path / "project")
    debate = next(row for row in manifest(ended, "identity") if row["team"] == "full")
    first = next(row for row in manifest(ended, "deliberation") if row["position"] == 1)
    named = {"identity": debate["session_id"], "deliberation": first["session_id"]}
    project.succeed(
        f"results/demo/identity/transcripts/{named['identity']}.parquet",
        f"results/demo/deliberation/graphs/{named['deliberation']}.svg",
    )
    made = {path.stem: path for path in project.folder.glob("results/demo/*/transcripts/*")}
    assert set(made) == {*named.values(), debate["opening"]}
    for path in made.values():
        whole = ended.folder / path.relative_to(project.folder)
        assert path.read_bytes() == whole.read_bytes()


def test_single_results_can_be_named(ended_copy: Project) -> None:
    named = ("identity/tables/table_1.md", "deliberation/graphs/t002-rca.svg")
    ended_copy.succeed(*(f"results/demo/{name}" for name in named))
    assert (ended_copy.results(study="identity") / "tables/table_1.md").exists()
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
    prompts = ended_copy.folder / "studies/identity/prompts/debate.yaml"
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
    planned = set(ended_copy.planned(*ESTIMATES))
    assert {"estimate_identity", "fit_dcm", "measure_deliberation", "estimate_arms"} <= planned
    kept = {"run_sessions", "gather_turns", "read_answers"}
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


@pytest.mark.thorough
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
    changed["deliberation"]["reference"] = "nobody"
    project.configure({**BOTH, **changed})
    done = project.run("--dry-run")
    assert done.returncode != 0
    assert "identity.teams.lonely.graph holds {1: [2], 2: [1]}; agent 3 of 3 needs" in done.stderr
    assert "deliberation.reference holds 'nobody'; it may be one of" in done.stderr
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


EDITS: list[tuple[str, set[str], set[str]]] = [
    # A stage's own script; a module that drawing the manifest imports for one function; one of
    # schemas that measures import.
    ("workflow/scripts/study/draw_manifest.py", DRAWS, set()),
    ("src/dissensus_studies/identity/protocol.py", {"draw_identity_manifest"}, MEASURES),
    ("src/dissensus_studies/deliberation/measures/records.py", MEASURES, {"run_sessions", *DRAWS}),
]


@pytest.mark.thorough
def test_an_edit_of_anything_that_a_stage_imports_runs_it_again(
    ended_copy: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "src", ended_copy.folder / "src")
    monkeypatch.setenv("PYTHONPATH", str(ended_copy.folder / "src"))
    # What one edit runs, another spares: the other folder alone runs nothing.
    for edited, runs, spared in EDITS:
        path = ended_copy.folder / edited
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}# edited\n", encoding="utf-8")
        planned = set(ended_copy.planned(*ESTIMATES, fresh=True))
        path.write_text(text, encoding="utf-8")
        assert runs <= planned and not spared & planned, edited
