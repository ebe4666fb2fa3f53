"""What the deliberation study may be told, and what is said of anything else."""

from __future__ import annotations

from typing import Any

import pytest

from dissensus.errors import SettingError
from dissensus.settings import validate

from ..settings import ArmSettings, DeliberationSettings
from .deliberation_sessions import study_values


def read(**changes: Any) -> DeliberationSettings:
    return validate(DeliberationSettings, study_values(**changes), "c.yaml", "deliberation.")


def test_an_arm_without_settings_is_the_protocol():
    arm = read().arms["emergent"]
    assert arm.model_dump() == {
        "topology": "emergent",
        "crit": False,
        "rca": False,
        "hints": False,
        "schedule": None,
        "sees": "all",
        "without": None,
        "abstain": False,
        "samples": None,
    }
    assert not arm.judged


@pytest.mark.parametrize(
    ("settings", "assessed", "judged"),
    [
        ({}, False, False),
        ({"topology": "full"}, False, False),
        ({"hints": True}, False, False),
        ({"crit": True}, True, True),
        ({"rca": True}, False, True),
        ({"schedule": "pid_fast"}, True, True),
        ({"schedule": "linear"}, True, True),
    ],
)
def test_a_judge_is_asked_where_something_hangs_on_it(
    settings: dict[str, Any], assessed: bool, judged: bool
):
    arm = ArmSettings(**settings)
    assert (arm.assessed, arm.judged) == (assessed, judged)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"panel": ["m1"]}, "panel holds ['m1']; it needs at least 2 entries."),
        ({"panel": ["m1", "m2", "m1"]}, "it names 'm1' twice; leave one out."),
        ({"judges": ["j", "j"]}, "judges holds ['j', 'j']; it names 'j' twice"),
        ({"judges": []}, "judges holds []; it needs a model for the arm 'crit'"),
        ({"reference": "none"}, "reference holds 'none'; it may be one of emergent, crit, hinted"),
        ({"arms": {}}, "arms holds {}; it needs at least 1 entry."),
        (
            {"arms": {"emergent": {}, "less": {"without": "A4"}}},
            "arms.less.without holds 'A4'; it may be one of A1, A2, A3, the seats of the panel",
        ),
        ({"arms": {"emergent": {"sees": "some"}}}, "arms.emergent.sees holds 'some'; it may be"),
        (
            {"arms": {"emergent": {"sees": "own"}}},
            "reference holds 'emergent'; it must be an arm in which agents see all turns",
        ),
        ({"arms": {"emergent": {"topology": "ring"}}}, "arms.emergent.topology holds 'ring'"),
        ({"arms": {"emergent": {"schedule": "sine"}}}, "arms.emergent.schedule holds 'sine'"),
        ({"arms": {"emergent": {"hint": True}}}, "arms.emergent.hint is no setting; 'hints' is."),
        ({"arms": {"a-b": {}}, "reference": "a-b"}, "a-b cannot be an arm's name"),
        ({"rounds": 1}, "rounds holds 1; it must be at least 2 for the hints of the arm 'hinted'"),
        ({"control": {"rca_retries": 4}}, "rca_retries holds 4; it must be at most 3."),
        ({"control": {"start": 1.5}}, "start holds 1.5; it must be at most 1.0."),
        ({"measures": {"alerts": [0.65, 0.8]}}, "it must fall from one to the next"),
        ({"measures": {"material": "some"}}, "material holds 'some'; it may be one of"),
        ({"inference": {"flips": 10}}, "flips holds 10; it must be at least 100."),
        ({"protocol": {"top_p": 0.0}}, "top_p holds 0.0; it must be above 0"),
    ],
)
def test_a_wrong_setting_is_named(changes: dict[str, Any], sentence: str):
    with pytest.raises(SettingError) as raised:
        read(**changes)
    assert sentence in str(raised.value)
    assert str(raised.value).startswith("c.yaml: deliberation.")


def test_no_judge_is_needed_where_none_is_asked():
    assert read(judges=[], arms={"emergent": {}, "full": {"topology": "full"}}).judges == []


def test_a_second_file_can_take_an_arm_away():
    study = read(arms={"emergent": {}, "crit": None})
    assert list(study.arms) == ["emergent"]


def test_the_files_that_must_be_there_are_named():
    assert set(read().files()) == {"topics", "prompts", "judging"}
