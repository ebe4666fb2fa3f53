"""What the language study registers: of one that may stop, its rule and its scale too."""

from __future__ import annotations

from typing import Any

import pytest

from dissensus.study.study import Registered

from ..settings import LanguageSettings
from ..study import Language
from .inference_frames import CONFIG, make_pool


def registered(**stop: Any) -> Registered:
    settings = {**CONFIG["language"], "draws": 12, "block_size": 4, "stop": stop or None}
    study = Language(LanguageSettings.model_validate(settings))
    source = {row["motion_id"]: row for row in make_pool().to_dict("records")}
    return study.registered(source, 1)


@pytest.mark.parametrize(
    ("stop", "rule"),
    [
        ({"alpha": 0.05, "most": 8}, "20 or more (alpha 0.05)"),
        ({"half_width": 0.3}, "a half width of 0.3 or less"),
    ],
)
def test_a_study_that_may_stop_registers_when_and_on_which_scale(
    stop: dict[str, Any], rule: str
) -> None:
    plan = registered(**stop)
    assert rule in plan.tests[0] and "at least 4 draws" in plan.tests[0]
    assert "fitted once, on the first block's debates as they read in en" in plan.estimands[0]
    assert f"at most {stop.get('most', 12)} draws" in plan.design
    assert "anew" not in " ".join(plan.tests)


def test_another_registers_neither() -> None:
    plan = registered()
    said = " ".join([plan.design, *plan.estimands, *plan.tests])
    assert "fitted on the reference, and estimated" in said and "anew" in said
    assert "looked at" not in said and "at most" not in said
