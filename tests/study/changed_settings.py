"""The default configuration with a setting changed, and what is said of it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from dissensus.errors import SettingError
from dissensus.study.configuration import load
from scripted import default_configuration

CONFIG = default_configuration()
DELETE = "(left out)"
#: A language that the study has not.
LANGUAGE = {
    "prompts": "studies/language/prompts/zh.yaml",
    "motion": "motion_zh",
    "script": "han",
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The default configuration with one value changed, or deleted."""
    # By name, as the sentences that list models have them.
    made = json.loads(json.dumps(CONFIG, sort_keys=True))
    *above, last = path.split("/")
    block = made
    for key in above:
        block = block[key]
    if value is DELETE:
        del block[last]
    else:
        block[last] = copy.deepcopy(value)
    return made


def complaint(path: str, value: Any) -> str:
    with pytest.raises(SettingError) as caught:
        load(changed(path, value))
    return str(caught.value)
