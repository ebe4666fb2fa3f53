"""What sessions of an experiment take from each other: openings, forks, material."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import ResourceError, SettingError
from dissensus.llm.journal import Journal
from dissensus.llm.registry import ModelRegistry
from dissensus.plan.call_plan import call_plans
from dissensus.plan.rehearsal import rehearse
from dissensus.study.experiment import Fork, Material
from dissensus.study.experiment.levels import UnknownLevelError
from dissensus.study.experiment.measures import measure_sessions, turns_by_session
from dissensus.study.experiment.sharing import Sharing
from dissensus.study.gather import gather
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import write
from panel_study import declared
from shared_study import Shared, number


class Late(Shared):
    """Its fork is of a turn that its sessions have not."""

    name = "late"
    forks: ClassVar = {"swapped": Fork("peer", turn=7, speaker="P")}


class Swapped(Shared):
    """Its reference is a fork."""

    name = "swapped"
    arms = ("swapped", "peer", "again", "placebo", "last")


class Placebo(Shared):
    """Its reference is shown material."""

    name = "placebo"
    arms = ("placebo", "peer", "again", "swapped", "last")


Row = dict[str, Any]
MODELS = {"m": {"provider": "simulated", "behaviour": "shared_study", "speech": {}}}
BLOCK = {"model": "m", "repeats": 2, "block_size": 3}


def drawn(folder: Path, cls: type[Shared] = Shared, **more: Any) -> Sessions:
    """The sessions of the study in a folder, none of them run."""
    study = cls(cls.Settings.model_validate({**BLOCK, **more}))
    (source,) = cls.collect(study.settings.model_dump(), 1).values()
    items = {row["item_id"]: row for row in source[1]}
    rows = cls.draw_manifest(items, study.settings.model_dump(), 1)
    write(folder / "pool.parquet", *source, {})
    write(folder / "manifest.parquet", cls.manifest_schema, rows, {})
    return Sessions.of(study, folder, MODELS)


def registry(folder: Path) -> ModelRegistry:
    return ModelRegistry(MODELS, {}, folder=folder, stage="run_session", used=("m",))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    sessions = drawn(tmp_path_factory.mktemp("shared") / "shared")
    run(sessions)
    return sessions


def run(sessions: Sessions) -> dict[str, Any]:
    """Every part after the one before, as jobs do."""
    left: dict[str, Any] = {}
    models = registry(sessions.folder.parent)
    for part in sorted({sessions.part(row) for row in sessions.rows.values()}):
        rows = [row for row in sessions.rows.values() if sessions.part(row) == part]
        left |= sessions.run_all(rows, models, 2)
    return left


def transcript(sessions: Sessions, name: str) -> list[Row]:
    rows = sessions.replay(sessions.rows[name], registry(sessions.folder.parent)).turns
    return [dict(row) for row in rows]


def test_an_opening_is_asked_once_and_comes_first_in_every_arm(ran: Sessions) -> None:
    (opening,) = transcript(ran, "d004-opening")
    for arm in ("again", "peer", "placebo", "last"):
        first, *rest = transcript(ran, f"d004-{arm}")
        assert (first["text"], first["origin"]) == (opening["text"], "d004-opening")
        assert not any(turn["origin"] for turn in rest)
        assert [turn["turn"] for turn in rest] == ([2, 2, 3] if arm == "peer" else [2])


def test_a_fork_replaces_one_turn_and_asks_the_tail(ran: Sessions) -> None:
    before, after = transcript(ran, "d004-peer"), transcript(ran, "d004-swapped")
    assert [turn["origin"] for turn in after] == [
        *("d004-opening", "in place of d004-peer", "d004-peer", None),
    ]
    assert after[1]["text"] == "It is so. Answer: 999" and after[1]["value"] == "999"
    assert [after[place]["text"] for place in (0, 2)] == [before[place]["text"] for place in (0, 2)]


def test_calls_are_those_of_the_plan_and_no_more(ran: Sessions) -> None:
    journal = sum(
        len(path.read_bytes().splitlines()) for path in (ran.folder / "journal").iterdir()
    )
    # An opening, one call each of four arms, and three of the peer's.
    assert journal == 12 * (1 + 1 + 1 + 1 + 1 + 3)
    assert sum(len(plan.calls) * plan.sessions for plan in call_plans(ran)) == journal


def test_a_run_that_was_killed_asks_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, asked = drawn(tmp_path / "shared"), Counter[str]()
    ask = Journal._call

    def counted(self: Journal, key: str, *rest: Any) -> Any:
        asked[key + str(self.path)] += 1
        if sum(asked.values()) in (5, 40, 71):
            raise KeyboardInterrupt
        return ask(self, key, *rest)

    monkeypatch.setattr(Journal, "_call", counted)
    for _ in range(4):
        try:
            run(sessions)
            break
        except KeyboardInterrupt:
            sessions = drawn(tmp_path / "shared")
    assert sum(asked.values()) == 12 * 8 + 3
    assert all(sessions.is_complete(row) for row in sessions.rows.values())


def test_what_an_opening_depends_on_all_that_goes_on_from_it_depends_on(ran: Sessions) -> None:
    for name in ("d004-again", "d004-peer", "d004-placebo"):
        assert "d004-opening" in ran.spec(ran.rows[name])["needs"]
    assert set(ran.spec(ran.rows["d004-swapped"])["needs"]) == {"d004-opening", "d004-peer"}
    assert "needs" not in ran.spec(ran.rows["d004-opening"])


def test_the_prompt_has_what_the_material_says(ran: Sessions) -> None:
    row = ran.rows["d004-placebo"]
    texts = [transcript(ran, name)[-1]["text"] for name in row["peers"]]
    session = ran.replayed(row, registry(ran.folder.parent))
    prompt = session.attempts[-1].request.messages[-1].content
    assert len(texts) == 2 and all(f"> {text}" in prompt for text in texts)


def test_openings_are_in_no_metrics(ran: Sessions) -> None:
    gathered = gather(run(drawn(ran.folder.parent / "again/shared")).values())
    by_session = turns_by_session(gathered.turns, Shared.levels())
    study = ran.study
    rows = measure_sessions(study, by_session, gathered.outcomes, dict(ran.items))[0]  # type: ignore[arg-type]
    assert Counter(row["arm"] for row in rows) == dict.fromkeys(Shared.arms, 12)
    # Whoever is shown an answer takes it up.
    swapped = [row["flip"] for row in rows if row["arm"] == "swapped"]
    assert len(swapped) == 12 and sum(swapped) >= 10


def test_the_rehearsal_plays_all_of_them(ran: Sessions) -> None:
    rehearse(ran)


@given(
    st.sampled_from(["same", "other", "any"]),
    st.integers(1, 3),
    st.integers(2, 8),
    st.integers(3, 5),
    st.integers(0, 99),
)
def test_material_is_what_the_rule_says_and_used_alike(
    item: Any, count: int, items: int, repeats: int, seed: int
) -> None:
    sharing = Sharing(("a", "b"), False, {}, {"peers": Material("a", ("b",), item, count)})
    rows = [
        {
            "session_id": f"d{n:03d}-{arm}",
            "draw_id": f"d{n:03d}",
            "item_id": f"i{n % items}",
            "arm": arm,
            "seed": n,
        }
        for n in range(items * repeats)
        for arm in ("a", "b")
    ]
    made = {row["session_id"]: row for row in sharing.add(rows, seed)}
    assert list(made) == sorted(made)
    used: Counter[str] = Counter()
    for name, row in made.items():
        shown = row["peers"]
        assert len(shown) == len(set(shown)) == (count if row["arm"] == "b" else 0)
        used.update(shown)
        for other in shown:
            assert made[other]["arm"] == "a"
            same = made[other]["item_id"] == row["item_id"]
            assert item == "any" or same == (item == "same")
            assert item == "same" or made[other]["draw_id"] != row["draw_id"]
        assert name in made
    if item != "other":
        assert set(used.values()) == {count} and len(used) == items * repeats
    assert sharing.add(rows, seed) == list(made.values())


def test_a_placebo_needs_another_item() -> None:
    sharing = Sharing(("a", "b"), False, {}, {"peers": Material("a", ("b",))})
    row = {"session_id": "d001-a", "draw_id": "d001", "item_id": "i1", "arm": "a", "seed": 1}
    with pytest.raises(ResourceError, match=r"'peers' shows 1 sessions .* d001 has 0"):
        sharing.add([row, {**row, "session_id": "d001-b", "arm": "b"}], 1)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"forks": {"c": Fork("a", 1)}}, "has the arm 'c', which is not one of arms"),
        ({"forks": {"b": Fork("b", 1)}}, "forks 'b' from 'b', which is a fork itself"),
        ({"forks": {"b": Fork("a", 0)}}, "at turn 0; turns are counted from 1"),
        ({"forks": {"b": Fork("a", 1)}}, "has no replacement; define replacement"),
        ({"forks": {"b": "a"}}, 'its form is {name: Fork("debate", turn=2)}'),
        ({"material": {"m": Material("c", ("a",))}}, "'m' has the arm 'c', which is not one"),
        ({"material": {"m": Material("a", ("a",))}}, "shows 'a' what comes of what it says"),
        (
            {"material": {"m": Material("a", ("b",)), "n": Material("b", ("a",))}},
            "shows 'a' what comes of what it says itself",
        ),
        ({"material": {"m": Material("a", ("b",), "twin")}}, "it may be same, other or any"),
        ({"material": {"m": Material("a", ("b",), count=0)}}, "it must be at least 1"),
        ({"material": {"topic": Material("a", ("b",))}}, "both have 'topic'"),
        ({"arms": ("a", "opening"), "opening": lambda self, session: None}, "has 'opening'"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(wrong: Row, words: str) -> None:
    with pytest.raises(SettingError, match="panel_study") as error:
        declared(**wrong)
    assert words in str(error.value)


def test_a_fork_at_a_turn_that_does_not_come_is_refused_before_any_call(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"has no turn 7 of P.* correct turn and speaker"):
        rehearse(drawn(tmp_path / "shared", Late))


def test_forks_run_after_what_they_are_forked_from(ran: Sessions) -> None:
    for draw in range(1, 13):
        rows = {arm: ran.rows[f"d{draw:03d}-{arm}"] for arm in Shared.arms}
        assert rows["swapped"]["position"] == 5
        assert ran.rows[f"d{draw:03d}-opening"]["position"] == 0


@pytest.mark.parametrize("cls", [Swapped, Placebo])
def test_the_reference_run_again_takes_what_the_reference_takes(
    tmp_path: Path, cls: type[Shared]
) -> None:
    sessions = drawn(tmp_path / cls.name, cls, again=True)
    rehearse(sessions)
    run(sessions)
    reference, again = (sessions.rows[f"d004-{name}"] for name in (cls.name, f"{cls.name}_again"))
    assert (reference["peers"], sessions.part(reference)) == (again["peers"], sessions.part(again))
    assert again["seed"] != reference["seed"]
    turns, held = (transcript(sessions, row["session_id"]) for row in (reference, again))
    assert [turn["origin"] for turn in turns] == [turn["origin"] for turn in held]
    gathered = gather(run(drawn(tmp_path / "more" / cls.name, cls, again=True)).values())
    by_session = turns_by_session(gathered.turns, cls.levels())
    # Code that measures asks for the arms that it declares.
    assert set(by_session[again["session_id"]]["arm"]) == {cls.arms[0]}
    rows = measure_sessions(sessions.study, by_session, gathered.outcomes, dict(sessions.items))[0]  # type: ignore[arg-type]
    assert Counter(row["arm"] for row in rows)[f"{cls.name}_again"] == 12


def test_a_fault_of_an_opening_names_the_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shared, "opening", lambda self, session: None)
    with pytest.raises(ResourceError, match="opening gives NoneType; it must yield the calls"):
        rehearse(drawn(tmp_path / "shared"))


def test_an_opening_that_asks_which_arm_it_is_of_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asks(self: Shared, session: Any) -> Any:
        told = "Begin." if session.arm == "peer" else "Go."
        yield session.call("A", told, number, expected="Answer: 3")

    monkeypatch.setattr(Shared, "opening", asks)
    said = "'peer' is no arm of an opening, which all arms share; there are opening"
    with pytest.raises(UnknownLevelError, match=said):
        rehearse(drawn(tmp_path / "shared"))


def test_an_opening_without_a_call_is_said_of_the_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(self: Shared, session: Any) -> Any:
        yield from ()

    monkeypatch.setattr(Shared, "opening", nothing)
    with pytest.raises(ResourceError, match=r"opening .*asks no model; its steps must yield"):
        rehearse(drawn(tmp_path / "shared"))


def test_a_replacement_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shared, "replacement", lambda self, session, turn: "Seven.")
    with pytest.raises(ResourceError, match=r"the replacement 'Seven.' cannot be read"):
        rehearse(drawn(tmp_path / "shared"))
