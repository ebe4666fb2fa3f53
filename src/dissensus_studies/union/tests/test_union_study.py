"""What a session of the study depends on, waits for and asks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.plan.call_plan import call_plans
from dissensus.plan.described import describe
from dissensus.session.inputs import FolderInputs, PlaceholderInputs
from dissensus.session.protocol import assumed_calls
from dissensus.session.record import SessionPaths, transcript
from dissensus.session.runner import Limits
from dissensus.study.given import stage_settings
from dissensus.study.kind import Needs
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import write
from dissensus.user_files import read_yaml

from ..design.manifest import draw
from ..settings import UnionSettings
from ..study import Union
from ..tables import CHUNKS, IDS, MANIFEST, MOTIONS, PASSAGES
from .union_planted import DIAGNOSIS
from .union_sessions import (
    MOTION,
    ORDER,
    PROMPTS,
    PROTOCOL,
    memo_of,
    passage,
    play,
    prompts,
    style_of,
    talk,
)

NAMES = ("speaker", "extractor", "interjector", "annotator", "j1", "j2", "coach")
MODELS = {name: {"provider": "openai", "model": name} for name in NAMES}
#: The epochs and arms of a small study; with one motion it has 1 + 8 + 1 sessions.
SMALL = {"epochs": 2, "runs": 2, "arms": ["coached", "control"]}
STYLE, MEMO = "lottery-e0-style", "lottery-e2-memo"


def settings(**changes: Any) -> UnionSettings:
    values: dict[str, Any] = {
        **{"motions": "motions.yaml", "speakers": "speakers", **SMALL, **PROMPTS},
        **{name: name for name in ("extractor", "interjector", "annotator", "coach")},
        **{"speaker_model": "speaker", "judges": ["j1", "j2"], "layers": ["panel", "audit"]},
        "corpus": {
            **{"chunk": 1000, "overlap": 200, "largest_mb": 20.0, "pool": 20},
            **{"embedder": "use-multilingual", "diversity": 0.5},
        },
        "protocol": PROTOCOL,
        "inference": {"confidence": 0.95, "resamples": 1000},
        "map": {"projection": "pca", "neighbors": 15, "min_dist": 0.1, "min_cluster": 5},
        "diagnosis": DIAGNOSIS,
    }
    for name, change in changes.items():
        block = name in ("protocol", "inference", "corpus")
        values[name] = {**values[name], **change} if block else change
    return UnionSettings(**values)


def prepare(folder: Path, motion: dict[str, Any] | None = None, **changes: Any) -> Sessions:
    """A study's folder with motions, manifest, chunks and passages, and its sessions."""
    study = Union(settings(**changes))
    motions = {"lottery": motion or MOTION}
    rows = draw(motions, stage_settings(study, study.manifest), 3)
    write(folder / "motions.parquet", MOTIONS, [*motions.values()], {})
    write(folder / "manifest.parquet", MANIFEST, rows, {})
    write(folder / "chunks.parquet", CHUNKS, chunks(), {})
    write(folder / "passages.parquet", PASSAGES, passages(), {})
    return Sessions.of(study, folder, MODELS)


def chunks() -> list[dict[str, Any]]:
    return [
        {
            "speaker": name,
            "document": "bio/bio.md",
            "chunk": n,
            "start": n,
            "text": passage(name, n),
        }
        for name in ORDER
        for n in (1, 2)
    ]


def passages() -> list[dict[str, Any]]:
    found = {"document": "bio/bio.md", "chunk": 1, "query": "Why?", "similarity": 0.5}
    return [
        {"motion_id": "lottery", "speaker": name, "rank": n, **found, "text": passage(name, n)}
        for name in ORDER
        for n in range(1, 6)
    ]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    return prepare(tmp_path_factory.mktemp("union"))


def needs_of(sessions: Sessions, row: Any) -> Needs:
    return sessions.study.kind_of(row).needs(row)


def digests(sessions: Sessions) -> dict[str, str]:
    return {name: digest(sessions.spec(row)) for name, row in sessions.rows.items()}


def changed(before: Sessions, after: Sessions) -> set[str]:
    one, other = digests(before), digests(after)
    assert one.keys() == other.keys()
    return {name for name in one if one[name] != other[name]}


def with_settings(sessions: Sessions, **changes: Any) -> Sessions:
    return replace(sessions, study=Union(settings(**changes)))


def of_kind(sessions: Sessions, *kinds: str) -> set[str]:
    return {name for name, row in sessions.rows.items() if row["kind"] in kinds}


def readers(sessions: Sessions, name: str) -> set[str]:
    """A session and all that read it, directly or not."""
    found, size = {name}, 0
    while size < len(found):
        size = len(found)
        found |= {
            one
            for one, row in sessions.rows.items()
            if found & set(needs_of(sessions, row).sessions)
        }
    return found


def test_a_specification_names_its_session(sessions: Sessions) -> None:
    for row in sessions.rows.values():
        spec = sessions.spec(row)
        assert {name: spec[name] for name in IDS} == {name: row[name] for name in IDS}
    assert len(set(digests(sessions).values())) == len(sessions.rows) == 10


def test_sessions_wait_for_what_they_read_and_for_nothing_else(sessions: Sessions) -> None:
    needs = {name: needs_of(sessions, row) for name, row in sessions.rows.items()}
    assert needs[STYLE].sessions == ()
    assert needs[STYLE].artefacts == ("chunks.parquet",)
    assert needs[MEMO].sessions == ("lottery-e1-r01-coached", "lottery-e1-r02-coached")
    assert needs[MEMO].artefacts == ()
    for name in of_kind(sessions, "debate"):
        coached = name.startswith("lottery-e2") and name.endswith("-coached")
        assert needs[name].sessions == ((STYLE, MEMO) if coached else (STYLE,))
        assert needs[name].artefacts == ("passages.parquet",)
        assert sessions.before(sessions.rows[name]) == list(needs[name].sessions)


def test_a_memo_is_of_the_epoch_before_alone(tmp_path: Path) -> None:
    sessions = prepare(tmp_path, epochs=4)
    for epoch in (2, 3, 4):
        needs = needs_of(sessions, sessions.rows[f"lottery-e{epoch}-memo"])
        assert needs.sessions == tuple(f"lottery-e{epoch - 1}-r0{n}-coached" for n in (1, 2))
        assert set(needs.sessions) <= set(sessions.rows)


@pytest.mark.parametrize(
    "changes",
    [
        {"layers": ["rubric"]},
        {"inference": {"resamples": 500}},
        {"map": {"projection": "pca", "neighbors": 9, "min_dist": 0.2, "min_cluster": 3}},
        {"diagnosis": {**DIAGNOSIS, "simulations": 9, "gains": [0.1]}},
        {"motions": "other.yaml", "speakers": "others"},
        {"corpus": {"pool": 9}},
    ],
)
def test_no_session_depends_on_what_becomes_of_it(
    sessions: Sessions, changes: dict[str, Any]
) -> None:
    assert changed(sessions, with_settings(sessions, **changes)) == set()


def own_changes(before: Sessions, after: Sessions) -> set[str]:
    """Sessions whose own part of the specification changes, whatever they read."""

    def own(sessions: Sessions) -> dict[str, Any]:
        return {
            name: (kind.spec(row, MOTION), kind.cast(row))
            for name, row in sessions.rows.items()
            for kind in (sessions.study.kind_of(row),)
        }

    one, other = own(before), own(after)
    return {name for name in one if one[name] != other[name]}


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"judges": ["j2"]}, ["debate"]),
        ({"annotator": "j1"}, ["debate"]),
        ({"interjector": "j1"}, ["debate"]),
        ({"speaker_model": "j1"}, ["debate"]),
        ({"extractor": "j1"}, ["debate", "style"]),
        ({"coach": "j1"}, ["memo"]),
        ({"runs": 3}, ["memo"]),
        ({"protocol": {"passages": 2}}, ["debate"]),
    ],
)
def test_a_setting_is_of_the_sessions_that_use_it(
    sessions: Sessions, changes: dict[str, Any], kinds: list[str]
) -> None:
    found = own_changes(sessions, with_settings(sessions, **changes))
    assert found == of_kind(sessions, *kinds)


def test_a_session_runs_again_where_one_that_it_reads_does(sessions: Sessions) -> None:
    one = "lottery-e1-r01-coached"
    rows = {**sessions.rows, one: {**sessions.rows[one], "draw_seed": 1}}
    found = changed(sessions, replace(sessions, rows=rows))
    assert found == readers(sessions, one)
    assert found == {one, MEMO, "lottery-e2-r01-coached", "lottery-e2-r02-coached"}


def test_logistics_change_nothing(sessions: Sessions) -> None:
    rows = {name: {**row, "block": 9, "position": 9} for name, row in sessions.rows.items()}
    assert changed(sessions, replace(sessions, rows=rows)) == set()


def test_students_count_where_they_are_coached(sessions: Sessions) -> None:
    items = {"lottery": {**MOTION, "students": ["Yusra Haddad"]}}
    assert changed(sessions, replace(sessions, items=items)) == readers(sessions, MEMO)
    items = {"lottery": {**MOTION, "motion": "Another"}}
    assert STYLE not in changed(sessions, replace(sessions, items=items))


@pytest.mark.parametrize(
    ("file", "part", "kinds"),
    [
        ("prompts", "style", ["style"]),
        ("prompts", "memo", ["memo"]),
        ("prompts", "memo_claim", ["memo"]),
        ("prompts", "speech", ["debate"]),
        ("prompts", "nothing_yet", ["debate"]),
        ("prompts", "repair", ["style", "memo", "debate"]),
        ("prompts", "directive", ["coached"]),
        ("prompts", "memo_entry", ["coached"]),
        ("judging", "blind", ["debate"]),
        ("judging", "labelled", ["debate"]),
        ("judging", "name_cluster", []),
    ],
)
def test_the_wording_is_of_the_sessions_that_are_told_it(
    sessions: Sessions, tmp_path: Path, file: str, part: str, kinds: list[str]
) -> None:
    wording = read_yaml(Path(PROMPTS[file]))
    path = tmp_path / "changed.yaml"
    path.write_text(yaml.safe_dump(wording | {part: f"{wording[part]} Please."}), encoding="utf-8")
    found = own_changes(sessions, with_settings(sessions, **{file: str(path)}))
    memos = {"lottery-e2-r01-coached", "lottery-e2-r02-coached"} if "coached" in kinds else set()
    assert found == of_kind(sessions, *kinds) | memos


@pytest.mark.parametrize(
    ("switch", "file", "part"),
    [
        ("definitions", "prompts", "contest"),
        ("points", "prompts", "offer"),
        ("points", "judging", "blind_point"),
        ("audited", "judging", "labelled"),
    ],
)
def test_what_is_switched_off_is_no_part_of_a_session(
    sessions: Sessions, tmp_path: Path, switch: str, file: str, part: str
) -> None:
    wording = read_yaml(Path(PROMPTS[file]))
    path = tmp_path / "changed.yaml"
    path.write_text(yaml.safe_dump(wording | {part: f"{wording[part]} Please."}), encoding="utf-8")
    off = {"protocol": {switch: False}}
    one, other = (with_settings(sessions, **off, **more) for more in ({}, {file: str(path)}))
    assert own_changes(one, other) == set()


def test_a_cast_is_of_all_that_a_session_asks(sessions: Sessions) -> None:
    for plan, row in zip(plans(sessions), sessions.rows.values(), strict=True):
        assert {call.model for call in plan} == set(sessions.study.kind_of(row).cast(row))
    quiet = with_settings(sessions, protocol={"points": False})
    assert all(
        "interjector" not in quiet.study.kind_of(row).cast(row) for row in quiet.rows.values()
    )
    named = {name for use in sessions.study.models() for name in use.models}
    assert named == set(NAMES)


def plans(sessions: Sessions) -> list[list[Any]]:
    """The calls of every session where nobody is asked."""
    return [
        list(assumed_calls(sessions.steps(row, PlaceholderInputs())()))
        for row in sessions.rows.values()
    ]


def test_every_call_is_of_a_purpose_that_the_study_declares(sessions: Sessions) -> None:
    declared = {(use.purpose, name) for use in sessions.study.models() for name in use.models}
    used = {(call.purpose, call.model) for plan in plans(sessions) for call in plan}
    assert used == declared


def test_calls_are_counted_before_a_run(sessions: Sessions) -> None:
    """6 notes; 6 speeches with extraction and 3 offers; 2 for definitions; 6 + 1 scores; 6 + 2
    annotations; 12 votes; and the answers to the points that are taken.
    """
    plan = {
        n: Counter(c.role for c in p) for n, p in zip(sessions.rows, plans(sessions), strict=True)
    }
    for name in of_kind(sessions, "debate"):
        answers = plan[name].pop("answer", 0)
        assert 0 <= answers <= 12
        assert sum(plan[name].values()) == 6 + 6 + 6 + 18 + 2 + 7 + 8 + 12
    assert plan[STYLE] == {"style": 6}
    assert plan[MEMO] == {"memo": 2}
    assert sum(plan.sessions for plan in call_plans(sessions)) == 10
    assert describe(sessions)[0].startswith("union: 6 draws, 10 sessions")
    assert " ".join(describe(sessions)).endswith(sessions.study.counting)


def test_sessions_run_from_what_others_left(sessions: Sessions) -> None:
    """A coached debate by its artefacts: styles, passages, memos."""
    for name, said in ((STYLE, style_of), (MEMO, memo_of)):
        ids = {column: sessions.rows[name][column] for column in IDS}
        speakers = ORDER if name == STYLE else MOTION["students"]
        rest = {
            "turn": 1,
            "role": "r",
            "round_label": "r",
            "model": "m",
            "repairs": 0,
            "value": None,
            "origin": None,
            "person": False,
        }
        turns = [
            {**ids, **rest, "speaker": one, "text": said(one), "compliant": True}
            for one in sorted(speakers)
        ]
        write(SessionPaths.of(sessions.folder, name).transcript, transcript(IDS), turns, {})
    row = sessions.rows["lottery-e2-r01-coached"]
    spec = sessions.spec(row)
    steps = sessions.steps(row, FolderInputs(sessions.folder, IDS))
    session = play(talk, steps)
    assert not session.failure
    assert Limits.of(spec["protocol"]) == Limits(1, 1)
    assert [turn.speaker for turn in session.turns if turn.role == "speech"] == row["order"]
    for call, prompt in prompts(session, "prepare"):
        assert prompt.count("Passage ") == 3
        assert f"advice for {call.speaker}" in prompt or call.speaker not in MOTION["students"]
        assert f"register of {call.speaker}" in prompt
    lenses = [int(lens) for lens in row["lenses"]]
    assert spec["spec"].draw.lenses == tuple(lenses)


def test_motions_need_two_equal_sides_and_somebody_to_coach(tmp_path: Path) -> None:
    one = {**MOTION, "opposition": list(MOTION["opposition"])[:2]}
    study = Union(settings())
    with pytest.raises(ResourceError, match="'lottery' has 3 speakers for it and 2 against"):
        study.check(MODELS, {"lottery": one})
    nobody = {"lottery": {**MOTION, "students": []}}
    with pytest.raises(ResourceError, match=r"no students, whom the arm 'coached' of union\.arms"):
        study.check(MODELS, nobody)
    Union(settings(arms=["control"])).check(MODELS, nobody)
    Union(settings(epochs=1)).check(MODELS, nobody)
