"""What the consensus study may be told, and what is said of anything else."""

from __future__ import annotations

from typing import Any

import pytest

from dissensus.errors import SettingError

from .consensus_runs import study


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"reference": "none"}, "reference holds 'none'; it may be one of debate, debate_again"),
        ({"arms": {}}, "arms holds {}; it needs at least 1 entry."),
        ({"arms": {"debate": "argue"}}, "arms.debate holds 'argue'; it may be one of 'debate',"),
        ({"arms": {"a b": "debate"}}, "plain letters"),
        ({"splits": ["test"]}, "splits.0 holds 'test'; it may be one of 'train' or"),
        ({"splits": ["train", "train"]}, "it names 'train' twice; leave one out."),
        ({"domains": {"all": "x"}}, "all is what stands for the domains together"),
        ({"domains": {"c/d": "x"}}, "plain letters"),
        ({"rounds": 0}, "rounds holds 0; it must be at least 1."),
        ({"experts": 1}, "experts holds 1; it must be at least 2."),
        ({"side_rounds": 0}, "side_rounds holds 0; it must be at least 1."),
        ({"diagnosis": {"simulations": 10, "meets": [1.5]}}, "diagnosis.meets.0 holds 1.5"),
    ],
)
def test_a_wrong_setting_is_one_sentence(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError) as caught:
        study(**changes)
    assert said in str(caught.value)


def test_an_arm_set_to_null_is_left_out() -> None:
    made = study(arms={"debate": "debate", "nudger": None, "reconcile": "reconcile"})
    assert list(made.settings.arms) == ["debate", "reconcile"]
    # Nobody without a vote is asked, so that their model is none of the run's.
    assert {use.purpose for use in made.models()} == {"debate", "sanity"}


def test_the_files_are_named_so_that_a_lost_one_is_reported() -> None:
    files = study().settings.files()
    assert {path.split(".")[0] for path in files} == {*("prompts", "domains", "learning", "sanity")}
    assert sum(file.endswith("statements.csv") for file in files.values()) == 2
