"""How a run starts: it claims its folder, and refuses one that is in use or of the other kind."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dissensus.errors import SettingError
from dissensus.run import start
from dissensus.run.run_folder import RunLock
from dissensus.run.start import start_run


class Board:
    """Remembers what it is opened with."""

    def __init__(self) -> None:
        self.opened: list[Any] = []

    def open(self, folder: Path, ledger: Path | None, budget_usd: float | None) -> None:
        self.opened.append((folder, ledger, budget_usd))


@pytest.fixture
def handlers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is set up to end the run, in place of doing so."""
    called: list[str] = []
    for name in ("stop_on_signals", "cancel_on_signals"):
        monkeypatch.setattr(start, name, lambda name=name: called.append(name))
    monkeypatch.setattr(start, "watch_for_stop", lambda _, end: called.append(end.__name__))
    return called


def settings(simulated: bool, run: str) -> Any:
    made = SimpleNamespace(simulated=simulated, used=["a"], budget_usd=3.0, run=run, private=False)
    made.parts, made.home = (made,), lambda results: results
    return made


def test_a_run_here_stops_by_itself_and_one_on_a_cluster_cancels_its_jobs(
    tmp_path: Path, handlers: list[str]
) -> None:
    board = Board()
    start_run(settings(False, "a"), tmp_path / "a", RunLock(tmp_path / "a"), board, runs_here=True)
    start_run(settings(True, "b"), tmp_path / "b", RunLock(tmp_path / "b"), board, runs_here=False)
    assert handlers == ["stop_on_signals", "stop", "cancel_on_signals", "cancel_cluster_jobs"]
    # Simulated models cost nothing, so that no ledger is shown.
    assert board.opened == [
        (tmp_path / "a/.progress", tmp_path / "a/ledger.jsonl", 3.0),
        (tmp_path / "b/.progress", None, 3.0),
    ]


def test_a_folder_of_the_other_kind_or_in_use_is_refused(
    tmp_path: Path, handlers: list[str]
) -> None:
    start_run(settings(True, tmp_path.name), tmp_path, RunLock(tmp_path), Board(), runs_here=True)
    (tmp_path / "language/journal").mkdir(parents=True)
    (tmp_path / "language/journal/d001-en.jsonl").write_text("a reply")
    with pytest.raises(SettingError, match="simulated models and this one has real"):
        start_run(
            settings(False, tmp_path.name), tmp_path, RunLock(tmp_path), Board(), runs_here=True
        )
    with pytest.raises(SettingError, match="is being written by another snakemake"):
        start_run(
            settings(True, tmp_path.name), tmp_path, RunLock(tmp_path), Board(), runs_here=True
        )
