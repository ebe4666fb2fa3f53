"""Names that are nowhere are found in every branch, and what is somewhere is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.plan.undefined_names import check_names
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
    assert str(caught.value).startswith(f"{path}, line {line}: the name {name!r} is nowhere")


def test_all_names_of_another_module_may_hide_one(tmp_path: Path) -> None:
    path = tmp_path / "study.py"
    path.write_text("from math import *\nx = floor(1)\n", encoding="utf-8")
    check_names(path)


def test_no_file_of_the_project_is_refused() -> None:
    """Thousands of functions that run: none of their names is taken for a missing one."""
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("examples/**/*.py")]:
        check_names(path)
