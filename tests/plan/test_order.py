"""Which came first, the plan or the replies: histories that were forged are noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.llm.records import write_line
from dissensus.plan.order import UNPROVED, contradiction, order_of
from registered_study import ask, at, register


def test_a_plan_that_came_first_is_said_to_and_not_proved(tmp_path: Path) -> None:
    plan = register(tmp_path, 0)
    for number in (1, 2):
        ask(tmp_path, f"d{number}", 5, plan)
    order = order_of(tmp_path)
    assert order is not None and order.is_first and contradiction(tmp_path) == ""
    assert [*order.sentences()] == [
        f"Registered before its first session: the plan was written {at(0)} by Ada.",
        f"SHA-256 of the plan: {plan}.",
        "All 2 journals began under this plan.",
        f"The first call was begun {at(5)}, after the plan.",
        UNPROVED,
    ]
    # The journals are read, and go on, as before.
    journal = Journal(tmp_path / "journal/d1.jsonl", plan="another")
    assert journal.plan == plan and len(journal) == 1
    journal._records.append({"m" * 64: Reply("no")})
    lines = (tmp_path / "journal/d1.jsonl").read_text().splitlines()
    assert len(lines) == 3 and "plan_sha256" in lines[0] and "plan_sha256" not in lines[2]


def test_a_plan_after_the_replies_is_no_registration(tmp_path: Path) -> None:
    """Replies read, results moved away, a plan registered, the journals put back."""
    away = tmp_path / "away"
    for number in (1, 2, 3):
        ask(away, f"d{number}", -60, "")
    register(tmp_path / "study", 0)
    (away / "journal").rename(tmp_path / "study/journal")
    order = order_of(tmp_path / "study")
    assert order is not None and not order.is_first
    said = " ".join(order.sentences())
    assert said.startswith(f"NOT registered before its first session. A plan was written {at(0)}")
    assert "3 journals of 3 did not begin under this plan, such as that of d1." in said
    assert f"The first call was begun {at(-60)}, before the plan." in said
    assert contradiction(tmp_path / "study") == said


def test_journals_with_a_heading_written_in_are_late_all_the_same(tmp_path: Path) -> None:
    plan = register(tmp_path, 0)
    ask(tmp_path, "d1", -60, "")
    path = tmp_path / "journal/d1.jsonl"
    path.write_bytes(write_line({"plan_sha256": plan}) + path.read_bytes())
    order = order_of(tmp_path)
    assert order is not None and order.without == () and not order.is_first


def test_a_plan_that_is_written_anew_or_edited_is_not_that_of_the_journals(tmp_path: Path) -> None:
    plan = register(tmp_path, 0)
    ask(tmp_path, "d1", 5, plan)
    register(tmp_path, 0, draws=2)
    order = order_of(tmp_path)
    assert order is not None and order.without == ("d1",) and not order.is_first


def test_a_heading_that_was_changed_is_damage(tmp_path: Path) -> None:
    plan = register(tmp_path, 0)
    ask(tmp_path, "d1", 5, plan)
    path = tmp_path / "journal/d1.jsonl"
    path.write_bytes(path.read_bytes().replace(plan[:8].encode(), b"00000000", 1))
    assert "line 1 of the journal is damaged" in contradiction(tmp_path)


@pytest.mark.parametrize("with_replies", [True, False])
def test_a_plan_of_an_older_version_says_that_it_does_not_say(
    tmp_path: Path, with_replies: bool
) -> None:
    register(tmp_path, None)
    if with_replies:
        ask(tmp_path, "d1", 5, "")
    order = order_of(tmp_path)
    assert order is not None and not order.is_first and contradiction(tmp_path) == ""
    assert "its files do not say" in next(order.sentences())


def test_a_study_without_a_plan_has_no_order(tmp_path: Path) -> None:
    assert order_of(tmp_path) is None and contradiction(tmp_path) == ""
