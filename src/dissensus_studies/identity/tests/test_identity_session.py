"""From a manifest row to its artefacts: what a session depends on, and what it takes over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from dissensus.digests import digest
from dissensus.errors import ArtefactError
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.protocol import PLACEHOLDER
from dissensus.session.record import SessionPaths, transcript
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import provenance_of, read, write
from dissensus.user_files import read_yaml
from fake_client import FakeRegistry
from scripted import ROOT

from ..design.banks import QUESTIONS, collect_questions
from ..design.manifest import IDS, MANIFEST, Drawing, draw_manifest
from ..kinds import TeamSpec
from ..protocol import order, read_personas
from ..settings import IdentitySettings
from ..study import Identity

FILES = [str(ROOT / f"resources/questions/{name}.csv") for name in ("choice", "numeric")]
PROMPTS = ROOT / "studies" / "identity" / "prompts"
STUDY = IdentitySettings(
    banks={
        "choice": {"format": "dissensus", "source": FILES[0], "questions": 2},
        "numeric": {"format": "dissensus", "source": FILES[1], "questions": 1},
    },
    agents=3,
    rounds=2,
    shard=2,
    teams={
        "one": {"model": "m"},
        "full": {"model": "m", "graph": "full"},
        "who": {"model": "m", "personas": True},
    },
    prompts=str(PROMPTS / "debate.yaml"),
    personas=str(PROMPTS / "personas.yaml"),
    protocol={
        "temperature": 1.0,
        "top_p": 0.9,
        "max_tokens": 64,
        "repairs": 0,
        "session_attempts": 2,
    },
    inference={
        "confidence": 0.95,
        "resamples": 100,
        "goodness_resamples": 19,
        "equivalence_margin": 0.02,
        "ibc_noise": 0.1,
    },
    diagnosis={"replicates": 1, "questions": 2},
)
MODEL: dict[str, Any] = {
    "provider": "simulated",
    "behaviour": "dissensus_studies.identity.simulated",
    "speech": {
        "questions": FILES,
        "knows": 4.0,
        "errs": 1.0,
        "weights": {
            "vanilla": {"self": 0.3, "peer": 1.2},
            "anonymized": {"self": 0.6, "peer": 0.6},
        },
    },
}


def debates(folder: Path, study: IdentitySettings = STUDY, **model: Any) -> Sessions:
    """The study's sessions with its manifest and questions in a folder."""
    asked = collect_questions(study.banks, 1)
    personas = list(read_personas(study.personas))
    drawing = Drawing(1, study.agents, study.rounds, study.shard, study.teams, personas)
    write(folder / "questions.parquet", QUESTIONS, asked, {})
    write(folder / "manifest.parquet", MANIFEST, draw_manifest(asked, drawing), {})
    return Sessions.of(Identity(study), folder, {"m": MODEL | model})


def team_of(here: Sessions, row: Any) -> TeamSpec:
    """What a session's team is asked."""
    spec = here.study.kind_of(row).spec(row, here.items[row["question_id"]])
    return getattr(spec, "team", spec)


def texts(here: Sessions, session_id: str) -> dict[tuple[int, str], str]:
    table = read(SessionPaths.of(here.folder, session_id).transcript, transcript(IDS))
    return {(turn["turn"], turn["speaker"]): turn["text"] for turn in table.to_pylist()}


def test_a_specification_names_all_that_a_session_depends_on(tmp_path):
    here = debates(tmp_path)
    for row in here.rows.values():
        spec = here.spec(row)
        assert {name: spec[name] for name in IDS} == {name: row[name] for name in IDS}
        assert spec["seed"] == row["seed"]
        assert set(spec["models"]) == {"m"}
        assert spec["protocol"]["top_p"] == 0.9
        asked = here.items[row["question_id"]]
        team = team_of(here, row)
        assert team.question.startswith(asked["text"])
        assert ("\n(A) " in team.question) is (asked["kind"] == "choice")
        assert len(list(filter(None, team.systems))) == (3 if row["personas"] else 0)
        assert ("needs" in spec) is (row["condition"] != "opening")


def test_an_opening_runs_before_its_debates(tmp_path):
    here = debates(tmp_path)
    for row in here.rows.values():
        if row["condition"] == "opening":
            assert here.before(row) == []
        else:
            (opening,) = here.before(row)
            assert here.rows[opening]["position"] == 0
            assert here.rows[opening]["draw_id"] == row["draw_id"]


def changed(one: Sessions, other: Sessions) -> set[str]:
    """Sessions of both whose specifications differ."""
    return {
        name
        for name, row in one.rows.items()
        if digest(one.spec(row)) != digest(other.spec(other.rows[name]))
    }


def test_what_changes_a_session_travels_to_the_debates_that_go_on_from_it(tmp_path):
    here = debates(tmp_path)
    again = debates(tmp_path)
    assert changed(here, again) == set()
    rows = {name: dict(row) for name, row in here.rows.items()}
    reseeded = next(n for n, r in rows.items() if n.startswith("full-") and not r["opening"])
    rows[reseeded]["seed"] += 1
    users = {n for n, row in rows.items() if row["opening"] == reseeded}
    assert {rows[n]["team"] for n in users} == {"one", "full"}
    assert changed(here, replace(here, rows=rows)) == {reseeded, *users}


def test_a_question_a_model_or_a_wording_changes_every_session_that_has_it(tmp_path):
    here = debates(tmp_path)
    assert changed(here, debates(tmp_path, timeout_rate=0.1)) == set(here.rows)
    name = next(iter(here.items))
    reworded = {**here.items, name: {**here.items[name], "text": "Another?"}}
    assert changed(here, replace(here, items=reworded)) == {
        session for session, row in here.rows.items() if row["question_id"] == name
    }
    wording = read_yaml(PROMPTS / "debate.yaml")
    prompts = tmp_path / "debate.yaml"
    other = STUDY.model_copy(update={"prompts": str(prompts)})
    for prompt in wording:
        again = wording | {prompt: f"{wording[prompt]} Please."}
        prompts.write_text(yaml.safe_dump(again), "utf-8")
        # The opening's wording travels to all, and so does what mends a reply.
        assert changed(here, debates(tmp_path, other)) == {
            session
            for session, row in here.rows.items()
            if prompt in ("opening", "repair", row["condition"])
        }


def test_more_rounds_or_another_graph_leave_openings_as_they_were_and_shards_all(tmp_path):
    here = debates(tmp_path)
    debated = {name for name, row in here.rows.items() if row["opening"]}
    assert changed(here, debates(tmp_path, STUDY.model_copy(update={"rounds": 3}))) == debated
    assert changed(here, debates(tmp_path, STUDY.model_copy(update={"shard": 1}))) == set()
    teams = {**STUDY.teams, "one": STUDY.teams["one"].model_copy(update={"graph": "star"})}
    assert changed(here, debates(tmp_path, STUDY.model_copy(update={"teams": teams}))) == {
        name for name in debated if here.rows[name]["team"] == "one"
    }


def test_debates_go_on_from_the_transcript_of_their_opening(tmp_path):
    here = debates(tmp_path)
    registry = FakeRegistry({"m": MODEL})
    opening = next(r for r in here.rows.values() if r["condition"] == "opening")
    assert opening["team"] == "full"
    assert here.run(opening, registry).outcome["failure"] == ""
    said = texts(here, opening["session_id"])
    assert sorted(said) == [(0, "A1"), (0, "A2"), (0, "A3")]
    for row in (r for r in here.rows.values() if r["opening"] == opening["session_id"]):
        before = len(registry.asked)
        assert here.run(row, registry).outcome["failure"] == ""
        asked = [request.messages[-1].content for request in registry.asked[before:]]
        assert len(asked) == 6
        assert all(prompt.startswith(team_of(here, row).question) for prompt in asked)
        own, shown = said[0, "A1"], said[0, "A2"]
        if row["condition"] == "vanilla":
            assert any(f"opinion:\n- {own}\nBased" in p and shown in p for p in asked)
        else:
            places = order(row["seed"], 1, 1, 2 if row["team"] == "one" else 3)
            own_first = [own, shown, said[0, "A3"]][: len(places)]
            listed = "".join(
                f"\n- Agent Opinion {n}: {own_first[place]}" for n, place in enumerate(places, 1)
            )
            assert any(f"from agents:{listed}\nInstructions" in prompt for prompt in asked)
        turns = texts(here, row["session_id"])
        assert sorted(turns) == [(n, f"A{agent}") for n in (1, 2) for agent in (1, 2, 3)]


def test_personas_speak_in_the_seats_that_were_drawn(tmp_path):
    here = debates(tmp_path)
    registry = FakeRegistry({"m": MODEL})
    row = next(r for r in here.rows.values() if r["team"] == "who" and not r["opening"])
    assert here.run(row, registry).outcome["failure"] == ""
    table = read(SessionPaths.of(here.folder, row["session_id"]).transcript, transcript(IDS))
    assert table.column("role").to_pylist() == row["seats"]
    personas = read_personas(STUDY.personas)
    systems = [request.messages[0].content for request in registry.asked]
    assert sorted(systems) == sorted(personas[seat] for seat in row["seats"])


def test_a_debate_fails_where_its_opening_failed_and_asks_nothing(tmp_path):
    here = debates(tmp_path, timeout_rate=1.0)
    registry = FakeRegistry({"m": MODEL | {"timeout_rate": 1.0}})
    row = next(r for r in here.rows.values() if r["condition"] == "vanilla")
    opening = here.rows[row["opening"]]
    assert "timeout" in here.run(opening, registry).outcome["failure"]
    asked = len(registry.asked)
    failure = here.run(row, registry).outcome["failure"]
    assert failure == f"{row['opening']}, which it reads, failed"
    assert len(registry.asked) == asked
    kept = provenance_of(SessionPaths.of(tmp_path, row["session_id"]).transcript)
    assert kept["failure"] == f"{row['opening']}, which it reads, failed"


def test_a_debate_whose_opening_is_not_there_is_no_failure_of_the_session(tmp_path):
    here = debates(tmp_path)
    row = next(r for r in here.rows.values() if r["condition"] == "anonymized")
    with pytest.raises(ArtefactError, match=f"{row['opening']}"):
        here.run(row, FakeRegistry({"m": MODEL}))


def test_the_calls_of_a_debate_are_known_before_anything_runs(tmp_path):
    here = debates(tmp_path)
    row = next(r for r in here.rows.values() if r["condition"] == "vanilla" and r["team"] == "full")
    first = next(here.steps(row, PlaceholderInputs())())
    assert [call.messages[0].content.count(PLACEHOLDER) for call in first] == [3, 3, 3]
    kinds = {here.study.kind_of(each).alike(each) for each in here.rows.values()}
    assert len(kinds) == len(here.rows)


def test_the_same_configuration_leaves_the_same_bytes(tmp_path):
    kept = []
    for name in ("a", "b"):
        here = debates(tmp_path / name)
        row = next(r for r in here.rows.values() if r["condition"] == "anonymized")
        for each in (here.rows[row["opening"]], row):
            here.run(each, FakeRegistry({"m": MODEL}))
        kept.append(SessionPaths.of(here.folder, row["session_id"]).transcript.read_bytes())
    assert kept[0] == kept[1]
