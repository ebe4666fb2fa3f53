"""Nothing damaged is believed: what a kill tore, what a disk lost, what somebody changed."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.llm.journal import Journal, reply_from
from dissensus.llm.records import Records
from fake_client import FakeClient, in_turn, request


def test_a_torn_line_is_cut_off_and_its_call_made_again(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    Journal(path).ask(FakeClient(in_turn("one")), request(1))
    intact = path.read_bytes()
    path.write_bytes(intact + b'{"request_sha256": "' + "半".encode()[:2])
    journal = Journal(path)
    assert len(journal) == 1
    assert journal.ask(FakeClient(in_turn("two")), request(2)).text == "two"
    assert path.read_bytes().startswith(intact)
    assert len(Journal(path)) == 2


def test_a_torn_line_longer_than_the_next_leaves_no_rest(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b"{" + b"x" * 5000)
    Journal(path).ask(FakeClient(in_turn("short")), request(1))
    assert b"xx" not in path.read_bytes()
    assert path.read_bytes().endswith(b"}\n")


DAMAGED = (
    r"j\.jsonl: line {} of the journal is damaged \(.+\); restore the file from a copy, or move "
    r"that line into another file, and its call is made, and paid, again\.$"
)


def three_replies(path: Path) -> list[bytes]:
    """A journal's lines, without their ends."""
    journal = Journal(path)
    for seed in range(3):
        journal.ask(FakeClient(in_turn(f"text {seed}")), request(seed))
    return path.read_bytes().split(b"\n")[:-1]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{torn", "Expecting"),
        (b"\0\0", "Expecting"),
        (b"\xff", "utf-8"),
        (b"", "Expecting"),
        (b"null", "no object"),
        (b"7", "no object"),
        (b"[]", "no object"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"request_sha256": 3, "text": "x"}', "no request_sha256"),
        (b'{"text": "no key"}', "no request_sha256"),
        (b'{"request_sha256": "k"}', "no text"),
        *(
            (b'{"request_sha256": "k", "text": "x", %b}' % member, why)
            for member, why in [
                (b'"text": 7', "text is 7"),
                (b'"text": "\\ud800"', "surrogates"),
                (b'"finish_reason": null', "finish_reason is None"),
                (b'"cost_usd": "free"', "cost_usd is 'free'"),
                (b'"cost_usd": -0.5', "cost_usd is -0.5"),
                (b'"cost_usd": true', "cost_usd is True"),
                (b'"latency_s": NaN', "NaN is no number"),
                (b'"latency_s": null', "latency_s is None"),
                (b'"faults_usd": 1e999', "faults_usd is inf"),
                (b'"input_tokens": -1', "input_tokens is -1"),
                (b'"input_tokens": 1.5', "input_tokens is 1.5"),
                (b'"output_tokens": 9223372036854775808', "output_tokens is 9223372036854775808"),
                (b'"cached_tokens": ' + b"9" * 5000, "4300 digits"),
                (b'"faults": 7', "faults is 7"),
                (b'"faults": "timeout"', "faults is 'timeout'"),
                (b'"faults": [7]', r"faults is \[7\]"),
                (b'"line_sha256": "0123456789abcdef"', "changed after it was written"),
                (b'"line_sha256": 7', "changed after it was written"),
            ]
        ),
    ],
)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_damaged_line_is_named_wherever_it_stands(
    tmp_path: Path, line: bytes, why: str, number: int
):
    path = tmp_path / "j.jsonl"
    lines = three_replies(path)
    lines[number - 1] = line
    path.write_bytes(b"\n".join([*lines, b""]))
    with pytest.raises(ResourceError, match=DAMAGED.format(number)) as raised:
        Journal(path)
    assert re.search(why, str(raised.value))
    # Doing as the message says mends it.
    del lines[number - 1]
    path.write_bytes(b"\n".join([*lines, b""]))
    assert len(Journal(path)) == 2


@pytest.mark.thorough
def test_every_flipped_bit_is_seen_or_changes_no_reply(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    three_replies(path)
    good = path.read_bytes()
    replies = Records(path, reply_from, vars, "request_sha256").records()
    ends = [place for place, byte in enumerate(good) if byte == ord("\n")]
    for place in range(len(good)):
        for bit in range(8):
            bad = bytearray(good)
            bad[place] ^= 1 << bit
            path.write_bytes(bad)
            line = 1 + sum(end < place for end in ends)
            try:
                found = Records(path, reply_from, vars, "request_sha256").records()
            except ResourceError as error:
                assert re.search(DAMAGED.format(line), str(error)), (place, bit)
            else:
                # The digest's own name.
                assert found == replies, (place, bit)


@pytest.mark.parametrize("end", [b"", b"\0", b"\0" * 9000])
def test_a_last_line_that_lacks_its_newline_alone_is_kept(tmp_path: Path, end: bytes):
    path = tmp_path / "j.jsonl"
    three_replies(path)
    path.write_bytes(path.read_bytes()[:-1] + end)
    journal, provider = Journal(path), FakeClient(in_turn("text 3"))
    assert journal.ask(provider, request(2)).text == "text 2"
    assert journal.ask(provider, request(3)).text == "text 3"
    assert [asked.seed for asked in provider.asked] == [3]
    assert len(path.read_bytes().splitlines()) == len(Journal(path)) == 4


def test_what_a_power_cut_left_unwritten_is_no_damage(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    lines = three_replies(path)
    path.write_bytes(b"\n".join([*lines[:2], bytes(4096) + lines[2][-60:], b""]))
    assert len(Journal(path)) == 2


def test_lines_without_a_digest_are_read(tmp_path: Path):
    """Earlier versions wrote them, and they were paid for."""
    path = tmp_path / "j.jsonl"
    lines = [re.sub(rb', "line_sha256": "\w{16}"', b"", line) for line in three_replies(path)]
    path.write_bytes(b"\n".join([*lines, b""]))
    assert b"line_sha256" not in path.read_bytes()
    journal = Journal(path)
    assert [journal.ask(FakeClient(in_turn()), request(n)).text for n in range(3)] == [
        *("text 0", "text 1", "text 2")
    ]


def test_the_mark_that_some_editors_write_first_is_taken(tmp_path: Path):
    path = tmp_path / "j.jsonl"
    three_replies(path)
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
    journal = Journal(path)
    assert journal.ask(FakeClient(in_turn()), request(0)).text == "text 0"
    assert journal.ask(FakeClient(in_turn("text 3")), request(3)).text == "text 3"
    assert len(Journal(path)) == 4
