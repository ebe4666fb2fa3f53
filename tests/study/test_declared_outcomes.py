"""Every study declares what its outcomes count, and its plan says it in these words."""

from __future__ import annotations

import pytest

from dissensus.report.declared import Outcome
from dissensus.study.configuration import load
from dissensus.user_files import read_yaml
from dissensus_studies.debates.outcomes import OUTCOMES as IMPORTED
from support import ROOT

STUDIES = ("language", "identity", "deliberation", "union", "consensus")


@pytest.mark.parametrize("name", STUDIES)
def test_a_plan_s_primary_outcome_is_the_declared_one(name: str) -> None:
    study = load(read_yaml(ROOT / "config.yaml")).study(name)
    outcomes = {key: Outcome.of(each) for key, each in study.outcomes.items()}
    first = next(iter(outcomes.values()))
    assert all(each.meaning and each.title for each in outcomes.values())
    if name != "language":
        registered = study.registered({}, 1)
        assert registered.primary.startswith(first.registered)
        # Estimands say the same unit, and no other noun stands for the outcome.
        assert first.over in " ".join([*registered.estimands, registered.primary]) or (
            first.title in registered.primary
        )


def test_imports_declare_their_outcomes_too() -> None:
    assert all(each.meaning and each.title for each in IMPORTED.values())


def test_an_outcome_says_its_noun_its_unit_and_what_it_is_over() -> None:
    words = "Share of agents in the largest group at the end"
    outcome = Outcome(
        "Meaning.", words, noun=words.lower(), short="Agreement", each="debates", in_percent=True
    )
    assert outcome.axis("arm", "debate") == f"{words}, arm − debate (points of %)"
    assert outcome.over == f"{words.lower()}, mean over debates"
    assert outcome.changed(0.3) == f"the {words.lower()} is larger"
    assert outcome.changed(-0.3).endswith("smaller")
    assert (outcome.times, outcome.points, outcome.column) == (100.0, "points of %", "Agreement")
    plain = Outcome("Words of a turn.", "Length", "words")
    assert plain.axis("a", "b") == "Length, a − b (words)"
    assert (plain.named, plain.column, plain.times) == ("Length", "Length", 1.0)
