"""What arms are called for readers: by their strategies, and no two of the default run alike."""

from __future__ import annotations

from dissensus.study.configuration import load
from dissensus_studies.consensus.arms import SHORT, TOLD, named
from dissensus_studies.consensus.wording import STRATEGIES
from scripted import default_configuration


def test_an_arm_with_its_strategys_name_has_words_and_another_keeps_its_own() -> None:
    arms = {"nudger": "nudger", "ccagent_hot": "ccagent", "without_bad": "ccagent_without_bad"}
    assert named({**arms, "mine": "nudger", "debate": "debate"}) == {
        "nudger": "nudge to the truth",
        "ccagent_hot": "CCAgent hot",
        "without_bad": "no bad examples",
    }


def test_words_are_of_strategies_and_the_default_arms_differ() -> None:
    assert set(SHORT) | set(TOLD) <= set(STRATEGIES)
    arms = load(default_configuration()).study("consensus").settings.arms
    words = {**{arm: arm for arm in arms}, **named(arms)}
    assert len(set(words.values())) == len(arms)
