"""The identity study's settings: what a valid block is, and one sentence for each wrong one."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import SettingError
from dissensus.settings import validate

from ..design.graph import peers_in, read_peers, write_peers
from ..settings import IdentitySettings

BLOCK: dict[str, Any] = {
    "banks": {
        "choice": {"format": "dissensus", "source": "resources/questions/choice.csv"},
        "gpqa": {"format": "gpqa", "source": "datasets:Idavidrein/gpqa/gpqa_diamond:train"},
    },
    "agents": 5,
    "rounds": 2,
    "shard": 26,
    "teams": {
        "deferring": {"model": "m"},
        "stubborn": {"model": "n", "graph": "full", "banks": ["choice"]},
    },
    "prompts": "studies/identity/prompts/debate.yaml",
    "personas": "studies/identity/prompts/personas.yaml",
    "protocol": {
        "temperature": 1.0,
        "top_p": 0.9,
        "max_tokens": 2048,
        "repairs": 0,
        "session_attempts": 3,
        "session_deadline_s": None,
    },
    "inference": {
        "confidence": 0.95,
        "resamples": 2000,
        "goodness_resamples": 99,
        "equivalence_margin": 0.02,
        "ibc_noise": 0.1,
    },
    "diagnosis": {"replicates": 200, "questions": 272},
}


def study(**changes: Any) -> IdentitySettings:
    return validate(IdentitySettings, BLOCK | changes, "", "identity.")


def team(**changes: Any) -> dict[str, Any]:
    return {"deferring": {"model": "m", **changes}}


def test_a_valid_block_is_read_with_its_defaults():
    read = study()
    assert read.teams["deferring"].graph == "ring"
    assert not read.teams["deferring"].personas
    assert read.banks["choice"].questions is None
    assert read.teams["deferring"].debates("gpqa")
    assert not read.teams["stubborn"].debates("gpqa")


def test_the_files_that_must_be_there_leave_the_hub_out():
    assert study().files() == {
        "prompts": "studies/identity/prompts/debate.yaml",
        "personas": "studies/identity/prompts/personas.yaml",
        "banks.choice.source": "resources/questions/choice.csv",
    }


def test_what_a_second_file_sets_to_null_is_left_out():
    block = deepcopy(BLOCK)
    block["teams"]["stubborn"] = None
    block["banks"]["gpqa"] = None
    read = validate(IdentitySettings, block, "", "identity.")
    assert list(read.teams) == ["deferring"]
    assert list(read.banks) == ["choice"]


def test_a_graph_may_be_given_agent_by_agent_with_texts_for_numbers():
    graph = {"1": ["2"], 2: [1, 3], "3": [1]}
    read = study(agents=3, teams=team(graph=graph))
    assert read.teams["deferring"].graph == {1: [2], 2: [1, 3], 3: [1]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"teams": team(controls=["blind"])},
            r"teams\.deferring\.controls\.0 holds 'blind'; it may be one of 'again'",
        ),
        ({"teams": team(controls=["own", "own"])}, r"teams\.deferring\.controls holds "),
        ({"teams": team(graph="circle")}, r"teams\.deferring\.graph holds 'circle'; it may be one"),
        ({"teams": team(graph={1: [2]})}, r"graph holds {1: \[2\]}; agent 2 of 5 needs"),
        ({"teams": team(graph={1: 2})}, r"graph holds {1: 2}; it may be ring, full, star, or"),
        ({"teams": team(graph={1.5: [2]})}, r"graph holds {1\.5: \[2\]}; it may be ring"),
        ({"teams": team(graph=3)}, r"teams\.deferring\.graph holds 3; it may be ring"),
        ({"teams": team(banks=["mmlu"])}, r"banks holds 'mmlu'; banks has choice, gpqa"),
        ({"teams": team(banks=[])}, r"teams\.deferring\.banks holds \[\]; it needs at least 1"),
        ({"teams": {"a_b": {"model": "m"}}}, r"identity\.teams\.a_b cannot be a name"),
        ({"teams": {}}, r"identity\.teams holds {}; it needs at least 1 entry"),
        ({"agents": 1}, r"identity\.agents holds 1; it must be at least 2"),
        ({"rounds": 0}, r"identity\.rounds holds 0; it must be at least 1"),
    ],
)
def test_a_wrong_setting_is_named_with_its_value_and_the_mend(changes, message: str):
    with pytest.raises(SettingError, match=message) as caught:
        study(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("questions.xlsx", "it must end with one of .csv, .jsonl, .json, .parquet, or begin with"),
        ("datasets:", "it must be datasets:<hub name>"),
        ("datasets:a/b/c/d", "it must be datasets:<hub name>"),
    ],
)
def test_a_wrong_source_is_told_when_the_configuration_is_read(source: str, message: str):
    with pytest.raises(SettingError, match=r"identity\.banks\.b\.source holds") as caught:
        study(banks={"b": {"format": "mmlu", "source": source}}, teams=team())
    assert message in str(caught.value)


def test_names_that_would_share_ids_are_refused():
    banks = dict.fromkeys(("b-c", "c"), BLOCK["banks"]["choice"])
    teams = {"a": {"model": "m"}, "a-b": {"model": "m"}}
    with pytest.raises(SettingError, match="a-b-c would name sessions of team 'a' too"):
        study(banks=banks, teams=teams)
    apart = {"a": {"model": "m", "banks": ["c"]}, "a-b": {"model": "m"}}
    assert study(banks=banks, teams=apart)


def test_graphs_with_names():
    assert peers_in("ring", 5) == ((2,), (3,), (4,), (5,), (1,))
    assert peers_in("full", 3) == ((2, 3), (1, 3), (1, 2))
    assert peers_in("star", 4) == ((2, 3, 4), (1,), (1,), (1,))
    assert write_peers(peers_in("ring", 5)) == "2|3|4|5|1"
    assert write_peers(peers_in("star", 3)) == "2+3|1|1"
    assert read_peers("") == ()


@pytest.mark.parametrize(
    "graph",
    [
        {1: [2], 2: [2]},
        {1: [2, 2], 2: [1]},
        {1: [3], 2: [1]},
        {1: [2], 2: [0]},
        {1: [2], 2: []},
        {1: [2], 2: [1], 3: [1]},
    ],
)
def test_a_graph_in_which_somebody_sees_nobody_or_itself_is_refused(graph):
    with pytest.raises(ValueError, match=r"agent|must"):
        peers_in(graph, 2)


@given(st.data(), st.integers(2, 7))
def test_a_graph_survives_its_text(data, agents: int):
    graph = {
        agent: data.draw(
            st.lists(
                st.sampled_from([p for p in range(1, agents + 1) if p != agent]),
                min_size=1,
                unique=True,
            )
        )
        for agent in range(1, agents + 1)
    }
    peers = peers_in(graph, agents)
    assert read_peers(write_peers(peers)) == peers
    assert [list(each) for each in peers] == list(graph.values())
