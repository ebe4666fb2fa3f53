"""What arms are called for readers: by their settings, and no two alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dissensus_studies.deliberation.arms import FREE, WORDS, named, words_of
from dissensus_studies.deliberation.settings import ArmSettings


def test_an_arm_is_called_by_the_one_setting_that_it_changes() -> None:
    arms = {
        "emergent": ArmSettings(),
        "emergent_again": ArmSettings(),
        "mine": ArmSettings(),
        "full": ArmSettings(topology="full"),
        "hinted": ArmSettings(hints=True, crit=True),
        "fast": ArmSettings(schedule="pid_fast"),
    }
    # What is called like the first of its settings has its words; several changes have none.
    assert named(arms) == {
        "emergent": "free choice",
        "emergent_again": "free choice again",
        "full": "answer everyone",
    }


def test_every_setting_that_has_words_is_one_of_an_arm() -> None:
    for (name, value), words in WORDS.items():
        assert words_of(ArmSettings.model_validate({name: value})) == words
    assert words_of(ArmSettings()) == FREE


SETTINGS = st.builds(
    ArmSettings, topology=st.sampled_from(("emergent", "full")), crit=st.booleans()
)
NAMES = st.from_regex(r"[a-c]{1,2}(_[a-c])?", fullmatch=True)


@given(st.dictionaries(NAMES, SETTINGS, max_size=5))
def test_no_two_arms_are_called_alike(arms: dict[str, ArmSettings]) -> None:
    words = named(arms)
    assert len(set(words.values())) == len(words) and set(words) <= set(arms)
