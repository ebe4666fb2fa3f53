"""Rows come in the order in which turns were said, or are refused; none counts twice unseen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import ResourceError

from ..measures import measure
from ..turns import ImportedTable, read_table

Rows = Sequence[Mapping[str, Any]]


def table_of(folder: Path, rows: Rows, columns: Mapping[str, str | None] | None = None,
             always: Mapping[str, str] | None = None) -> ImportedTable:  # fmt: skip
    """A table of rows of a session "s" whose speaker "a" is no person."""
    path = folder / "turns.jsonl"
    first = {"session": "s", "speaker": "a", "person": False, "text": "So."}
    path.write_text("".join(json.dumps({**first, **row}) + "\n" for row in rows))
    return read_table(path, columns or {}, always or {})


def texts(table: ImportedTable) -> list[str]:
    return [turn.text for session in table.sessions for turn in session.turns]


def test_rounds_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    """Else the last value would be the first, and who is convinced would be seen to fall away."""
    rows = [
        {"round": 2, "text": "I see now.", "value": "yes"},
        {"round": 1, "text": "I say no.", "value": "no"},
        {"round": 2, "text": "Yes.", "value": "yes", "speaker": "b"},
        {"round": 1, "text": "So it is.", "value": "yes", "speaker": "b"},
    ]
    (session,) = table_of(tmp_path, rows).sessions
    assert [turn.text for turn in session.turns] == ["I say no.", "So it is.", "I see now.", "Yes."]
    assert [turn.number for turn in session.turns] == [1, 2, 3, 4]
    turns = [turn._asdict() for turn in session.turns]
    assert measure(turns, [], [], None, "yes")["gain"] == 0.5


@given(st.permutations([(n, who) for n in (1, 2, 3) for who in "ab"]))
def test_any_order_of_rows_gives_the_same_rounds(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("rounds")
    held = table_of(folder, [{"round": n, "speaker": who, "text": f"{n}{who}"} for n, who in rows])
    said = texts(held)
    assert [text[0] for text in said] == [*"112233"]
    # Within a round, the rows' own order stays.
    for n in "123":
        among = [f"{number}{who}" for number, who in rows if str(number) == n]
        assert [text for text in said if text[0] == n] == among


def test_rounds_in_words_and_times_put_rows_in_order_too(tmp_path: Path) -> None:
    labelled = [{"round_label": f"round {n}", "text": str(n)} for n in (10, 2, 9)]
    assert texts(table_of(tmp_path, labelled)) == ["2", "9", "10"]
    times = ["2026-03-04T10:02:00Z", "2026-03-04T10:01:30+00:00", "2026-03-04T11:01:00+01:00"]
    rows = [{"time": time, "text": str(n)} for n, time in enumerate(times)]
    assert texts(table_of(tmp_path, rows)) == ["2", "1", "0"]
    numbers = [{"time": time, "text": str(time)} for time in (1000, 200, 30)]
    assert texts(table_of(tmp_path, numbers)) == ["30", "200", "1000"]
    # Times that are not all read, or by different clocks, say nothing.
    for other in ("at noon", "2026-03-04T09:00:00"):
        rows = [{"time": times[0], "text": "first"}, {"time": other, "text": "second"}]
        assert texts(table_of(tmp_path, rows)) == ["first", "second"]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [{"round": 2}, {"round": 1, "text": "A"}, {"text": "B"}],
            "line 2: round 1 of the session 's' comes after round 2 in ",
        ),
        (
            [{"turn": 1, "round": 1}, {"turn": 2, "round": 1, "speaker": "b"},
             {"turn": 1, "round": 2, "speaker": "b"}, {"turn": 2, "round": 2}],
            "line 2: round 1 of the session 's' comes after round 2 in ",
        ),
        ([{"turn": 1}, {"text": "B"}], "line 2: the turn is empty, and other rows of the session"),
        ([{"round": 1}, {"round": 1}], "line 2: it has what "),
        ([{"time": "9:00"}, {"time": "9:00"}], "line 2: it has what "),
        ([{"turn": 1}, {"turn": 1}], "line 2: 'a' speaks in turn 1 of the session 's', and in "),
    ],
    ids=["some rounds", "turns in a round", "some turns", "one round", "one time", "one turn"],
)  # fmt: skip
def test_rows_that_contradict_each_other_are_refused(
    tmp_path: Path, rows: Rows, sentence: str
) -> None:
    with pytest.raises(ResourceError) as caught:
        table_of(tmp_path, rows)
    assert sentence in str(caught.value)


def test_rows_that_are_there_twice_are_named(tmp_path: Path) -> None:
    table = table_of(tmp_path, [{"text": "Yes."}, {"text": "No."}, {"text": "Yes."}])
    assert [[place.rpartition(", ")[2] for place in pair] for pair in table.twice] == [
        ["line 3", "line 1"]
    ]
    assert texts(table) == ["Yes.", "No.", "Yes."]


def test_columns_called_like_fields_count_beside_those_that_are_named(tmp_path: Path) -> None:
    rows = [{"arm": "x", "who": "b", "score": 3, "value": "no", "value_json": '"yes"'}]
    (session,) = table_of(tmp_path, rows, {"speaker": "who"}).sessions
    assert (session.fields["arm"], session.turns[0].speaker) == ("x", "b")
    assert session.turns[0].value == '"yes"'
    # A column that is named for a field counts for it alone, and one can be left out.
    columns = {"item": "arm", "score": None, "value": "value"}
    (session,) = table_of(tmp_path, rows, columns).sessions
    assert (session.fields["arm"], session.fields["item"]) == (None, "x")
    assert (session.fields["score"], session.turns[0].value) == (None, '"no"')
    (session,) = table_of(tmp_path, rows, {}, {"arm": "y"}).sessions
    assert session.fields["arm"] == "y"


def test_a_partial_mapping_says_what_is_lacking(tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    path.write_text("id,who,text\na,x,one\n")
    with pytest.raises(ResourceError) as caught:
        read_table(path, {"session": "id"}, {})
    assert str(caught.value) == (
        f"{path}: no column is called 'speaker'; say what it is called with --column speaker=...: "
        "there are 'id', 'who', 'text'."
    )
    with pytest.raises(ResourceError, match="or name all turns' with --always session="):
        read_table(path, {"speaker": "who"}, {})
    (session,) = read_table(path, {"speaker": "who"}, {"session": "only"}).sessions
    assert session.source == "only"


def test_a_column_may_stand_within_another(tmp_path: Path) -> None:
    rows = [{"meta": {"arm": "x", "inner": {"vote": 3}}, "a.b": "y"}, {"meta": {"arm": "x"}}]
    columns = {"arm": "meta.arm", "value": "meta.inner.vote", "role": "a.b"}
    (session,) = table_of(tmp_path, rows, columns).sessions
    assert session.fields["arm"] == "x"
    assert [(turn.value, turn.role) for turn in session.turns] == [("3", "y"), (None, "")]
    with pytest.raises(ResourceError, match=r"the column 'meta\.none' is missing"):
        table_of(tmp_path, rows, {"arm": "meta.none"})
