"""One writer a run, whatever becomes of it; simulated and real models in folders of their own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dissensus.errors import SettingError
from dissensus.run.run_folder import RunLock, claim_run

HOLDER = """
import sys, time
from pathlib import Path
from dissensus.run.run_folder import RunLock
RunLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
time.sleep(600)
"""


def test_two_processes_do_not_write_one_run(tmp_path: Path):
    folder = tmp_path / "results" / "demo"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(SettingError, match=r"demo is being written by another snakemake"):
            RunLock(folder).acquire()
        RunLock(tmp_path / "results" / "other").acquire()
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    # The lock died with its holder: no person is needed.
    RunLock(folder).acquire()


def test_a_lock_is_held_until_it_is_let_go(tmp_path: Path):
    first = RunLock(tmp_path)
    first.acquire()
    with pytest.raises(SettingError):
        RunLock(tmp_path).acquire()


@pytest.mark.parametrize("simulated", [True, False])
@pytest.mark.parametrize("reply", ["union/journal/a.jsonl", "union/transcripts/a", "ledger.jsonl"])
def test_a_run_has_one_kind_of_models(tmp_path: Path, simulated: bool, reply: str):
    claim_run(tmp_path / "demo", simulated)
    (tmp_path / "demo" / reply).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "demo" / reply).write_text("{}")
    claim_run(tmp_path / "demo", simulated)
    held, wanted = ("simulated", "real") if simulated else ("real", "simulated")
    with pytest.raises(SettingError) as caught:
        claim_run(tmp_path / "demo", not simulated)
    assert str(caught.value) == (
        f"{tmp_path / 'demo'} holds a run with {held} models and this one has {wanted} models; "
        "give it another name (run in config.yaml)."
    )
    claim_run(tmp_path / "other", not simulated)


@pytest.mark.parametrize("simulated", [True, False])
def test_a_run_without_a_reply_may_change_its_kind(tmp_path: Path, simulated: bool):
    claim_run(tmp_path, simulated)
    (tmp_path / "union").mkdir()
    (tmp_path / "union/manifest.parquet").write_text("drawn before any call")
    claim_run(tmp_path, not simulated)
    (tmp_path / "ledger.jsonl").write_text("")
    claim_run(tmp_path, simulated)
    (tmp_path / "ledger.jsonl").write_text("{}")
    with pytest.raises(SettingError):
        claim_run(tmp_path, not simulated)
