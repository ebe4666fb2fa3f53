"""Targets that nothing makes: the sentence names what was meant, or where to look."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from snakemake.io import AnnotatedString, IOFile

from dissensus.run.targets import Targets


@dataclass
class Rule:
    """As much of a rule of Snakemake's as targets are compared with."""

    name: str
    made: tuple[str, ...] = ()

    def products(self) -> list[IOFile]:
        return [IOFile(AnnotatedString(path)) for path in self.made]


RULES = [
    Rule("verify"),
    Rule("diagnosis"),
    Rule("measure", ("results/demo/language/metrics.parquet", "results/demo/union/votes.parquet")),
    Rule(
        "run_session",
        (r"results/demo/{study,language|union}/transcripts/{session,[\w-]+}.parquet",),
    ),
]


@pytest.fixture
def targets() -> Targets:
    made = Targets()
    made.know(RULES, "demo", ["language", "union"])
    return made


@pytest.mark.parametrize(
    ("target", "nearest"),
    [
        ("diagnosys", "diagnosis"),
        ("verfy", "verify"),
        ("results/demo/language/metrics.parqet", "results/demo/language/metrics.parquet"),
        ("results/demo/languag/metrics.parquet", "results/demo/language/metrics.parquet"),
        (
            "results/demo/language/transcript/d007-zh.parquet",
            "results/demo/language/transcripts/d007-zh.parquet",
        ),
        (
            "results/demo/union/transcripts/d007-zh.pq",
            "results/demo/union/transcripts/d007-zh.parquet",
        ),
    ],
)
def test_the_nearest_is_named(targets: Targets, target: str, nearest: str) -> None:
    assert (
        targets.refusal(target) == f"No rule makes {target}; the nearest that there is: {nearest}."
    )


def test_a_target_of_no_panel_names_those_that_there_are(targets: Targets) -> None:
    targets.know(RULES, "demo", ["language", "union"], ["small", "large"])
    assert targets.refusal("results/demo.smal/union/votes.parquet") == (
        "results/demo.smal/union/votes.parquet is of no panel of run 'demo', which has small and "
        "large; name one of these in its place."
    )
    assert "the nearest that there is" in targets.refusal("results/demo/union/vote.parquet")


def test_several_that_are_as_near_are_all_named() -> None:
    targets = Targets()
    targets.know([Rule("plot_union"), Rule("plot_unions"), Rule("verify")], "demo", ["union"])
    assert targets.refusal("plot_unio").endswith("there is: plot_union and plot_unions.")


def test_where_nothing_is_near_it_says_where_to_look(targets: Targets) -> None:
    for target in ("xyz", "results/demo/what"):
        assert targets.refusal(target) == (
            f"No rule makes {target}; `snakemake --list` names the rules, "
            "and docs/artefacts.md the files."
        )


def test_another_run_or_a_study_that_is_left_out_is_named_as_such(targets: Targets) -> None:
    assert targets.refusal("results/mine/language/metrics.parquet").endswith(
        "is of run 'mine', and the settings are of run 'demo'; "
        "name the settings of run 'mine' behind --configfile."
    )
    for target in ("identity", "results/demo/identity/metrics.parquet"):
        assert targets.refusal(target) == (
            f"{target} is of the identity study, which run 'demo' leaves out; "
            "add identity to `studies`, which has language and union."
        )


def test_nothing_is_said_before_the_rules_are_known() -> None:
    assert Targets().refusal("diagnosys") == ""
