"""What is on disk of batches: written whole, booked once."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.llm.batches.files import Answers, BatchFiles, Plan, Planned, Try, tried
from dissensus.llm.batches.interface import Line
from dissensus.llm.call import Reply, Usage
from dissensus.llm.prices import Price

PRICE = Price(2.0, None, 8.0, 0.5, "2026-01-01", "a test")
CALL = Planned("key", "real", 1000, 500, 0.003)


def plan(own: str = "one", made: float = 1.0, provider_id: str = "batch_1") -> Plan:
    return Plan(own, made, provider_id, {f"{own}-0": CALL}, {"real": PRICE, "free": None})


def test_plans_come_back_as_they_were_oldest_first(tmp_path: Path) -> None:
    files = BatchFiles(tmp_path / "batches" / "there")
    assert files.plans() == []
    later, earlier = plan("a", 2.0), plan("b", 1.0, "")
    files.write(later)
    files.write(earlier)
    assert BatchFiles(files.folder).plans() == [earlier, later]
    files.forget(earlier)
    assert files.plans() == [later]
    assert {path.name for path in files.folder.iterdir()} == {"a.plan.json"}


def test_answers_are_booked_once_whoever_fetches_them(tmp_path: Path) -> None:
    one, other = (BatchFiles(tmp_path / "there") for _ in range(2))
    one.write(plan())
    answers = Answers(5.0, {"key": Try("", "", {"text": "半"}, 0.001, Usage(10, 2, 3))})
    booked: list[str] = []
    assert not one.is_answered(plan())
    assert one.keep(plan(), answers, lambda: booked.append("one")) is answers
    kept = other.keep(plan(), Answers(6.0, {}), lambda: booked.append("other"))
    assert kept == answers == one.answers(plan())
    assert booked == ["one"]


def test_answers_that_were_not_booked_are_not_there(tmp_path: Path) -> None:
    files = BatchFiles(tmp_path / "there")
    files.write(plan())

    def killed() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.keep(plan(), Answers(5.0, {}), killed)
    assert not files.is_answered(plan())
    files.keep(plan(), Answers(6.0, {}), lambda: None)
    assert files.answers(plan()).read == 6.0


def test_what_is_under_way_with_any_provider_is_pledged(tmp_path: Path) -> None:
    here, there = (BatchFiles(tmp_path / name) for name in ("here", "there"))
    here.write(plan("one"))
    there.write(plan("two"))
    assert here.pledged() == there.pledged() == pytest.approx(0.006)
    there.keep(plan("two"), Answers(5.0, {}), lambda: None)
    assert here.pledged() == pytest.approx(0.003)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("a file")
    with pytest.raises(ResourceError, match=r"there cannot be written .*paid for twice"):
        BatchFiles(tmp_path / "there").write(plan())


@pytest.mark.parametrize(
    "text", ["", "[]", '{"own": "a"}', '{"own": "a", "made": 1, "calls": {"a-0": {}}}']
)
def test_a_damaged_plan_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.plan.json").write_text(text)
    with pytest.raises(ResourceError, match=r"a\.plan\.json is damaged"):
        BatchFiles(tmp_path).plans()


def read(body: dict[str, str], model: str) -> Reply:
    text = body["text"]
    assert model == CALL.model
    return Reply(text, "" if text else "empty", **vars(Usage(100, 40, 50)))


@pytest.mark.parametrize(
    ("line", "outcome", "usd", "sure"),
    [
        (Line({"text": "words"}), "", 0.0003, True),
        (Line({"text": ""}), "empty", 0.0003, True),
        (Line({"status": "ok"}), "malformed", 0.003, False),
        (Line(["no", "object"]), "malformed", 0.003, False),
        (Line(outcome="rate_limit", message="later"), "rate_limit", None, True),
        (Line(outcome="timeout", message="it expired"), "timeout", None, True),
        (Line(outcome="connection", message="lost", billed=True), "connection", 0.003, False),
    ],
)
def test_what_a_line_costs(line: Line, outcome: str, usd: float | None, sure: bool) -> None:
    one = tried(line, CALL, PRICE, read)
    assert (one.outcome, one.sure) == (outcome, sure)
    assert one.usd == (None if usd is None else pytest.approx(usd))
    assert one.usage == (CALL.most if not sure else Usage(100, 40, 50) if usd else Usage())
