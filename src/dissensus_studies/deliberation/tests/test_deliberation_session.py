"""What a session depends on, and that it runs by that."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from dissensus.digests import digest
from dissensus.errors import ResourceError, SettingError
from dissensus.llm.journal import NoJournal
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.protocol import round_of
from dissensus.session.runner import Limits, Session, run_session
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import write
from dissensus.user_files import read_yaml

from ..design.manifest import IDS, MANIFEST, Drawing, draw_manifest
from ..design.topics import TOPICS as SCHEMA
from ..design.topics import read_topics
from ..measures.debate import debate_of
from ..measures.reconstruct import reconstruct_session
from ..measures.rounds import measure_rounds
from ..settings import DeliberationSettings
from ..study import Deliberation
from .deliberation_sessions import PROMPTS, TOPICS, simulated, study_values

FAULTY = {
    **{"noise": 0.02, "heat": 0.5, "silence": 0.3, "yields": 0.5, "stubbornness": 0.3},
    **{"bad_json_rate": 0.1, "dangling_rate": 0.05, "inconsistent_rate": 0.3},
}
MODELS = {name: simulated(**FAULTY) for name in ("m1", "m2", "m3")} | {
    "judge": simulated("judge", bad_json_rate=0.1)
}


def prepare(folder: Path, topics: list[dict[str, Any]] | None = None, **changes: Any) -> Sessions:
    """A study's folder with topics and manifest, and its sessions."""
    study = DeliberationSettings(**study_values(**changes))
    topics = topics or read_topics(TOPICS)
    drawing = Drawing(
        3, study.draws, study.block_size, study.rounds, study.panel, study.judges, list(study.arms)
    )
    write(folder / "topics.parquet", SCHEMA, topics, {})
    write(folder / "manifest.parquet", MANIFEST, draw_manifest(topics, drawing), {})
    return Sessions.of(Deliberation(study), folder, MODELS)


@pytest.fixture(scope="module")
def debates(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    return prepare(tmp_path_factory.mktemp("deliberation"))


def digests(debates: Sessions) -> dict[str, str]:
    return {name: digest(debates.spec(row)) for name, row in debates.rows.items()}


def arms_changed(before: Sessions, after: Sessions) -> set[str]:
    one, other = digests(before), digests(after)
    assert one.keys() == other.keys()
    return {before.rows[name]["arm"] for name in one if one[name] != other[name]}


def run(debates: Sessions, session_id: str) -> Session:
    row = debates.rows[session_id]
    spec = debates.spec(row)
    models = {name: SimulatedModel(name, MODELS[name]) for name in spec["models"]}
    steps = debates.steps(row, PlaceholderInputs())
    limits = Limits.of(spec["protocol"])
    return run_session(spec["seed"], steps, models, NoJournal(), limits)


def test_a_specification_names_its_session(debates: Sessions):
    for row in debates.rows.values():
        spec = debates.spec(row)
        assert next(iter(IDS)) == "session_id"
        assert {name: spec[name] for name in IDS} == {n: row[n] for n in IDS}
    assert len(set(digests(debates).values())) == len(debates.rows)


def test_only_judged_arms_depend_on_the_judge(debates: Sessions):
    changed = replace(debates, identities={**debates.identities, "judge": "another"})
    assert arms_changed(debates, changed) == {"crit", "rca", "pid"}
    changed = replace(debates, identities={**debates.identities, "m2": "another"})
    assert arms_changed(debates, changed) == set(debates.study.settings.arms)


@pytest.mark.parametrize(
    ("changes", "arms"),
    [
        ({"control": {"kp": 0.2}}, {"pid"}),
        ({"control": {"rca_retries": 1}}, {"rca"}),
        ({"measures": {"katz": 0.4}}, set()),
        ({"inference": {"flips": 300}}, set()),
        ({"protocol": {"temperature": 0.1}}, {"emergent", "crit", "hinted", "rca", "pid"}),
    ],
)
def test_a_setting_changes_the_sessions_that_depend_on_it(
    debates: Sessions, changes: dict[str, Any], arms: set[str]
):
    study = DeliberationSettings(**study_values(**changes))
    assert arms_changed(debates, replace(debates, study=Deliberation(study))) == arms


def test_no_session_depends_on_the_truth_but_by_its_hint(debates: Sessions):
    told = {name: {**row, "truth": "", "supports": []} for name, row in debates.items.items()}
    assert arms_changed(debates, replace(debates, items=told)) == set()
    asked = {name: {**row, "question": "Why?"} for name, row in debates.items.items()}
    assert len(arms_changed(debates, replace(debates, items=asked))) == 5


def test_the_wording_is_part_of_the_specification(debates: Sessions, tmp_path: Path):
    def reworded(name: str, part: str) -> set[str]:
        wording = read_yaml(Path(PROMPTS[name]))
        told = f"{wording[part]} Please."
        paths = [tmp_path / f"{n}.yaml" for n in (name, f"{name}-{part}")]
        changed = []
        for path, words in zip(paths, (wording, wording | {part: told}), strict=True):
            path.write_text(yaml.safe_dump(words), encoding="utf-8")
            study = DeliberationSettings(**study_values(**{name: str(path)}))
            rows = debates.rows.items()
            told = replace(debates, study=Deliberation(study))
            changed.append({n: told.spec(row)["spec"].wording_sha256 for n, row in rows})
        one, other = changed
        return {debates.rows[n]["arm"] for n in one if one[n] != other[n]}

    assert reworded("prompts", "none") == {"emergent", "crit", "hinted", "rca", "pid"}
    assert reworded("judging", "crit") == {"crit", "rca", "pid"}


def test_sessions_depend_on_nothing_that_they_are_not_given(debates: Sessions):
    def other(**columns: Any) -> set[str]:
        rows = {name: {**row, **columns} for name, row in debates.rows.items()}
        return arms_changed(debates, replace(debates, rows=rows))

    assert other(block=7, arm_order="pid>crit", position=9) == set()
    assert other(hint="invalid", hint_option="?", hint_round=9) == {"hinted", "rca"}
    assert other(seed=1) == {"emergent", "crit", "hinted", "rca", "pid"}


def test_sessions_of_a_draw_run_in_their_order(debates: Sessions):
    for row in debates.rows.values():
        before = debates.before(row)
        if row["position"] == 1:
            assert before == []
        else:
            (one,) = before
            assert debates.rows[one]["draw_id"] == row["draw_id"]
            assert debates.rows[one]["position"] == row["position"] - 1


def test_sessions_of_a_kind_ask_the_same(debates: Sessions):
    rows = list(debates.rows.values())
    (kind,) = debates.study.kinds
    assert len({kind.alike(row) for row in rows}) == len(rows)
    assert kind.alike(rows[0]) == kind.alike({**rows[0], "seed": 1, "draw_id": "t009"})


def test_arms_run_as_their_settings_say(debates: Sessions):
    for name, row in debates.rows.items():
        session = run(debates, name)
        assert session.failure == ""
        roles = Counter(turn.role for turn in session.turns)
        arm = debates.study.settings.arms[row["arm"]]
        assert roles["debater"] == 9
        assert roles["judge:crit"] == (9 if arm.assessed else 0)
        assert (roles["judge:rca"] >= 9) == arm.rca
        assert roles["retry"] == max(0, roles["judge:rca"] - 9)
        models = [turn.model for turn in session.turns if turn.role == "debater"]
        assert models[:3] == row["cast"]
        judges = {turn.model for turn in session.turns if turn.role.startswith("judge")}
        assert judges == ({row["judge"]} if arm.judged else set())
        prompts = {
            attempt.call.round_label: attempt.call.messages[0].content
            for attempt in session.attempts
            if attempt.call.role == "debater"
        }
        for label, prompt in prompts.items():
            given = arm.hints and row["hint"] != "none" and round_of(label) >= row["hint_round"]
            assert ("Moderator's note" in prompt) == given
            assert ("Contentiousness" in prompt) == (arm.schedule is not None)


def test_the_measures_run_the_same_loop_again(tmp_path: Path):
    """From the transcript alone comes the contentiousness that the prompts asked for."""
    control = {"kp": 0.5, "ki": 0.2}
    arms = {"pid": {"schedule": "pid", "rca": True, "hints": True}}
    debates = prepare(tmp_path, arms=arms, reference="pid", rounds=6, control=control, draws=6)
    words = ["very low", "low", "moderate", "high", "very high"]
    told = set()
    for name, row in debates.rows.items():
        session = run(debates, name)
        turns = [{**{one: row[one] for one in IDS}, **vars(turn)} for turn in session.turns]
        topic = debates.items[row["topic_id"]]
        tables = reconstruct_session(turns, topic["options"])
        debate = debate_of(row, topic, *vars(tables).values())
        study = debates.study.settings
        rounds = measure_rounds(
            debate,
            study.arms["pid"].model_dump(),
            study.control.model_dump(),
            study.measures.model_dump(),
        )
        for attempt in session.attempts:
            call = attempt.call
            if call.role == "debater":
                beta = rounds[round_of(call.round_label) - 1]["contentiousness"]
                word = words[min(int(beta * 5), 4)]
                assert f"Contentiousness: {word}." in call.messages[0].content
                told.add(word)
    assert len(told) > 1


def test_hints_need_a_truth(tmp_path: Path):
    topics = [row for row in read_topics(TOPICS) if not row["truth"]]
    with pytest.raises(ResourceError, match=r"no topic has a truth, which .*arms\.hinted need"):
        prepare(tmp_path, topics)
    assert prepare(tmp_path, topics, arms={"emergent": {}}).rows


def test_an_arm_that_the_manifest_lacks_is_named_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Deliberation, "arm", "arms")
    with pytest.raises(SettingError, match=r"deliberation/study\.py: arm is 'arms', and the manif"):
        prepare(tmp_path)
