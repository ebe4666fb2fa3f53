"""Sessions are played and measured in every arm, and each way they may go, before any call."""

from __future__ import annotations

import copy
import pickle
from itertools import count, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

from dissensus.errors import ResourceError
from dissensus.plan.rehearsal import rehearse
from dissensus.study.experiment import Experiment, ExperimentSettings, Model, text
from dissensus.study.experiment.drawing import named_items, pool_schema
from dissensus.study.experiment.levels import Fields, Level, UnknownLevelError
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import Column
from dissensus.tables.common import whole

#: What a session says that is asked for something else each time.
NUMBERS = count()


class Table(Experiment):
    """Agents answer once, and again where they differ."""

    name = "table"
    arms = ("talk", "alone")
    item: ClassVar = {"topic": text("t")}
    factors: ClassVar = {"side": ("for", "against")}
    outcomes: ClassVar = {"agree": "1 where both say the same."}

    def items(self, rng: np.random.Generator) -> Any:
        yield {"topic": "trees"}

    def debate(self, session: Any) -> Any:
        first = session.call("A", session.item.topic, _yes, expected="yes", otherwise="no")
        turns = yield [first, session.call("B", session.item.topic, _yes, expected="yes")]
        if session.arm == "talk" and turns[0].value != turns[1].value:
            yield from self._again(session)

    def _again(self, session: Any) -> Any:
        yield session.call("A", "Again?", _yes, expected="yes")

    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, float]:
        return {"agree": float(turns["value"].nunique() == 1)}


def _yes(reply: str) -> bool | None:
    return {"yes": True, "no": False}.get(reply)


def sessions_of(cls: type[Experiment], folder: Path) -> Sessions:
    study = cls(cls.Settings.model_validate({"model": "m"}))
    rows = cls.draw_manifest({"i": {}}, {"repeats": 9, "block_size": 2}, 1)
    assert {row["side"] for row in rows} == {"for", "against"}
    by_name = {row["session_id"]: row for row in rows}
    items = {"i": {"item_id": "i", "topic": "trees"}}
    return Sessions(study, folder, by_name, items, {"m": "identity"})


def test_a_study_that_is_sound_is_played(tmp_path: Path) -> None:
    rehearse(sessions_of(Table, tmp_path))


class Drawn(Experiment):
    """One of several judges reads what a debater says: which of them is drawn."""

    name = "drawn"
    arms = ("short", "long")
    item: ClassVar = {"topic": text("t")}
    factors: ClassVar = {"judge": ("w1", "w2")}
    outcomes: ClassVar = {"right": "1 where the judge is right."}

    class Settings(ExperimentSettings):
        debater: Model
        judges: list[Model]

    def items(self, rng: np.random.Generator) -> Any:
        yield {"topic": "trees"}

    def debate(self, session: Any) -> Any:
        said = yield session.call("D", session.item.topic, by="debater")
        judge = session.factors.judge
        yield session.call("J", said.text, by="judges", model=judge, role=judge)

    def measure(self, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, float]:
        return {"right": 1.0}


def test_a_level_that_is_drawn_may_be_the_model_beside_another_one(tmp_path: Path) -> None:
    """A level is compared with its own levels alone; the cast has the debater's model, too."""
    study = Drawn(Drawn.Settings.model_validate({"debater": "d", "judges": ["w1", "w2"]}))
    rows = Drawn.draw_manifest({"i": {}}, {"repeats": 4, "block_size": 2}, 1)
    items = {"i": {"item_id": "i", "topic": "trees"}}
    by_name = {row["session_id"]: row for row in rows}
    rehearse(Sessions(study, tmp_path, by_name, items, dict.fromkeys(("d", "w1", "w2"), "m")))


def misspelt(self: Any, session: Any) -> Any:
    turn = yield session.call("A", "Yes?", _yes, expected="yes")
    if session.arm == "tlak":
        yield session.call("A", turn.text)


def silent(self: Any, session: Any) -> Any:
    if session.arm == "talk":
        yield session.call("A", "Yes?", _yes, expected="yes")


def nothing(self: Any, session: Any) -> Any:
    session.call("A", "Yes?")


def unreadable(self: Any, session: Any) -> Any:
    yield session.call("A", "Yes?", _yes, expected="Yes.")


def other_field(self: Any, session: Any) -> Any:
    yield session.call("A", session.item.passage)


def broken(self: Any, session: Any) -> Any:
    yield session.call("A", {}["nowhere"])


def by_chance(self: Any, session: Any) -> Any:
    yield session.call("A", f"Yes? {next(NUMBERS)}", _yes, expected="yes")


def asks_nothing(self: Any, session: Any) -> Any:
    yield session.call("A", " ", _yes, expected="yes")


def endless(self: Any, session: Any) -> Any:
    while True:
        yield session.call("A", "Yes?", _yes, expected="yes")


def unheard(self: Any, session: Any) -> Any:
    yield session.call("A", "Yes?", _yes, expected="yes")
    while True:
        pass


def other_side(self: Any, session: Any) -> Any:
    told = session.item.passage if session.factors.side == "against" else "Yes?"
    yield session.call("A", told, _yes, expected="yes")


@pytest.mark.parametrize(
    ("member", "function", "sentence"),
    [
        ("debate", by_chance, "asks A something else when it is played again, so that a run"),
        ("debate", asks_nothing, "asks A nothing: its prompt is empty."),
        ("debate", endless, "has not ended after 2,000 steps with assumed replies; end its loop"),
        ("debate", other_side, "there is no 'passage'; there are item_id, topic"),
        ("debate", misspelt, "UnknownLevelError: 'tlak' is no arm; there are talk, alone; correct"),
        ("debate", silent, "session d001-alone (arm 'alone') asks no model; its steps must yield"),
        ("debate", nothing, "debate gives NoneType; it must yield the calls of its steps"),
        ("debate", unreadable, "the call of A expects 'Yes.', which cannot be read as its replies"),
        ("debate", other_field, "there is no 'passage'; there are item_id, topic"),
        # Only where replies are the others that calls name.
        ("_again", broken, "ended with KeyError: 'nowhere'; correct the study; nothing was asked"),
        (
            "measure",
            lambda _, turns, item: {"agree": 1.0} if len(turns) < 3 else {"argee": 1.0},
            "measure gives argee; outcomes declares agree",
        ),
    ],
)
def test_what_is_wrong_is_a_sentence_before_any_call(
    member: str, function: Any, sentence: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Table, member, function)
    with pytest.raises(ResourceError) as caught:
        rehearse(sessions_of(Table, tmp_path))
    assert sentence in str(caught.value) and __file__ in str(caught.value)


def in_a_round(name: str) -> Any:
    def measure(self: Any, turns: pd.DataFrame, item: Any) -> dict[str, float]:
        return {"agree": float(len(turns[turns["round_label"] == name]))}

    return measure


def test_a_round_that_no_session_has_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Round 2 comes where replies are the others alone.
    monkeypatch.setattr(Table, "measure", in_a_round("round 2"))
    rehearse(sessions_of(Table, tmp_path))
    monkeypatch.setattr(Table, "measure", in_a_round("vote"))
    with pytest.raises(ResourceError, match="'vote' is no round_label of a session with assumed"):
        rehearse(sessions_of(Table, tmp_path))


class Judged(Table):
    """The same, with a judge who is set and never asked."""

    name = "judged"

    class Settings(ExperimentSettings):
        debater: Model
        judge: Model


def judged(folder: Path, **more: Any) -> Sessions:
    given = {"debater": "m", "judge": "m", **more}
    study = Judged(Judged.Settings.model_validate(given))
    rows = Judged.draw_manifest({"i": {}}, {"repeats": 9, "block_size": 2}, 1)
    items = {"i": {"item_id": "i", "topic": "trees"}}
    by_name = {row["session_id"]: row for row in rows}
    return Sessions(study, folder, by_name, items, {"m": "identity"})


def by_debater(self: Any, session: Any) -> Any:
    yield session.call("A", "Yes?", _yes, by="debater", expected="yes")


def by_both(self: Any, session: Any) -> Any:
    yield session.call("A", "Yes?", _yes, by="debater", expected="yes", otherwise="no")
    yield session.call("J", "Right?", _yes, by="judge", expected="yes")


def test_a_judge_who_never_speaks_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Judged, "debate", by_debater)
    rehearse(judged(tmp_path))
    assert "the setting judge names m, and no session with assumed replies asks it" in caplog.text
    caplog.clear()
    monkeypatch.setattr(Judged, "debate", by_both)
    rehearse(judged(tmp_path))
    assert "names m" not in caplog.text
    rehearse(judged(tmp_path, labels={"judge": "J", "scale": ["a", "b"]}))
    for what in ({"judge": "K", "scale": ["a", "b"]}, {"hidden": ["K"], "scale": [0, 1]}):
        with pytest.raises(ResourceError, match="names 'K', who never speaks; in sessions with"):
            rehearse(judged(tmp_path, labels=what))


def test_a_level_is_compared_with_levels_alone() -> None:
    level = Level("talk", "arm", ["talk", "alone"])
    assert level == "talk" and level != "alone" and level in ("alone", "talk")
    assert level != 3 and hash(level) == hash("talk")
    assert {level: 1}["talk"] == 1 and f"{level}-1" == "talk-1"
    for again in (copy.deepcopy(level), pickle.loads(pickle.dumps(level))):
        with pytest.raises(UnknownLevelError, match="'tlak' is no arm; there are talk, alone"):
            again == "tlak"  # noqa: B015
    with pytest.raises(UnknownLevelError):
        level != "tlak"  # noqa: B015
    with pytest.raises(UnknownLevelError):
        pd.Series([level, level], dtype=object) == "tlak"  # noqa: B015
    assert (pd.Series([level], dtype=object) == "talk").all()


def test_fields_say_what_there_is() -> None:
    fields = Fields(topic="t")
    assert fields.topic == "t" and vars(copy.deepcopy(fields)) == {"topic": "t"}
    with pytest.raises(AttributeError, match="there is no 'tropic'; there are topic"):
        fields.tropic  # noqa: B018
    # What one arm alone is shown is no name of the others.
    with pytest.raises(AttributeError, match="there is no 'reasons'; there are none in this"):
        Fields().reasons  # noqa: B018


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        (
            [{"item_id": "a", "n": 1}, {"item_id": "a", "n": 2}],
            "items 1 and 2 that items gives",
        ),
        ([{"n": 1}, {"item_id": "i0001", "n": 2}], "have one item_id, 'i0001'; give each a name"),
        ([{"n": 1}, {"n": "2"}], "item 2 that items gives has '2' as its 'n'; it must be a whole"),
        (None, "items gives NoneType; it must yield its rows, or give a list."),
        (
            [[{"n": 1}]],
            "item 1 that items gives is list; it must be a mapping of columns",
        ),
        ([{"n": 1.5}], "item 1 that items gives has 1.5 as its 'n'; it must be a whole number, as"),
        ([{"n": True}], "item 1 that items gives has True as its 'n'; it must be a whole number"),
        ([{"n": 1, "item_id": 7}], "item 1 that items gives has 7 as its 'item_id'; it must be a"),
        (repeat({"n": 1}), "items gives more than 100,000 rows; set draws to how many are taken."),
        ([{"n": 1}, {"n": None}], "item 2 that items gives has None as its 'n'; give it a value"),
    ],
)
def test_an_item_that_no_pool_can_hold_is_named(items: Any, sentence: str) -> None:
    with pytest.raises(ResourceError) as caught:
        named_items(items, {"n": whole("A number.")}, None, "study.py")
    assert sentence in str(caught.value) and str(caught.value).startswith("study.py: ")


def test_an_item_holds_what_its_columns_say() -> None:
    kinds = {
        "t": ("string", "a", 1),
        "n": ("float", np.float64(1.5), "1.5"),
        "w": ("int", np.int64(3), float("nan")),
        "f": ("bool", np.bool_(True), 1),
        "ts": ("strings", ["a"], "a"),
        "ns": ("floats", np.array([1.0]), ["a"]),
    }
    columns = {name: Column(kind, "x") for name, (kind, *_) in kinds.items()}
    good = {name: value for name, (_, value, _) in kinds.items()}
    (row,) = named_items([good], columns, None, "study.py")
    assert row == {"item_id": "i0001", **good}
    for name, (*_, bad) in kinds.items():
        with pytest.raises(ResourceError, match=f"item 1 .* as its '{name}'; it must be "):
            named_items([{**good, name: bad}], columns, None, "study.py")


def test_items_are_the_same_whenever_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def items(self: Any, rng: np.random.Generator) -> Any:
        yield {"topic": f"{rng.integers(9)}{next(NUMBERS)}"}

    settings = {"model": "m", "draws": 1}
    assert Table.collect(settings, 7) == Table.collect(settings, 7)
    monkeypatch.setattr(Table, "items", items)
    with pytest.raises(ResourceError, match="items gives other rows when it is called again; take"):
        Table.collect(settings, 7)


def test_what_items_raise_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def items(self: Any, rng: np.random.Generator) -> Any:
        yield {"topic": {}["nowhere"]}

    monkeypatch.setattr(Table, "items", items)
    line = items.__code__.co_firstlineno + 1
    with pytest.raises(ResourceError) as caught:
        Table.collect({"model": "m", "draws": 1}, 7)
    assert str(caught.value).startswith(
        f"{__file__}, line {line}: items ended with KeyError: 'nowhere'; correct the study; nothing"
    )


def test_an_item_may_lack_what_it_need_not_have() -> None:
    columns = {"n": Column("int?", "A number.")}
    assert named_items([{"n": None}], columns, None, "study.py") == [
        {"item_id": "i0001", "n": None}
    ]
    assert "n" in pool_schema(columns).columns


def test_a_loop_that_yields_nothing_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Table, "debate", unheard)
    monkeypatch.setattr("dissensus.study.endless.MOST_S", 0.2)
    with pytest.raises(ResourceError) as caught:
        rehearse(sessions_of(Table, tmp_path))
    lines = range(unheard.__code__.co_firstlineno, unheard.__code__.co_firstlineno + 5)
    assert any(str(caught.value).startswith(f"{__file__}, line {line}: ") for line in lines)
    assert "has not ended after 0.2 seconds; a loop must end, and one of debate must" in str(
        caught.value
    )


def test_half_a_character_is_named_with_file_and_item() -> None:
    with pytest.raises(ResourceError) as caught:
        named_items(
            [{"topic": "trees"}, {"topic": "a \ud83d"}], {"topic": text("t")}, None, "a/study.py"
        )
    assert str(caught.value) == (
        "a/study.py: item 2 that items gives ('i0002') has U+D83D in its 'topic', which no prompt "
        "and no file can carry; take it out of what items reads."
    )
