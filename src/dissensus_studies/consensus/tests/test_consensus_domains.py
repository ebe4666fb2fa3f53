"""The domains that ship, and what is said of folders that cannot be used."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import pytest

from dissensus.errors import ResourceError

from ..design import draw
from ..domains import collect, read_domain, read_statements
from ..scale import names_label, read_truth, trust
from ..wording import LEARNED
from .consensus_runs import FOLDERS, drawn_by, statements, study

AGENTS = """where: the town of Ferry
place: Ferry
agents:
  - id: rider
    system: You ride the bus.
    interview: [{question: "Who are you?", answer: "I ride the bus."}]
  - id: driver
    system: You drive the bus.
    interview: [{question: "Who are you?", answer: "I drive the bus."}]
"""
STATEMENTS = """statement_id,split,statement,truth,truth_source
1,train,Buses should be free.,Agree,a survey of 2020
2,held_out,"Trams, not buses.",Neutral to Agree,ours
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agents.yaml").write_text(AGENTS, "utf-8")
    (tmp_path / "statements.csv").write_text(STATEMENTS, "utf-8")
    return tmp_path


@pytest.mark.parametrize(("name", "agents"), [("city", 4), ("politics", 5)])
def test_a_domain_that_ships_has_what_the_study_needs(name: str, agents: int) -> None:
    domain, rows = read_domain(FOLDERS[name]), read_statements(name, FOLDERS[name])
    assert len(domain.agents) == agents
    assert {len(agent.interview) for agent in domain.agents} == {5}
    for split in ("train", "held_out"):
        own = [row for row in rows if row["split"] == split]
        assert len(own) == 24
        # Sets are among the truths, and all five labels.
        assert any(row["truth_low"] < row["truth_high"] for row in own)
        assert {p for row in own for p in (row["truth_low"], row["truth_high"])} == set(range(5))
        always = sum(row["truth_low"] <= 3 <= row["truth_high"] for row in own) / len(own)
        assert 0.3 < always < 0.6
    assert all("fictional" in row["truth_source"] for row in rows)


def test_a_folder_of_the_readers_own_is_drawn_from(folder: Path) -> None:
    both = {"splits": ["train", "held_out"], "statements": None}
    made = study(domains={"bus": str(folder)}, arms={"debate": "debate"}, **both)
    rows = {row["statement_id"]: row for row in read_statements("bus", folder)}
    manifest = draw(rows, drawn_by(made), 1)
    assert {row["statement_id"] for row in manifest} == {"bus-1", "bus-2"}
    assert {row["agents"] for row in manifest} == {2}
    assert (rows["bus-2"]["truth_low"], rows["bus-2"]["truth_high"]) == (2, 3)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1,train", "1,trian", "row 2: split holds 'trian'; it may be train or held_out."),
        ("Agree,a survey", "Mixed,a survey", "row 2: truth holds 'Mixed'; it may be one of"),
        ("Neutral to Agree", "Agree to Neutral", "row 3: truth holds 'Agree to Neutral'"),
        ("Agree,a survey of 2020", "Agree,", "row 2: truth_source is empty; fill it in."),
        ("2,held_out", "1,held_out", "row 3: its statement_id stands in row 2 already"),
        ('"Trams, not buses."', "buses should be FREE", "row 3: its statement stands in row 2"),
        ("2,held_out", "2/3,held_out", "row 3: statement_id holds '2/3'; it may have plain"),
    ],
)
def test_a_broken_table_is_one_sentence_with_its_row(
    folder: Path, old: str, new: str, said: str
) -> None:
    path = folder / "statements.csv"
    assert old in STATEMENTS
    path.write_text(STATEMENTS.replace(old, new, 1), "utf-8")
    with pytest.raises(ResourceError) as caught:
        read_statements("bus", folder)
    assert str(caught.value).startswith(f"{path}, {said}")
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("id: driver", "id: rider", "line 7: agents.1.id holds 'rider'; another agent has"),
        ("place: Ferry\n", "", "place is missing"),
        ("id: driver", "id: bus driver", "line 7: agents.1.id holds 'bus driver'"),
        ("system: You drive", "sistem: You drive", "line 7: agents.1.system is missing"),
    ],
)
def test_broken_agents_are_one_sentence_with_their_line(
    folder: Path, old: str, new: str, said: str
) -> None:
    path = folder / "agents.yaml"
    path.write_text(AGENTS.replace(old, new, 1), "utf-8")
    with pytest.raises(ResourceError) as caught:
        read_domain(folder)
    first = str(caught.value).split("\n")[0]
    assert first.startswith(str(path)) and said in first


def said_of(folder: Path, text: str) -> str:
    (folder / "agents.yaml").write_text(text, "utf-8")
    with pytest.raises(ResourceError) as caught:
        read_domain(folder)
    return str(caught.value).split("\n")[0].partition(": ")[2]


def test_an_empty_file_one_agent_and_a_name_are_plain_sentences(folder: Path) -> None:
    assert said_of(folder, "") == "it is empty; it must be a block of settings."
    one = "where: a town\nplace: Ferry\nagents:\n  id: rider\n  system: You ride.\n"
    assert said_of(folder, one) == (
        "agents holds a block (id, system); it must be a list, each entry after a dash, even if "
        "there is one."
    )
    assert said_of(folder, AGENTS.replace("id: rider", "id: the rider")) == (
        "agents.0.id holds 'the rider'; it may have letters, digits, - and _, a letter first, and "
        "40 characters at most."
    )
    blank = AGENTS.replace("place: Ferry", 'place: " "')
    assert said_of(folder, blank).endswith("it must be one line, no space before or after it.")


@pytest.mark.parametrize("name", ["Bäcker", "面包师", "ngo-2", "Ñandú_x"])
def test_letters_of_any_script_may_be_in_an_agents_name(folder: Path, name: str) -> None:
    (folder / "agents.yaml").write_text(AGENTS.replace("id: rider", f"id: {name}"), "utf-8")
    assert read_domain(folder).names == [name, "driver"]


def test_what_one_domain_holds_out_may_not_train_another(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("agents.yaml", "statements.csv"):
        shutil.copy(folder / name, other)
    path, swap = other / "statements.csv", {"train": "held_out", "held_out": "train"}
    text = re.sub("train|held_out", lambda split: swap[split[0]], path.read_text("utf-8"))
    path.write_text(text.replace("Buses should be free.", "buses should be FREE"), "utf-8")
    said = (
        r"bus-2 is held_out, and .*other/statements.csv has the same statement as tram-2 in train"
    )
    with pytest.raises(ResourceError, match=said):
        collect({"domains": {"bus": str(folder), "tram": str(other)}}, 1)
    # The same folder twice holds out what it holds out.
    collect({"domains": {"bus": str(folder), "again": str(folder)}}, 1)


def test_more_statements_than_there_are_is_a_sentence(folder: Path) -> None:
    made = study(domains={"bus": str(folder)}, statements=2, arms={"debate": "debate"})
    rows = {row["statement_id"]: row for row in read_statements("bus", folder)}
    with pytest.raises(ResourceError, match=r"has 1 statements of held_out.*wants 2"):
        draw(rows, drawn_by(made), 1)


def test_every_arm_has_the_same_statements_agents_and_order() -> None:
    made = study()
    everything = draw(statements(), drawn_by(made), 3)
    manifest = [row for row in everything if row["kind"] == "debate"]
    draws = {row["draw_id"] for row in manifest}
    assert len(draws) == 18 and len(manifest) == 18 * len(made.settings.arms)
    for draw_id in draws:
        own = [row for row in manifest if row["draw_id"] == draw_id]
        assert len({(row["statement_id"], *row["order"], row["rounds"]) for row in own}) == 1
        assert {row["arm"] for row in own} == set(made.settings.arms)
        assert len({row["seed"] for row in own}) == len(own)
        # What learns waits for its examples alone; all others take turns.
        late = [row["position"] for row in own if row["strategy"] in LEARNED]
        assert late == [1] * 8
        others = sorted(row["position"] for row in own if row["strategy"] not in LEARNED)
        assert others == list(range(1, len(own) - 7))
    # A further statement leaves the draws that there are as they were.
    more = draw(statements(), {**drawn_by(made), "statements": 10}, 3)
    assert [row for row in more if row["draw_id"] in draws] == manifest
    rest = [row for row in everything if row["kind"] != "debate"]
    assert rest == [row for row in more if row["kind"] != "debate"]


def test_preferences_labels_and_trust() -> None:
    assert read_truth("Neutral to Strongly agree") == [2, 3, 4]
    assert read_truth("agree") == [3] and not read_truth("Agree to Agree")
    for leak in ("AGREE!", "dis\u200bagree", "the answer: \uff21gree", "strongly\n agree"):
        assert names_label(leak, [3]), leak
    assert names_label("Neutral ground", [2, 3]) == "Neutral"
    assert not names_label("Facts speak for it.", [3, 4])
    # As Chen, Saha and Bansal (2024) recalibrate, at the ends of their steps.
    steps = {0.0: 0.1, 0.6: 0.1, 0.61: 0.3, 0.79: 0.3, 0.8: 0.5, 0.9: 0.8, 0.99: 0.8, 1.0: 1.0}
    assert {confidence: trust(confidence) for confidence in steps} == steps


def test_the_tables_that_ship_are_plain_csv() -> None:
    for folder in FOLDERS.values():
        with (Path(folder) / "statements.csv").open(encoding="utf-8", newline="") as file:
            assert all(None not in row and all(row.values()) for row in csv.DictReader(file))
