"""The list of mutants that no test sees is of the code as it is, and says why of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOUND: dict[str, Any] = yaml.safe_load((ROOT / "tests/mutants.yaml").read_text("utf-8"))


@pytest.mark.parametrize("study", FOUND)
def test_every_survivor_has_a_reason_and_its_line_still_stands(study: str) -> None:
    found = FOUND[study]
    assert found["killed"] == found["mutants"] - len(found["survivors"])
    for one in found["survivors"]:
        removed = [line[2:] for line in one["change"].splitlines() if line.startswith("- ")]
        lines = (ROOT / "src/dissensus_studies" / one["module"]).read_text("utf-8").splitlines()
        gone = set(removed) - {line.strip() for line in lines}
        assert not gone, f"{one['module']} has no line {gone} any more: delete the entry"
        assert one["why"], f"{one['module']}: kill {one['change']!r} or say why it changes nothing"


def test_nine_in_ten_are_killed_over_all_studies() -> None:
    assert set(FOUND) == {"language", "identity", "deliberation", "union", "consensus"}
    killed, drawn = (sum(one[name] for one in FOUND.values()) for name in ("killed", "mutants"))
    assert killed >= 0.9 * drawn
