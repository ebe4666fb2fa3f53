"""What an experiment declares wrongly is a sentence with its file."""

from __future__ import annotations

from typing import Any

import pytest

import panel_study
from dissensus.errors import SettingError
from dissensus.study.experiment import Factor, Outcome, text
from dissensus.tables.artefact import Column
from panel_study import declared


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"arms": ()}, "Wrong declares no arms; add it"),
        ({"arms": ("a", "a")}, "needs different names, the reference first"),
        ({"arms": {"b"}}, "Wrong.arms is {'b'}; it needs different names, the reference first"),
        ({"arms": "single"}, "Wrong.arms is 'single'; it needs different names, the reference"),
        ({"factors": {"first": "ab"}}, "Wrong.factors has 'ab' as 'first'; it needs at least two"),
        ({"factors": {"first": ("a",)}}, "has ('a',) as 'first'; it needs at least two different"),
        ({"factors": {"first": ("a", "a")}}, "has ('a', 'a') as 'first'; it needs at least two"),
        ({"factors": {"first": (1, "2")}}, "(1, '2') as 'first'; it needs at least two different"),
        ({"factors": {"dose": (1, 1.0)}}, "has (1, 1.0) as 'dose'; it needs at least two"),
        ({"factors": {"dose": (True, False)}}, "has (True, False) as 'dose'; it needs at least"),
        ({"factors": {"dose": (1, float("nan"))}}, "or at least two different numbers"),
        ({"factors": {"dose": 3}}, "has 3 as 'dose'; it needs at least two"),
        ({"factors": {"dose": ("slope", "x")}}, "as 'dose'; a level may not be called 'slope'"),
        ({"outcomes": {"y": "z", "c": Outcome("z", by=None)}}, "'c' by None; it may be by"),  # type: ignore[arg-type]
        (
            {"factors": {"dose": Factor((1, 2), "cross")}},  # type: ignore[arg-type]
            "as 'dose'; how may be one of drawn, balanced, crossed, and is 'cross'",
        ),
        ({"contrasts": ("a", "b")}, "Wrong.contrasts is ('a', 'b'); its form is {\"added\": ("),
        ({"contrasts": {"more": "ab"}}, "contrasts has 'ab' as 'more'; its form is"),
        ({"contrasts": {"more": ("a", "a")}}, "contrasts has ('a', 'a') as 'more'; its form is"),
        ({"contrasts": {"more": {"a": 1, "b": "x"}}}, "as 'more'; its form is"),
        ({"contrasts": {"more": ("b", "c")}}, "has the arm 'c' in 'more'; there are a, b."),
        ({"contrasts": {"more": {"a": 1, "b": -0.5}}}, "in 'more' that sum to 0.5; they must be"),
        ({"contrasts": {"b": ("b", "a")}}, "Wrong.contrasts has 'b', which is an arm; give the"),
        ({"contrasts": {"a_again": ("b", "a")}}, "contrasts has 'a_again', which is an arm"),
        ({"contrasts": {"more": {}}}, "has weights in 'more' that sum to 0; they must be other"),
        (
            {"outcomes": {"y": Outcome("z", by="agent")}},
            'Wrong.outcomes has \'y\' by \'agent\'; it may be by "round", or by ("round", "agent")',
        ),
        (
            {"outcomes": {"y": Outcome("z", by="round")}},
            "has 'y', which is by round, as the first; the first is the primary one and must be",
        ),
        (
            {"factors": {"topic": ("a", "b")}},
            "Wrong.item and Wrong.factors both have 'topic'; give",
        ),
        (
            {"factors": {"y": ("a", "b")}},
            "Wrong.factors and Wrong.outcomes both have 'y'; give one",
        ),
        (
            {"cluster": "topic", "outcomes": {"topic": "z"}},
            "Wrong.cluster and Wrong.outcomes both have 'topic'; give one",
        ),
        ({"arms": ("a", "b c")}, "Wrong.arms has 'b c'; a name may have plain letters"),
        ({"outcomes": {"1st": "z"}}, "Wrong.outcomes has '1st'"),
        ({"factors": {"role": ("a", "b")}}, "Wrong.factors has 'role', which is a column of every"),
        ({"item": {"seed": text("t")}}, "Wrong.item has 'seed', which is a column of every study"),
        ({"outcomes": {"complete": "z"}}, "Wrong.outcomes has 'complete', which is a column"),
        (
            {"shown": lambda self, a, b: 1},
            "Wrong.shown hides what every experiment has, shown(self);",
        ),
        (
            {"check": lambda self: 1},
            "hides what every experiment has, check(self, models, ",
        ),
        ({"kind_of": 3}, "Wrong.kind_of hides what every experiment has, kind_of(self, row);"),
        ({"truth": lambda self: 1}, "Wrong.truth hides what every experiment has, a value;"),
        ({"session_settings": lambda self: 1}, "has, a property; take another name"),
        ({"collect": lambda self: 1}, "has, a method of its class; take another name"),
        ({"item": {"topic": "t"}}, "Wrong.item has 't'; its form is {\"question\": text("),
        ({"outcomes": ("y",)}, 'Wrong.outcomes has (\'y\',); its form is {"right": "1 where'),
        ({"outcomes": {"y": 1}}, "Wrong.outcomes has 1; its form is"),
        ({"factors": ("a", "b")}, "Wrong.factors has ('a', 'b'); its form is {\"first\": ("),
        ({"cluster": "story"}, "cluster is 'story'; it may be item_id, or a column of item: topic"),
        (
            {"cluster": "story", "item": {"story": Column("string?", "A story.")}},
            "'story', a column of the kind \"string?\"; it must be text(...) or whole(...), which",
        ),
    ],
)
def test_a_wrong_declaration_is_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        declared(**wrong)
    assert sentence in str(caught.value) and panel_study.__file__ in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            {"contrasts": {"up": ("b", "a"), "down": ("a", "b")}},
            "contrasts has 'up' and 'down', which is the same turned round; take one of them out",
        ),
        (
            {"contrasts": {"up": ("b", "a"), "twice": {"b": 2, "a": -2}}},
            "has 'up' and 'twice', which is the same once more",
        ),
        ({"outcomes": {"y": Outcome("z", bounds=(5, 1))}}, "'y' with the bounds (5, 1); they must"),
        ({"outcomes": {"y": Outcome("z", bounds=3)}}, "with the bounds 3; they must be"),  # type: ignore[arg-type]
        (
            {"outcomes": {"y": Outcome("z", null=5, is_share=True)}},
            "'y' with the null 5; it must be a number from 0 to 1",
        ),
        ({"outcomes": {"y": Outcome("z", null="half")}}, "with the null 'half'; it must be"),  # type: ignore[arg-type]
        ({"outcomes": {"y": Outcome("z", where=True)}}, "with the where True; it must be a text"),  # type: ignore[arg-type]
        ({"contrast": {"up": ("b", "a")}}, "declares contrast, which nothing reads; call it contr"),
        ({"clusters": "topic"}, "declares clusters, which nothing reads; call it cluster"),
    ],
)
def test_what_is_declared_twice_or_nowhere_is_a_sentence(wrong: Any, sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        declared(**wrong)
    assert sentence in str(caught.value)


def test_contrasts_that_share_arms_and_helpers_with_own_names_are_no_mistake() -> None:
    three = ("a", "b", "c")
    made = declared(
        arms=three,
        contrasts={
            "first": ("b", "a"),
            "other": ("c", "a"),
            "both": {"b": 0.5, "c": 0.5, "a": -1},
            "apart": ("c", "b"),
        },
        prompts=("p", "q"),
        outcomes={"y": Outcome("z", bounds=(1, 5), null=3)},
    )
    assert len(made.compared()) == 4
