"""From a manifest row to its artefacts: what a session depends on, and what a kill costs it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from dissensus.digests import digest
from dissensus.llm.providers import identity
from dissensus.session.record import SessionPaths, made_to, transcript
from dissensus.study.configuration import load_file
from dissensus.study.sessions import Sessions, journal_in
from dissensus.tables.artefact import provenance_of, read
from fake_client import FakeRegistry
from scripted import ROOT
from simulation import settings

from ..design.manifest import IDS, Drawing, draw_manifest
from ..design.pool import build_pool
from ..settings import ROLES, LanguageSettings
from ..study import Language

enough = hypothesis_settings(max_examples=25)
PANEL = ("simulated-a", "simulated-b", "simulated-c", "simulated-d")
MODELS = {
    name: {**settings(0.3, 0.6, violation_rate=0.2, offset=0.1 * i), "timeout_rate": 0.03}
    for i, name in enumerate(PANEL)
}


def identities(models: dict[str, Any]) -> dict[str, str]:
    return {name: identity(name, model) for name, model in models.items()}


@pytest.fixture(autouse=True, scope="module")
def _in_the_project():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield


@pytest.fixture(scope="module")
def study() -> LanguageSettings:
    return load_file(ROOT / "config.yaml").language


@pytest.fixture(scope="module")
def pool(study: LanguageSettings) -> dict[str, dict[str, Any]]:
    return {row["motion_id"]: row for row in build_pool(study.pool, study.languages)[0]}


@pytest.fixture(scope="module")
def rows(pool) -> list[dict[str, Any]]:
    return draw_manifest(list(pool.values()), Drawing(3, 12, 6, ("en", "zh"), PANEL))


@pytest.fixture(scope="module")
def debates(rows, pool, study) -> Sessions:
    by_id = {row["session_id"]: row for row in rows}
    return Sessions(Language(study), Path(), by_id, pool, identities(MODELS))


@pytest.fixture(scope="module")
def specs(rows, debates) -> list[dict[str, Any]]:
    return [debates.spec(row) for row in rows]


def ran(
    debates: Sessions,
    row: dict[str, Any],
    folder: Path,
    journal: bytes | None = None,
    models: dict[str, Any] = MODELS,
) -> tuple[SessionPaths, list[str], Path]:
    """Run a session in a folder, from a journal if there is one; what was asked."""
    path = journal_in(folder, row["session_id"])
    path.parent.mkdir(parents=True, exist_ok=True)
    if journal is not None:
        path.write_bytes(journal)
    registry = FakeRegistry(models)
    there = replace(debates, folder=folder, identities=identities(models))
    there.run(row, registry)
    asked = [request.sha256 for request in registry.asked]
    return SessionPaths.of(folder, row["session_id"]), asked, path


def test_a_specification_names_all_that_a_session_depends_on(specs, rows, pool, study):
    for spec, row in zip(specs, rows, strict=True):
        language = row["language"]
        assert {name: spec[name] for name in IDS} == {name: row[name] for name in IDS}
        assert spec["seed"] == row["seed"]
        assert spec["spec"].cast == {role: row[role] for role in ROLES}
        assert spec["spec"].topic == pool[row["motion_id"]][f"motion_{language}"]
        assert spec["spec"].script == {"en": "latin", "zh": "hans"}[language]
        assert spec["protocol"] == study.protocol.model_dump()
        assert set(spec["models"]) == {row[role] for role in ROLES}
        assert len(set(spec["models"].values())) == 4
        assert len(spec["spec"].prompts_sha256) == 64


def test_a_specification_changes_with_its_own_models_alone(specs, rows, debates):
    row = rows[0]
    spare = {**MODELS, "spare": {**settings(0.9), "timeout_rate": 0.5}}
    assert replace(debates, identities=identities(spare)).spec(row) == specs[0]
    for name in PANEL:
        changed = {**MODELS, name: {**MODELS[name], "timeout_rate": 0.04}}
        different = replace(debates, identities=identities(changed)).spec(row)
        assert different["models"].pop(name) != specs[0]["models"][name]
        assert different["models"].items() <= specs[0]["models"].items()


def test_a_session_leaves_a_transcript_of_eight_turns(rows, debates, tmp_path: Path):
    sound = {name: {**model, "timeout_rate": 0.0} for name, model in MODELS.items()}
    for row in rows[:4]:
        paths, _, _ = ran(debates, row, tmp_path / row["session_id"], models=sound)
        spec = replace(debates, identities=identities(sound)).spec(row)
        turns = read(paths.transcript, transcript(IDS)).to_pylist()
        assert [turn["turn"] for turn in turns] == list(range(1, 9))
        assert [turn["speaker"] for turn in turns] == [
            "P1",
            "O1",
            "P2",
            "O2",
            "P1",
            "O1",
            "P2",
            "O2",
        ]
        assert all(turn["model"] == spec["spec"].cast[turn["speaker"]] for turn in turns)
        assert {turn["session_id"] for turn in turns} == {spec["session_id"]}
        said = provenance_of(paths.transcript)
        assert (said["simulated"], said["stage"]) == (True, "run_session")
        assert said["settings_sha256"] == digest(spec) == made_to(paths.transcript)


def test_a_session_is_the_same_whatever_ran_before_it(rows, debates, tmp_path: Path):
    def transcripts(order, folder: str) -> dict[str, bytes]:
        return {
            row["session_id"]: ran(debates, row, tmp_path / folder)[0].transcript.read_bytes()
            for row in order
        }

    assert transcripts(rows[:6], "a") == transcripts(rows[5::-1], "b")


@enough
@given(data=st.data())
def test_a_kill_at_any_byte_costs_only_what_was_lost(rows, debates, tmp_path_factory, data):
    row = data.draw(st.sampled_from(rows[:6]), label="session")
    folder = tmp_path_factory.mktemp("killed")
    paths, asked, journal = ran(debates, row, folder / "whole")
    content = journal.read_bytes()
    offset = data.draw(st.integers(0, len(content)), label="bytes left")
    again, asked_again, _ = ran(debates, row, folder / "again", content[:offset])
    # A line of which only the break is lost is whole.
    lost = content[offset:].removeprefix(b"\n").count(b"\n")
    # The calls are made in turn, so what was lost are the last ones.
    assert len(asked_again) == lost
    assert set(asked_again) <= set(asked)
    assert again.transcript.read_bytes() == paths.transcript.read_bytes()
    assert again.attempts.read_bytes() == paths.attempts.read_bytes()


def test_a_session_that_another_job_runs_is_finished_from_its_journal(
    rows, debates, tmp_path: Path
):
    alone, asked, _ = ran(debates, rows[0], tmp_path / "alone")
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: ran(debates, rows[0], tmp_path / "shared"), range(2)))
    assert sorted(len(asked_by_one) for _, asked_by_one, _ in both) == [0, len(asked)]
    assert both[0][0].transcript.read_bytes() == alone.transcript.read_bytes()


def test_a_failure_for_good_is_written_and_returned(rows, debates, tmp_path: Path):
    dead = {name: {**model, "timeout_rate": 1.0} for name, model in MODELS.items()}
    session = replace(debates, folder=tmp_path).run(rows[0], FakeRegistry(dead))
    failure = session.outcome["failure"]
    paths = SessionPaths.of(tmp_path, rows[0]["session_id"])
    assert failure == "turn 1: timeout"
    assert read(paths.transcript, transcript(IDS)).num_rows == 0
    assert provenance_of(paths.transcript)["failure"] == failure
