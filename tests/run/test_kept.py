"""What a run keeps of its configuration, for whoever reads its sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.run.kept import keep_configuration, kept_configuration, without_passwords

GIVEN = {"seed": 7, "models": {"一": None, "b": [1.5, True]}, "p": "http://me:word@host/v1"}


def test_what_is_kept_comes_back_in_its_order_and_is_written_once(tmp_path: Path) -> None:
    assert kept_configuration(tmp_path) is None
    keep_configuration(GIVEN, tmp_path)
    (path,) = tmp_path.iterdir()
    expected = GIVEN | {"p": "http://host/v1"}
    assert kept_configuration(tmp_path) == (expected, path)
    found = kept_configuration(tmp_path)
    assert found and list(found[0]["models"]) == ["一", "b"]
    before = path.stat().st_ino, path.stat().st_mtime_ns
    keep_configuration(GIVEN, tmp_path)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == before
    keep_configuration({"seed": 8}, tmp_path)
    assert kept_configuration(tmp_path) == ({"seed": 8}, path)


def test_what_is_damaged_or_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    keep_configuration(GIVEN, tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(b'{"seed": \xff')
    with pytest.raises(ResourceError, match=r"cannot be read \(.*delete it, and name the run's"):
        kept_configuration(tmp_path)
    keep_configuration(GIVEN, tmp_path)
    assert kept_configuration(tmp_path)
    nowhere = tmp_path / path.name
    with pytest.raises(ResourceError, match=r"could not be written .*start again"):
        keep_configuration(GIVEN, nowhere)


def test_addresses_lose_names_and_passwords_and_nothing_else() -> None:
    given = {"providers": {"p": {"base_url": "https://me:word@host:8/v1", "n": 3, "k": None}}}
    kept = without_passwords(given)
    assert kept == {"providers": {"p": {"base_url": "https://host:8/v1", "n": 3, "k": None}}}
    assert without_passwords({"a": ["http://host/x?y=1", "no: address"]}) == {
        "a": ["http://host/x?y=1", "no: address"]
    }
