"""A run that was closed: what is edited afterwards is noticed, however well it is sealed anew."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dissensus.digests import file_digest
from dissensus.keep.archive import _copy_shared_ledger
from dissensus.keep.closing import CLOSING, REPLIES, close, read_closing
from dissensus.keep.crate import PUBLISHED
from dissensus.keep.packed import Packed, _of_closing
from dissensus.keep.verified import Verified
from dissensus.keep.verify_closing import verify_closed, verify_lines, verify_made, verify_replies
from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.llm.ledger import LEDGER, Ledger
from dissensus.llm.records import read_line, write_line
from dissensus.run.stage_log import read_log, write_done
from dissensus.study.configuration import Configuration
from dissensus.tables.artefact import Column, Schema, read, write
from dissensus.tables.common import text
from dissensus.tables.provenance import provenance

RUN = Path("results/run")
STUDY = RUN / "trial"
JOURNAL, LOG = STUDY / "journal/d1.jsonl", STUDY / "logs/estimate.log"
TABLE, PLAN = STUDY / "contrasts.parquet", STUDY / "preregistration.md"
ESTIMATES = Schema(
    name="contrasts",
    row="contrast",
    columns={"contrast": text("Which."), "estimate": Column("float", "What was found.", "1")},
    key=("contrast",),
    paths=("contrasts.parquet",),
)


def estimated(value: float) -> None:
    """Write a table and the log of the stage that makes it."""
    row = {"contrast": "all", "estimate": value}
    write(str(TABLE), ESTIMATES, [row], provenance("estimate", False, {}))
    LOG.parent.mkdir(exist_ok=True)
    write_done(LOG, [str(TABLE)])


def settings(home: Path = RUN) -> Configuration:
    """Those of the run; ``home``: the folder of the whole, where it is a panel."""
    return cast(Configuration, SimpleNamespace(results=RUN, home=lambda _: home))


def closed_again(home: Path = RUN) -> None:
    """Close the run, and write the page that names the digest."""
    (RUN / CLOSING).write_text(close(settings(home)), "utf-8")
    page = RUN / "index.html"
    page.write_text(f'<a href="{CLOSING}">{file_digest(RUN / CLOSING)}</a>', "utf-8")
    (RUN / "logs").mkdir(exist_ok=True)
    write_done(RUN / "logs/pages.log", [str(RUN / CLOSING), str(page)])


@pytest.fixture(autouse=True)
def _run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small run that has ended."""
    monkeypatch.chdir(tmp_path)
    journal = Journal(JOURNAL, plan="f" * 64)
    for number, said in enumerate(("yes", "no", "perhaps")):
        journal._records.append({str(number) * 64: Reply(said, cost_usd=0.01)})
    ledger = Ledger(RUN / LEDGER, None)
    for _ in range(4):
        ledger.add("m", 0.01, 10, 5)
    ledger.check()
    PLAN.write_text("# Preregistration\n", "utf-8")
    (STUDY / "tables").mkdir()
    (STUDY / "tables/table_1.csv").write_text("contrast,estimate\nall,0.1\n", "utf-8")
    estimated(0.1)
    closed_again()


def found(**known: int) -> dict[Path, str]:
    """What verifying says of the closing and of who made what."""
    return looked(**known).findings


def looked(**known: int) -> Verified:
    verified = Verified("run", **known)
    for log in RUN.glob("**/logs/*.log"):
        verified.made |= read_log(log)
    verify_made(RUN, verified)
    verify_lines(RUN, verified)
    verify_replies(RUN, verified)
    verify_closed(RUN, verified)
    return verified


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def edited(line: bytes, sealed: bool) -> bytes:
    """A journal's line with another reply, with its digest made anew or without one."""
    members = {**read_line(line), "text": "never"}
    return write_line(members)[:-1] if sealed else json.dumps(members).encode()


def reply_sealed_anew() -> None:
    lines = lines_of(JOURNAL)
    lines[2] = edited(lines[2], sealed=True)
    JOURNAL.write_bytes(b"\n".join(lines) + b"\n")


def reply_without_digest() -> None:
    lines = lines_of(JOURNAL)
    lines[2] = edited(lines[2], sealed=False)
    JOURNAL.write_bytes(b"\n".join(lines) + b"\n")


def all_digests_deleted() -> None:
    JOURNAL.write_bytes(b"".join(edited(line, sealed=False) + b"\n" for line in lines_of(JOURNAL)))


def reply_added() -> None:
    with JOURNAL.open("ab") as file:
        file.write(write_line({"request_sha256": "9" * 64, "text": "forged"}))


def ledger_line_removed() -> None:
    (RUN / LEDGER).write_bytes(b"\n".join(lines_of(RUN / LEDGER)[:-1]) + b"\n")


def table_made_by_nobody() -> None:
    estimated(0.9)
    LOG.unlink()


EDITS: dict[str, tuple[Callable[[], object], Path]] = {
    "a reply with its digest made anew": (reply_sealed_anew, JOURNAL),
    "a reply without its digest": (reply_without_digest, JOURNAL),
    "all digests deleted": (all_digests_deleted, JOURNAL),
    "a journal deleted": (JOURNAL.unlink, JOURNAL),
    "a line of the ledger removed": (ledger_line_removed, RUN / LEDGER),
    "the ledger emptied": (lambda: (RUN / LEDGER).write_bytes(b""), RUN / LEDGER),
    "the plan's text changed": (lambda: PLAN.write_text("# Another\n", "utf-8"), PLAN),
    "the plan's text deleted": (PLAN.unlink, PLAN),
    "a table with its log made anew": (lambda: estimated(0.9), TABLE),
    "a table whose log was deleted": (table_made_by_nobody, TABLE),
}


@pytest.mark.parametrize("name", EDITS)
def test_each_edit_is_noticed_and_its_undoing_too(name: str) -> None:
    edit, path = EDITS[name]
    assert found() == {}
    before = {file: file.read_bytes() for file in (*RUN.rglob("*.*"),) if file.is_file()}
    edit()
    assert str(path) in found()[path]
    for file, content in before.items():
        file.write_bytes(content)
    assert found() == {}


def test_a_list_that_was_made_anew_is_not_the_one_of_the_page() -> None:
    reply_sealed_anew()
    (RUN / CLOSING).write_text(close(settings()), "utf-8")
    assert "is not the one on" in found()[RUN / CLOSING]
    (RUN / CLOSING).unlink()
    assert "is not there, and" in found()[RUN / CLOSING]


def test_a_run_that_is_closed_again_over_another_reply_keeps_the_first() -> None:
    reply_sealed_anew()
    closed_again()
    assert "the reply to request 1111111111111111 is another one" in found()[JOURNAL]
    # One that was made again, with the same words and other times, is the same.
    JOURNAL.unlink()
    journal = Journal(JOURNAL)
    for number, said in enumerate(("yes", "no", "perhaps", "more")):
        journal._records.append({str(number) * 64: Reply(said, started="2026-11-28")})
    closed_again()
    assert found() == {} and len(lines_of(RUN / REPLIES)) == 4


def test_a_run_that_goes_on_may_have_more_replies_and_other_tables() -> None:
    """More replies take the place of none, so that tables may be others; it is said."""
    estimated(0.2)
    assert set(found()) == {TABLE} and found(pending=1) == {}
    reply_added()
    verified = looked()
    assert verified.findings == {}
    (note,) = verified.notes
    assert note.startswith(f"{RUN / CLOSING} is of before the run went on: 2 files of it are")
    assert "start the run again" in note
    LOG.unlink()
    assert set(found()) == {TABLE}
    reply_sealed_anew()
    assert set(found(pending=1)) == {JOURNAL, TABLE}


def test_what_is_paid_after_the_end_is_no_finding() -> None:
    ledger = Ledger(RUN / LEDGER, None)
    ledger.add("m", 0.02, 10, 5)
    ledger.check()
    assert found() == {}


def test_the_list_has_journals_plan_ledger_and_tables_and_no_page() -> None:
    listed = read_closing((RUN / CLOSING).read_text("utf-8"), CLOSING)
    csv = STUDY / "tables/table_1.csv"
    assert set(listed) == {JOURNAL, RUN / LEDGER, PLAN, TABLE, csv}
    assert all(file_digest(path) == digest for path, digest in listed.items())
    assert read(TABLE).to_pylist() == [{"contrast": "all", "estimate": 0.1}]


WHOLE = Path("results/whole")


def paid(times: int) -> None:
    """Lines of the ledger that a panel shares."""
    ledger = Ledger(WHOLE / LEDGER, None)
    for _ in range(times):
        ledger.add("m", 0.01, 10, 5)
    ledger.check()


def test_a_panel_is_closed_with_the_ledger_that_all_panels_share() -> None:
    paid(3)
    with (WHOLE / LEDGER).open("ab") as file:
        # Another panel writes a line.
        file.write(b'{"half')
    closed_again(WHOLE)
    shared = (WHOLE / LEDGER).read_bytes().removesuffix(b'{"half')
    listed = read_closing((RUN / CLOSING).read_text("utf-8"), CLOSING)
    assert listed[WHOLE / LEDGER] == sha256(shared).hexdigest()
    (WHOLE / LEDGER).write_bytes(shared)
    assert found() == {}
    paid(2)
    assert found() == {}
    lines = (WHOLE / LEDGER).read_bytes().splitlines(keepends=True)
    (WHOLE / LEDGER).write_bytes(b"".join(lines[:2]))
    assert "is not as it was when the run was closed" in found()[WHOLE / LEDGER]
    (WHOLE / LEDGER).unlink()
    assert "is gone" in found()[WHOLE / LEDGER]


def test_an_archive_of_a_panel_has_what_it_was_closed_with_of_the_shared_ledger(
    tmp_path: Path,
) -> None:
    paid(3)
    closed_again(WHOLE)
    before = (WHOLE / LEDGER).read_bytes()
    paid(1)
    folder = tmp_path / "crate"
    _copy_shared_ledger(settings(WHOLE), RUN, folder)
    assert (folder / WHOLE / LEDGER).read_bytes() == before
    # The archive says so of itself, unpacked and as a file.
    shutil.copytree(RUN, folder / RUN)
    shutil.copytree(RUN, folder / PUBLISHED)
    places = [folder, Path(shutil.make_archive(str(tmp_path / "packed"), "zip", folder))]
    for place in places:
        assert [*_of_closing(archived := Packed(place, RUN), archived.names())] == []
    lines = before.splitlines(keepends=True)
    (folder / WHOLE / LEDGER).write_bytes(b"".join(lines[:-1]))
    places[1] = Path(shutil.make_archive(str(tmp_path / "less"), "zip", folder))
    for place in places:
        (wrong,) = _of_closing(archived := Packed(place, RUN), archived.names())
        assert "whole/ledger.jsonl is not as it was when the run was closed" in wrong
