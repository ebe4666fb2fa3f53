"""What people read of a run: every output says the same, and no text of others is a mark."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.report.markdown import write_data
from dissensus.run.run_stage import run_function
from dissensus.tables.artefact import read

from ..measures.records import reconstruct_debates
from ..pages.debate import check_debate, debate_data, debate_page, write_debate
from ..pages.memos import memos_page
from ..pages.summary import summary
from ..pages.synthesis import summarise_union, synthesis_page
from ..tables import CONTESTED, DEBATE, LAYERS, RECORDS, VERDICTS
from .union_debates import ORDER
from .union_runs import CONTEST, DEFINITIONS, cells, loaded, make, page_of, scripts


def test_the_verdict_is_the_same_in_every_output(tmp_path: Path) -> None:
    paths = make(tmp_path)
    verdicts = {row["session_id"]: row for row in read(paths["verdicts"], VERDICTS).to_pylist()}
    seen = {(row["winner"], row["decided_by"]) for row in verdicts.values()}
    assert seen == {
        *(("proposition", "panel"), (CONTESTED, "panel")),
        *(("opposition", "annotation"), (CONTESTED, "none")),
    }
    whole = summary(loaded(paths))
    for session, row in verdicts.items():
        judged = {name: value for name, value in row.items() if name not in DEBATE}
        data = debate_data(loaded(paths, session), session)
        assert data["verdict"] == judged
        (summed,) = (one for one in whole["debates"] if one["session_id"] == session)
        assert summed["verdict"] == judged
        text = page_of(paths, session)
        sentence = re.search(r"^\*\*(.+)\*\*$", text, re.MULTILINE)
        assert sentence
        assert ("contested" in sentence[1]) == (row["winner"] == CONTESTED)
        assert (f"The {row['winner']} wins" in sentence[1]) == (row["winner"] != CONTESTED)
        assert (f"is the {row['decided_by']}." in sentence[1]) == (row["decided_by"] != "none")
        for layer, line in zip(LAYERS, cells(text, "Layer"), strict=True):
            assert line[-1] == row[layer]
    counts = {
        name: sum(row[name] for row in whole["epochs"]) for name in ("proposition", CONTESTED)
    }
    assert counts == {"proposition": 1, CONTESTED: 2}
    said = synthesis_page(loaded(paths))
    assert (
        "The proposition won 1 of 4 debates (25%), the opposition 1 (25%), and 2 (50%) were "
        "contested, so that nobody won. Verdicts by the layer that gave them, contested ones among "
        "them: the panel 2 and the annotation 1. No layer decided 1."
    ) in said


def test_the_page_of_a_debate_has_all_of_it_in_its_order(tmp_path: Path) -> None:
    text = page_of(make(tmp_path), "lots-e1-r01-coached")
    places = [
        text.index(part)
        for part in (
            "# This House would draw lots",
            "Simulated models",
            "epoch 1, run 1, arm coached",
            "**The proposition wins; the layer that decided is the panel.**",
            "### Speech 1: Ada, proposition",
            "#### Definitions of the proposition",
            "- lot: a fair draw",
            "### Speech 2: Bo, opposition",
            "#### Point of information from Ada, at argument 2: taken",
            "> Is it?",
            "Bo answers:",
            "> It is.",
            "#### Point of information from Ed, at argument 2: declined",
            "#### What the opposition makes of the definitions",
            "Counter-framing: Who answers.",
            "### Speech 3: Cy, proposition, student",
            "### Speech 6: Flo, opposition",
            "**Scores of the speeches.**",
            "**Claims, and what became of each.**",
            "**Rebuttals.**",
            "**Votes of the judges.**",
        )
    ]
    assert places == sorted(places)
    assert text.count("answers:") == 1
    claims = {row[0]: row for row in cells(text, "Claim")}
    assert claims["1.1"][6:9] == ["2.00", "contested", "Claim 1.1."]
    assert cells(text, "Layer")[1][1:] == ["13.50", "14.00", "opposition"]
    assert cells(text, "Layer")[2][1:] == ["7.00", "6.33", "proposition"]
    assert len(cells(text, "Panel")) == 12
    assert cells(text, "Panel")[3][-1] == "reason 1"


def test_the_data_of_a_debate_are_its_rows(tmp_path: Path) -> None:
    paths, name = make(tmp_path), "lots-e1-r01-coached"
    write_data(tmp_path / "x.json", debate_data(loaded(paths, name), name))
    data = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert data["session"]["order"] == list(ORDER)
    assert data["definitions"] == DEFINITIONS
    assert data["contest"] == CONTEST
    assert data["simulated"] is True
    for record, schema in RECORDS.items():
        rows = read(paths[record], schema).to_pylist()
        mine = [row for row in rows if row["session_id"] == name]
        given_ = data[record] if record != "verdicts" else [data["verdict"]]
        for row, said in zip(mine, given_, strict=True):
            assert said.items() >= {k: v for k, v in row.items() if k not in DEBATE}.items()
    assert [one["reason"] for one in data["votes"]][:2] == ["reason 1", "reason 2"]


def test_a_debate_that_failed_says_so_in_every_output(tmp_path: Path) -> None:
    failed = "lots-e1-r01-control"
    paths = make(tmp_path, failed=[failed])
    text = page_of(paths, failed)
    assert "failed for good: speech 1 was refused \\| \\<b>twice\\</b>" in text
    assert "wins" not in text
    data = debate_data(loaded(paths, failed), failed)
    assert data["complete"] is False
    assert "verdict" not in data
    whole = summary(loaded(paths))
    (row,) = (one for one in whole["debates"] if one["session_id"] == failed)
    assert row["verdict"] is None
    assert row["failure"].startswith("speech 1 was refused")
    (epoch,) = (o for o in whole["epochs"] if (o["arm"], o["epoch"]) == ("control", 1))
    assert (epoch["debates"], epoch["ended"], epoch[CONTESTED]) == (1, 0, 0)
    assert epoch["student_survival"] is None
    said = synthesis_page(loaded(paths))
    assert (
        "Of 4 debates (2 in the arm coached and 2 in the arm control), 3 ended. Failed for good, "
        f"and in nothing below: {failed}."
    ) in said
    assert "won 1 of 3 debates" in said


def test_a_run_of_which_every_debate_failed_still_has_its_pages(tmp_path: Path) -> None:
    names = [row["session_id"] for row, _ in scripts()]
    paths = make(tmp_path, failed=[*names, "lots-e2-memo"])
    run = loaded(paths)
    assert "0 ended" in synthesis_page(run)
    assert "The memo failed for good" in memos_page(run)
    assert summary(run)["speakers"] == []
    json.dumps(summary(run), allow_nan=False)


def test_what_is_no_debate_is_refused_by_a_sentence(tmp_path: Path) -> None:
    run = loaded(make(tmp_path), "lots-e2-memo")
    with pytest.raises(ResourceError) as refused:
        check_debate(run, "lots-e2-memo")
    assert str(refused.value) == (
        "lots-e2-memo is no debate but a memo session; ask for a debate, such as "
        "lots-e1-r01-coached."
    )
    check_debate(run, "lots-e1-r01-control")


def test_memos_are_those_of_each_student_and_epoch(tmp_path: Path) -> None:
    text = memos_page(loaded(make(tmp_path)))
    assert text.count("## This House would draw lots: before epoch 2") == 1
    assert text.index("### To Cy") < text.index("### To Ed")
    for words in ("What worked:\n\n- 3.1", "What failed:\n\n- 5.1", "Advice:\n\n- Begin with 3.1."):
        assert text.count(words) == 2


def test_a_memo_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    text = memos_page(loaded(make(tmp_path, memo="nothing")))
    assert text.count("*The memo could not be read.*") == 2


def test_a_run_without_memos_says_so(tmp_path: Path) -> None:
    run = loaded(make(tmp_path))
    control = {name: row for name, row in run.manifest.items() if row["kind"] != "memo"}
    assert "The run has no memos." in memos_page(replace(run, manifest=control))


def test_speakers_have_the_means_of_their_debates(tmp_path: Path) -> None:
    whole = summary(loaded(make(tmp_path)))
    rows = {(row["arm"], row["speaker"]): row for row in whole["speakers"]}
    assert list(rows)[:6] == [("coached", name) for name in ("Ada", "Cy", "Ed", "Bo", "Di", "Flo")]
    bo = rows["coached", "Bo"]
    # Two golden debates: means 7, recalibrated 6.5; of claims 2.1 and 2.2 none survives.
    assert (bo["speeches"], bo["mean"], bo["recalibrated"]) == (2, 7.0, 6.5)
    assert (bo["claims"], bo["surviving"], bo["survival"]) == (4, 0, 0.0)
    assert (bo["offered"], bo["accepted"], bo["student"]) == (2, 1, False)
    # A golden debate, and one of which judges' replies are missing.
    cy = rows["control", "Cy"]
    assert (cy["speeches"], cy["mean"], cy["survival"], cy["student"]) == (2, 7.0, 1.0, True)


def test_epochs_have_their_verdicts_and_the_students_means(tmp_path: Path) -> None:
    rows = summary(loaded(make(tmp_path)))["epochs"]
    assert [(row["arm"], row["epoch"]) for row in rows] == [
        *(("coached", 1), ("coached", 2), ("control", 1), ("control", 2))
    ]
    assert [row["student_votes"] for row in rows] == [0.666667, None, 0.5, None]
    assert [row["student_survival"] for row in rows] == [0.666667, 0.666667, 0.666667, None]
    assert [row["opposition"] for row in rows] == [0, 1, 0, 0]


def test_the_synthesis_counts_claims_points_and_votes(tmp_path: Path) -> None:
    said = synthesis_page(loaded(make(tmp_path)))
    for sentence in (
        "Both passes of the blind panel have the same majority in 1 of 4 debates (25%).",
        # Pass 1 of the golden panel has two votes for A, pass 2 one; the other panel has six.
        "Of 12 blind votes, 12 could be read, and 75% of these are for slot A.",
        "The annotation has 30 claims: 15 survive, 9 are contested, 6 are demolished.",
        "40% of the proposition's and 60% of the opposition's",
        "Of 30 rebuttals, 18 count.",
        "There are 24 speeches, of 2 words on average; 0 have 1,000 to 1,800 words. Of 2 points "
        "of information, 1 were taken.",
        "The students are Cy and Ed. The mean share of their claims that survives is in the arm "
        "coached 66.7% in epoch 1 and 66.7% in epoch 2 and in the arm control 66.7% in epoch 1.",
    ):
        assert sentence in said, said
    assert cells(said, "Layer") == [
        ["Panel", "1", "0", "1", "2", "1 of 1"],
        ["Annotation", "0", "3", "0", "1", "0 of 1"],
        ["Rubric", "3", "0", "0", "1", "1 of 1"],
        ["Audit", "0", "3", "0", "1", "0 of 1"],
    ]


@pytest.mark.parametrize("simulated", [True, False])
def test_pages_say_that_models_are_simulated_where_they_are(
    tmp_path: Path, simulated: bool
) -> None:
    name = "lots-e1-r01-coached"
    run = loaded(make(tmp_path), name, simulated)
    memos = replace(run, turns=loaded(make(tmp_path)).turns)
    for text in (debate_page(run, name), memos_page(memos), synthesis_page(run)):
        assert ("simulated" in text.lower()) is simulated
    assert summary(run)["simulated"] is debate_data(run, name)["simulated"] is simulated


def test_the_tables_are_those_that_the_stage_makes_of_the_turns(tmp_path: Path) -> None:
    inputs = {name: str(path) for name, path in make(tmp_path, scripts()[1:]).items()}
    made = {name: str(tmp_path / f"again/{name}.parquet") for name in RECORDS}
    protocol = {"points": True, "points_a_speech": 2, "accepted": 0.45, "accepted_late": 0.3}
    # Of every shard; here there is one.
    of_shards = {**inputs, "turns": [inputs["turns"]]}
    settings = {"layers": list(LAYERS), "protocol": protocol}
    run_function(reconstruct_debates, of_shards, made, settings, {})
    for name, schema in RECORDS.items():
        assert read(made[name], schema) == read(inputs[name], schema)


def test_the_stages_write_the_same_bytes_each_time(tmp_path: Path) -> None:
    inputs = make(tmp_path)
    bytes_: list[list[bytes]] = []
    for n in range(2):
        folder = tmp_path / str(n)
        names = ("summary.json", "memos.md", "synthesis.md")
        whole = {Path(name).stem: folder / name for name in names}
        debate = {"page": folder / "debate.md", "data": folder / "debate.json"}
        run_function(summarise_union, inputs, whole, {}, {}, simulated=True)
        session = {"session": "lots-e1-r01-coached"}
        run_function(write_debate, inputs, debate, session, {}, simulated=True)
        bytes_.append([path.read_bytes() for path in (*whole.values(), *debate.values())])
    assert bytes_[0] == bytes_[1]
    assert all(bytes_[0])
