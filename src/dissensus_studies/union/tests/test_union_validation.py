"""The source's own debates: how they are read, and that what is made of them is counted right."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from dissensus.report.claims.published import OPEN, Claimed, Published
from dissensus.validation.sources import Data, at_hand
from dissensus_studies.union import published, published_judging, validation

EXPORT = """
{line}
Student Speaker (Prop 2) (PROPOSITION)
Position: 1/6 · 5 words · Tone: calm
{line}
Machines count well, I say.

  [POI from Dr Other — ACCEPTED]
  "Do they?"
  → They do.

  [POI from Dr Other — DECLINED]
  "Always?"

{line}
Dr Other (OPPOSITION)
Position: 2/6 · 4 words · Tone: firm
{line}
They do not, madam.

{double}
THE DIVISION
{double}

Result: OPPOSITION (NO) by a narrow margin

  Student Speaker (Prop 2) (PROP): Arg=8 Reb=5 Evd=8 Rht=9 Per=7 → OVR=8/10
  Dr Other (OPP): Arg=6 Reb=7 Evd=8 Rht=9 Per=8 → OVR=7/10

  Judge 1: NO (confidence: 0.85)
    Reason: none
  Judge 2: AYE (confidence: 0.60)

  CLAIMS:
    [prop_1_a] Student Speaker (Prop 2) (PROP) [evidence_backed, specific] ✗ DEMOLISHED
      Machines count.
    [opp_1_a] Dr Other (OPP) [assertion, generic] ✓ SURVIVES
      They do not.

    Dr Other → [prop_1_a] (direct, logical_flaw)
      Addresses logic: ✓  New info: ✗  Undermines: ✓
      They miscount.

    PROPOSITION: 0.0 pts
      Surviving claims: 0/1 (claim score: 0.0)
      Successful rebuttals of Opp: 0.0 pts
      Claims demolished by Opp: 1

    OPPOSITION: 3.0 pts
      Surviving claims: 1/1 (claim score: 1.0)
      Successful rebuttals of Prop: 2.0 pts
      Claims demolished by Prop: 0
"""
POINT = {
    **{"cluster": 3, "claim_type": "assertion", "specificity": "generic", "claim_id": "a"},
    **{"speaker_name": "Student Speaker (Prop 2)", "side": "proposition", "run_number": 1},
    **{"epoch": 1, "ensemble": "first", "winner": "OPPOSITION", "engagement_winner": None},
    **{"survived": True, "was_rebutted": False, "was_demolished": False, "n_rebuttals": 0},
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "export").mkdir()
    (tmp_path / "docs").mkdir()
    text = EXPORT.format(line="─" * 50, double="=" * 80)
    (tmp_path / "export/16_made_up.txt").write_text(text, "utf-8")
    (tmp_path / "docs/viz_data.json").write_text(json.dumps({"points": [POINT]}), "utf-8")
    return tmp_path


def test_an_export_is_read_as_figures_without_names_or_words(repository: Path) -> None:
    made = published.figures(repository)
    (debate,) = made[published.DEBATES].to_dict("records")
    assert (debate["winner"], debate["margin"]) == ("opposition", "narrow")
    assert (debate["points_opposition"], debate["claims_opposition"]) == ("3.0", "1.0")
    first, second = made[published.SPEECHES].to_dict("records")
    assert first["student"] and not second["student"] and first["words"] == 5
    assert made[published.POINTS]["accepted"].tolist() == [True, False]
    assert made[published.POINTS]["by"].tolist() == [2, 2]
    assert made[published.CLAIMS]["survives"].tolist() == [False, True]
    (rebuttal,) = made[published.REBUTTALS].to_dict("records")
    assert (rebuttal["claim"], rebuttal["speech"], rebuttal["logic"], rebuttal["new"]) == (
        *("prop_1_a", 2, True, False),
    )
    assert made[published.VOTES]["side"].tolist() == ["opposition", "proposition"]
    for frame in made.values():
        assert (
            not frame.astype(str)
            .map(lambda cell: "Other" in cell or "miscount" in cell)
            .any(axis=None)
        )


def test_a_debate_goes_through_the_studys_own_judging(repository: Path) -> None:
    """3 + 1, halved since it is demolished; 1, halved as the last speech's; 2 for the rebuttal."""
    figures = {name: frame.astype(str) for name, frame in published.figures(repository).items()}
    tables = published_judging.judged(published_judging.Source(Data(repository, {}, figures)))
    (verdict,) = tables.verdicts
    assert (verdict["points_proposition"], verdict["points_opposition"]) == (2.0, 2.5)
    assert verdict["annotation"] == "opposition" and verdict["panel"] == "none"
    assert [row["fate"] for row in tables.claims] == ["demolished", "survives"]
    assert [row["accepted"] for row in tables.points] == [True, False]
    assert [row["words"] for row in tables.speeches] == [5, 4]
    assert [row["mean"] for row in tables.scores] == [7.4, 7.6]


def test_turns_are_speeches_without_what_stands_behind_them(repository: Path) -> None:
    first, second = published.turns(repository)
    assert first["text"] == "Machines count well, I say."
    assert second["text"] == "They do not, madam." and second["speaker"] == "S2"


def test_all_differences_of_points_are_accounted_for() -> None:
    (section,) = validation.sections(at_hand([], {}))
    scores = [line for line in section.lines if "points of the" in line.quantity]
    assert len(scores) == 18 and all(line.why != OPEN for line in scores)
    winners = [line for line in section.lines if "tally of" in line.quantity]
    assert [line.holds for line in winners if isinstance(line, Claimed)].count(False) == 1


def test_what_is_said_of_the_source_is_counted_from_its_rows_alone() -> None:
    """With frames, and none of the study's code."""
    data = at_hand([], {})
    debates, map_ = data.figures(published.DEBATES), data.figures(published.MAP)
    first = debates[(debates["debate"].astype(int) <= 15) & (debates["winner"] != "")]
    assert len(first) == 14 and (first["winner"] == "opposition").sum() == 11
    assert len(map_) == 639 and map_.loc[map_["cluster"] != "-1", "cluster"].nunique() == 35
    coached = map_[map_["ensemble"] == "1"].assign(survived=lambda f: f["survived"] == "True")
    shares = coached.groupby(["student", "epoch"])["survived"].mean().round(3)
    assert shares["True"].tolist() == [0.838, 0.81, 0.85, 0.917]
    assert shares["False"].tolist() == [0.976, 0.944, 0.976, 0.988]
    rebuttals = data.figures(published.REBUTTALS)
    assert ((rebuttals["level"] == "direct") == (rebuttals["logic"] == "True")).all()
    # What the exports credit for rebuttals is two for each that undermines.
    undermine = rebuttals[rebuttals["undermines"] == "True"].groupby("debate").size()
    credited = debates.set_index("debate")["rebuttals_opposition"]
    credited = pd.to_numeric(credited[credited != ""])
    assert (credited == 2 * undermine.reindex(credited.index).fillna(0)).all()


def test_margins_and_winners_of_panels_are_as_printed() -> None:
    (section,) = validation.sections(at_hand([], {}))
    panels = [line for line in section.lines if line.quantity.startswith("Panels")]
    assert len(panels) == 2
    assert all(isinstance(line, Published) and line.is_equal for line in panels)


def test_a_folder_without_debates_is_a_sentence_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "turns.csv"
    assert published.main([str(tmp_path), str(table)]) == 1
    assert f"{tmp_path}/export has no debates; name the folder" in capsys.readouterr().err
    assert not table.exists()
