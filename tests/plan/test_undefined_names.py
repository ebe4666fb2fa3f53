"""Names that are nowhere are found in every branch, and what is somewhere is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.plan.undefined_names import check_levels, check_names
from support import ROOT

SOUND = """
from __future__ import annotations
import os.path as place
from math import floor, inf as most
LIMIT: int = 3
for number in range(LIMIT):
    last = number

class Study:
    \"\"\"A class.\"\"\"
    arms = ("a", "b")
    first = arms[0]
    more = [arm for arm in ("c",)]

    def debate(self, session, *rest, depth=LIMIT, **named):
        global counted
        counted = floor(most) if depth else len(rest)
        def inner():
            return session, named, counted, place, __file__, __class__
        try:
            return {key: value for key, value in named.items()}
        except ValueError as error:
            raise TypeError(error) from None
        if (found := last):
            return [found for found in (lambda x: x)(Study.first)]
"""


def test_what_is_bound_anywhere_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "study.py"
    path.write_text(SOUND, encoding="utf-8")
    check_names(path)


@pytest.mark.parametrize(
    ("code", "line", "name"),
    [
        ("def debate(s):\n    if s.never:\n        return qoute(s)\n", 3, "qoute"),
        (
            "class A:\n    def m(self, turns):\n        return [lenght(t) for t in turns]\n",
            3,
            "lenght",
        ),
        ("class A:\n    arms = 1\n    def m(self):\n        return arms\n", 4, "arms"),
        ("f = lambda text: re.findall('a', text)\n", 1, "re"),
        ("async def f():\n    return await gather()\n", 2, "gather"),
    ],
)
def test_a_name_that_is_nowhere_is_named(tmp_path: Path, code: str, line: int, name: str) -> None:
    path = tmp_path / "study.py"
    path.write_text(code, encoding="utf-8")
    with pytest.raises(ResourceError) as caught:
        check_names(path)
    assert str(caught.value).startswith(f"{path}, line {line}: the name {name!r} is not defined")


def test_all_names_of_another_module_may_hide_one(tmp_path: Path) -> None:
    path = tmp_path / "study.py"
    path.write_text("from math import *\nx = floor(1)\n", encoding="utf-8")
    check_names(path)


@pytest.mark.thorough
def test_no_file_of_the_project_is_refused() -> None:
    """Thousands of functions that run: none of their names is taken for a missing one."""
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("examples/**/*.py")]:
        check_names(path)


#: What a study may ask of a factor of numbers: nothing that is never true.
ASKS = """
def debate(self, session):
    dose = session.factors.dose
    count = int(session.factors.dose)
    for place in range(count):
        if place == dose or dose > 2 or dose * 2 == 7 or dose in (1, 3):
            yield place, "2" == str(dose), session.item.dose == 9, {"dose": 2}["dose"]

def measure(self, turns, item):
    return (turns["dose"] == 6).all() and turns["dose"].iloc[0] != 1 and turns["dose"].mean() == 2.5
"""


def test_a_level_that_there_is_may_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "study.py"
    path.write_text(ASKS.replace(', {"dose": 2}["dose"]', ""), encoding="utf-8")
    check_levels(path, {"dose": (1.0, 3.0, 6.0)})


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        ('session.factors.dose == "3"', "line 3: '3' is no dose; there are 1, 3, 6, which are"),
        ("5 != session.factors.dose", "line 3: 5 is no dose"),
        ("session.factors.dose in (1, 2)", "line 3: 2 is no dose"),
        ("session.factors.dose == -1", "line 3: -1 is no dose"),
        ("given == 2.5", "line 3: 2.5 is no dose"),
        ('turns["dose"].iloc[0] == "six"', "line 3: 'six' is no dose"),
    ],
)
def test_a_number_compared_with_what_it_never_is_is_named(
    tmp_path: Path, asks: str, said: str
) -> None:
    path = tmp_path / "study.py"
    code = f"def debate(self, session, turns):\n    given = session.factors.dose\n    if {asks}:\n"
    path.write_text(f"{code}        yield given\n", encoding="utf-8")
    with pytest.raises(ResourceError) as caught:
        check_levels(path, {"dose": (1.0, 3.0, 6.0)})
    assert said in str(caught.value) and "Nothing was asked of a model" in str(caught.value)
