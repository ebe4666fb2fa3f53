"""DeliData's groups: what its rows become, and what they count apart from our measures."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from dissensus.validation.sources import at_hand
from dissensus_studies.debates import validation

HEADER = (
    "group_id\tmessage_id\tmessage_type\torigin\toriginal_text\tteam_performance\tsol_tracker_all"
)


def corpus(folder: Path) -> Path:
    """One group: Cat has the right cards at last, and says something with a quotation mark."""
    place = folder / "delitoolkit/delidata_corpus"
    place.mkdir(parents=True)
    (place / "__init__.py").touch()
    first, last = {"Cat": ["2", "A"], "Dog": []}, {"Cat": ["7", "A"], "Dog": []}
    rows = [
        ("INITIAL", "SYSTEM", "Cat,Dog&&2,7,V,A", "0.5", first),
        ("MESSAGE", "Cat", 'so "7 too', "0.75", last),
        ("SUBMIT", "Cat", "A,7", "0.75", last),
    ]
    lines = [HEADER] + [
        "\t".join(("g", "-", kind, who, said, score, json.dumps(state)))
        for kind, who, said, score, state in rows
    ]
    (place / "g").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def test_rows_keep_who_had_which_cards_when_and_no_word(tmp_path: Path) -> None:
    made = validation.figures(corpus(tmp_path))
    turns = made[validation.TURNS]
    assert [*turns.itertuples(index=False, name=None)] == [
        (1, 1, 1, "first", "2A", "7A", ""),
        (1, 2, 2, "first", "none", "7A", ""),
        (1, 3, 1, "said", "7A", "7A", ""),
        (1, 4, 1, "submitted", "7A", "7A", ""),
    ]
    (group,) = made[validation.GROUPS].to_dict("records")
    assert group == {
        **{"group": 1, "id": "g", "cards": "27AV", "right": "7A", "people": 2},
        **{"score_first": "0.5", "score_last": "0.75"},
    }


@given(st.permutations(["E", "K", "4", "9"]))
def test_right_are_the_vowel_and_the_odd_number(cards: list[str]) -> None:
    assert sorted(validation.right_of("".join(cards))) == ["9", "E"]


def test_the_published_counts_come_from_rows_alone() -> None:
    """Counted with frames: no measure of the project is used."""
    data = at_hand([], {})
    turns, groups = data.figures(validation.TURNS), data.figures(validation.GROUPS)
    assert len(groups) == 500 and (turns["kind"] == "said").sum() == 14003
    assert (groups["score_last"].astype(float) > groups["score_first"].astype(float)).sum() == 318
    vowel_and_odd = groups["cards"].str.replace("[^AEIOU13579]", "", regex=True)
    right = turns["cards"] == turns["group"].map(
        dict(zip(groups["group"], vowel_and_odd, strict=True))
    )
    began = right[turns["kind"] == "first"].groupby(turns["group"]).any()
    for rows, ended, found in ((turns, 226, 94), (turns[turns["kind"] == "submitted"], 220, 95)):
        last = right[rows.index].groupby([rows["group"], rows["person"]]).last()
        ends = last.groupby("group").any()
        assert ends.sum() == ended
        assert (ends & ~began.reindex(ends.index)).sum() == found


def test_the_section_has_the_means_that_are_known() -> None:
    (section,) = validation.sections(at_hand([], {}))
    here = {line.quantity: round(line.here, 3) for line in section.lines}
    assert here["Mean right_first"] == 0.092 and here["Mean right_last"] == 0.272
    assert here["Mean gain"] == 0.213


def test_performance_is_the_share_of_cards_that_are_decided_rightly() -> None:
    """The corpus' own score of a group, made again from the cards in mind: so these are whole."""
    data = at_hand([], {})
    turns, groups = data.figures(validation.TURNS), data.figures(validation.GROUPS)
    merged = turns[turns["kind"] == "first"].merge(groups, on="group", suffixes=("", "_of"))

    def share(row: pd.Series) -> float:
        right = validation.right_of(row["cards_of"])
        return sum((c in row["cards"]) == (c in right) for c in row["cards_of"]) / 4

    made = merged.assign(share=merged.apply(share, axis=1)).groupby("group")["share"].mean()
    printed = groups.set_index("group")["score_first"].astype(float)
    assert ((made - printed).abs() <= 0.00051).mean() > 0.98
