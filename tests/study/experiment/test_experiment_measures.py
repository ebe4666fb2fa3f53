"""An experiment's metrics are those that its own code measures, and its faults are sentences."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

from dissensus.errors import ResourceError
from dissensus.session.protocol import Turn
from dissensus.study.experiment.measures import measure_sessions, rehearse, turns_by_session
from dissensus.study.experiment.outcomes import Outcome
from panel_study import Panel, panel

#: What a measure gives that is another number each time.
NUMBERS = count()


class Heard(Panel):
    """The same, declared in this file, which its faults name."""

    name = "heard"


def metrics_of(replies: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Metrics of sessions by the replies of their judges; one without any failed for good."""
    turns, ended = [], []
    for name, said in replies.items():
        arm = name.split("-")[1]
        ids = {"session_id": name, "draw_id": name[:4], "item_id": "i1", "arm": arm, "side": "for"}
        ended.append({**ids, "complete": bool(said)})
        for number_, words in enumerate(["speech", *said] if said else [], start=1):
            value = None if number_ == 1 or not words.isdecimal() else words
            turn = Turn(number_, "x", "r", "l", "m", words, 0, () if words else ("empty",), None)
            turns.append({**ids, **vars(turn), "value": value, "compliant": value is not None})
    items = {"i1": {"item_id": "i1", "topic": "t", "truth": 1}}
    by_session = turns_by_session(turns, Panel.levels())
    return measure_sessions(panel(Heard), by_session, ended, items)[0]


def test_outcomes_are_measured_by_the_values_of_turns() -> None:
    rows = metrics_of({"d001-long": ["6", "9"], "d001-brief": ["6", "x"], "d002-long": []})
    assert [row["score"] for row in rows] == [7.5, 6.0, None]
    assert [row["topic"] for row in rows] == ["t", "t", "t"]
    assert set(rows[0]) == set(Panel.metrics_schema.columns)


def test_a_warning_is_said_once_with_how_often_it_came(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Heard, "measure", lambda *_: {"score": np.mean([])})
    rows = metrics_of({"d001-long": ["6"], "d001-brief": ["6"], "d002-long": []})
    assert [row["score"] for row in rows] == [None, None, None]
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 2
    assert ": measure warns 2 times: RuntimeWarning: Mean of empty slice" in said[0]


@pytest.mark.parametrize("given", [{"scor": 1.0}, {}, None, {"score": 1.0, "more": 2.0}])
def test_a_measure_that_gives_what_is_not_declared_is_a_sentence(
    given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Heard, "measure", lambda *_: given)
    with pytest.raises(ResourceError, match=r"measure gives .*; outcomes declares score"):
        metrics_of({"d001-long": ["6", "9"]})


def rehearsed(measure: Any, monkeypatch: pytest.MonkeyPatch, *, all_read: bool = False) -> None:
    """Measure a session of which nothing but its speech could be read, or all."""
    monkeypatch.setattr(Heard, "measure", lambda _, turns, item: measure(turns, item))
    ids = {"session_id": "d001-long", "draw_id": "d001", "item_id": "i1"}
    ids |= {"arm": "long", "side": "for"}
    said = [("S", "Oaks", True), ("j1", "?", all_read), ("j2", "?", all_read)]
    turns = [
        {**ids, "turn": number, "speaker": speaker, "text": words, "value": None, "compliant": read}
        | {"role": "speaker" if speaker == "S" else "heard", "round_label": "round 1"}
        for number, (speaker, words, read) in enumerate(said, start=1)
    ]
    rehearse(panel(Heard), [(turns, {"item_id": "i1", "topic": "t", "truth": 1})])


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        (lambda turns, item: {"scor": 1.0}, "measure gives scor; outcomes declares score"),
        (
            lambda turns, item: {"score": item.trith},
            "there is no 'trith'; there are item_id, topic",
        ),
        (
            lambda turns, item: {"score": turns["arm"].iloc[0] == "breif"},
            "'breif' is no arm; there",
        ),
        (lambda turns, item: {"score": (turns["side"] != "fro").sum()}, "'fro' is no side; there"),
        (
            lambda turns, item: {"score": "many"},
            "measure gives score as 'many'; it must be a number",
        ),
        (lambda turns, item: {"score": float("inf")}, "gives score as inf; it must be finite"),
        (
            lambda turns, item: {"score": turns["text"]},
            "score as 0    Oaks 1       ? 2       ? Name: text, dtype: ",
        ),
        (
            lambda turns, item: {"score": next(NUMBERS)},
            "measure gives score as 0.0, and as 1.0 for the same turns; it may use no random",
        ),
        (
            lambda turns, item: {"score": (turns["speaker"] == "j3").sum()},
            "'j3' is no speaker of a session with assumed replies (ask by isin for one that comes "
            "with others); there are S, j1, j2",
        ),
        (
            lambda turns, item: {"score": (turns["role"] != "judge").sum()},
            "(ask by isin for one that comes with others); there are speaker, judges, heard",
        ),
        (lambda turns, item: {"score": turns["valeu"].mean()}, "KeyError: 'valeu'"),
        (lambda turns, item: {"score": turns[turns["turn"] > 9]["vlaue"].sum()}, "'vlaue'"),
        (lambda turns, item: {"score": turns.txet.iloc[0]}, "no attribute 'txet'"),
        (lambda turns, item: {"score": np.maen(turns["turn"])}, "no attribute 'maen'"),
        (lambda turns, item: {"score": lenght(turns)}, "name 'lenght' is not defined"),  # type: ignore[name-defined] # noqa: F821
    ],
)
def test_a_wrong_name_in_a_measure_is_a_sentence_before_any_session(
    measure: Any, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ResourceError) as caught:
        rehearsed(measure, monkeypatch)
    assert sentence in str(caught.value)
    assert f"{__file__}, line " in str(caught.value)


@pytest.mark.parametrize(
    "measure",
    [
        lambda turns, item: {"score": float(turns["value"].iloc[1])},
        lambda turns, item: {"score": turns["value"].iloc[1]["points"]},
        lambda turns, item: {"score": turns["value"].iloc[0].points},
        lambda turns, item: {"score": turns["value"].iloc[1].lower()},
        lambda turns, item: {"score": turns["value"].value_counts()["yes"]},
        lambda turns, item: {"score": {"yes": 1.0}[turns["value"].iloc[0]]},
        lambda turns, item: {"score": turns["value"].iloc[9]},
        lambda turns, item: {"score": 1 / (len(turns) - 3)},
        lambda turns, item: {"score": None},
        lambda turns, item: {"score": float("nan")},
        lambda turns, item: {"score": (turns["role"] == "judges").sum()},
        lambda turns, item: {"score": turns["speaker"].isin(["S", "j3"]).sum()},
        lambda turns, item: {"score": len(turns.groupby("speaker")) + turns.pop("turn").sum()},
    ],
)
def test_replies_that_nobody_gave_need_not_be_measured(
    measure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearsed(measure, monkeypatch)


def test_it_is_said_where_replies_that_could_be_read_cannot_be_measured(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def measure(turns: Any, item: Any) -> Any:
        return {"score": turns[turns["role"] == "judges"]["value"].iloc[0]}

    rehearsed(measure, monkeypatch)
    assert not caplog.messages
    rehearsed(measure, monkeypatch, all_read=True)
    (said,) = caplog.messages
    assert "measure of d001-long ends with IndexError('single positional indexer is out" in said
    assert said.startswith(f"{__file__}, line ") and said.endswith(
        "unless real ones can be measured."
    )


def test_a_share_is_between_none_and_all(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = {"score": Outcome("A share.", is_share=True)}
    monkeypatch.setattr(Heard, "declared_outcomes", staticmethod(lambda: declared))
    monkeypatch.setattr(Heard, "measure", lambda *_: {"score": 1.01})
    with pytest.raises(
        ResourceError, match=r"measure gives score as 1\.01; a share must be from 0"
    ):
        metrics_of({"d001-long": ["6", "9"]})
