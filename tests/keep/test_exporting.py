"""What a run's sessions are in the tools that others read them with: these open each file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dissensus.cli import main
from dissensus.errors import ResourceError
from dissensus.keep.exporting.docent import write_docent
from dissensus.keep.exporting.inspect_log import log_in, write_inspect
from dissensus.keep.exporting.scout import write_scout
from dissensus.keep.exporting.sessions import StudyFolder
from dissensus.keep.exporting.turns import write_turns
from dissensus.session.record import ATTEMPTS, CALLS
from dissensus.study.experiment.outcomes import Outcome, metrics_schema
from dissensus.study.gather import outcomes_schema, turns_schema
from dissensus.tables.artefact import Column, Schema, write
from dissensus.tables.common import common, text
from hostile_texts import HOSTILE
from made_frames import frame_of
from support import ROOT
from viewers import viewer

IDS: dict[str, Column] = {**common("session_id", "draw_id"), "arm": text("Arm of the session.")}
MANIFEST = Schema("manifest", "session", {**IDS, "item_id": text("The item.")}, ("session_id",))
POOL = Schema(
    "pool",
    "item",
    {"item_id": text("The item."), "question": text("What is asked."), "truth": text("Right.")},
    ("item_id",),
)
METRICS = metrics_schema(IDS, {}, {"right": Outcome("Right."), "vote": Outcome("A vote.")})
MADE = {
    "simulated": True,
    "commit": "c0ffee",
    "settings_sha256": "ab",
    "versions": {"dissensus": "1"},
}
#: All that is said; a person says every other.
SAID = [words for words in HOSTILE if words.isprintable() or "\n" in words]


@pytest.fixture
def study(tmp_path: Path) -> StudyFolder:
    """A study of two sessions, of which the second failed for good."""
    folder = tmp_path / "demo/mine"
    rows = [
        {"session_id": f"d001-{arm}", "draw_id": "d001", "arm": arm, "item_id": "i1"}
        for arm in ("one", "two")
    ]
    names = {name: rows[0][name] for name in IDS}
    turns = [
        {
            **names,
            "turn": number,
            "speaker": "H1" if number % 2 else "A1",
            "role": "debater",
            "round_label": f"round {number}",
            "model": "" if number % 2 else "some-model",
            "text": words,
            "value": '"yes"',
            "repairs": 0,
            "compliant": True,
            "origin": None,
            "person": bool(number % 2),
        }
        for number, words in enumerate(SAID)
    ]
    ended = [{**row, "complete": not n, "failure": "no credit" * n} for n, row in enumerate(rows)]
    call = {"session_id": "d001-one", "turn": 0, "speaker": "A1", "model": "some-model"}
    calls = [
        {**call, "attempt": n, "session_attempt": 1, "input_tokens": 10, "output_tokens": 5}
        | {"cost_usd": 0.25}
        for n in (1, 2)
    ]
    item = {"item_id": "i1", "question": "<b>Which?</b>", "truth": "yes"}
    metrics = [{**rows[0], "complete": True, "right": 1.0, "vote": 0.5}]
    made: list[tuple[str, Schema, Any]] = [
        ("manifest", MANIFEST, rows),
        ("pool", POOL, [item]),
        ("turns", turns_schema(IDS), turns),
        ("outcomes", outcomes_schema(IDS), frame_of(outcomes_schema(IDS), without(ended))),
        ("metrics", METRICS, frame_of(METRICS, without(metrics))),
        ("calls/d001-one", CALLS, frame_of(CALLS, calls)),
        ("sessions/d001-one", ATTEMPTS, frame_of(ATTEMPTS, [without([call | {"attempt": 1}])[0]])),
    ]
    for name, schema, table in made:
        write(folder / f"{name}.parquet", schema, table, MADE)
    return StudyFolder(folder, "arm", "item_id", "pool", "question")


def without(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without what only the manifest has."""
    return [{name: row[name] for name in row if name != "item_id"} for row in rows]


INSPECT = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log
(listed,) = list_eval_logs(sys.argv[2])
log = read_eval_log(sys.argv[1])
head = read_eval_log(listed, header_only=True)
assert (head.samples, head.eval, head.results) == (None, log.eval, log.results)
first, second = log.samples
spans = [e.name for e in first.events if e.event == "span_begin" and e.type == "agent"]
said = [e.output.completion if e.event == "model" else e.data
        for e in first.events if e.event in ("model", "info")]
print(json.dumps({
    "status": log.status, "tags": log.eval.tags, "ids": [s.id for s in log.samples],
    "texts": [m.text for m in first.messages], "roles": [m.role for m in first.messages],
    "spans": spans, "said": said, "input": first.input, "target": first.target,
    "scores": {name: score.value for name, score in first.scores.items()},
    "usage": {name: u.model_dump() for name, u in first.model_usage.items()},
    "total": {name: u.model_dump() for name, u in log.stats.model_usage.items()},
    "means": {s.name: s.metrics["mean"].value for s in log.results.scores},
    "of events": [e.output.usage and e.output.usage.model_dump() for e in first.events
                  if e.event == "model"],
    "listed": [listed.task, listed.task_id], "named": [log.eval.task, log.eval.task_id],
    "error": second.error.message, "messages": len(second.messages), "metadata": first.metadata}))
"""


@pytest.mark.thorough
def test_inspect_opens_its_log(study: StudyFolder, tmp_path: Path) -> None:
    path = log_in(study, tmp_path / "logs")
    assert write_inspect(study, path) == 2
    log = viewer(INSPECT, path, tmp_path / "logs")
    # What the viewer lists a log by is in its name, and the same as within.
    assert log["listed"] == log["named"] and log["named"][0] == "mine"
    assert (log["status"], log["tags"]) == ("success", ["simulated models"])
    assert log["texts"] == log["said"] == SAID
    assert log["roles"] == ["user" if n % 2 else "assistant" for n in range(len(SAID))]
    assert log["spans"] == ["H1" if n % 2 else "A1" for n in range(len(SAID))]
    assert (log["input"], log["target"]) == ("<b>Which?</b>", "yes")
    assert log["scores"] == log["means"] == {"right": 1.0, "vote": 0.5}
    used = log["usage"]["some-model"]
    assert (used["input_tokens"], used["output_tokens"], used["total_tokens"]) == (20, 10, 30)
    assert used["total_cost"] == log["total"]["some-model"]["total_cost"] == 0.5
    assert (log["ids"], log["error"]) == (["d001-one", "d001-two"], "no credit")
    assert log["messages"] == 0
    # The first turn took two calls, and of the others no call is kept.
    first, *others = log["of events"]
    assert (first["input_tokens"], first["output_tokens"], first["total_cost"]) == (20, 10, 0.5)
    assert others and not any(others)
    assert log["metadata"]["simulated models"] is True


@pytest.mark.thorough
def test_a_log_of_ours_comes_back_with_arms_items_people_and_values(
    study: StudyFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """As the table of turns has them; what failed for good has no turn, and is named."""
    viewer("print(1)")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/inspect").symlink_to(ROOT / ".venv/inspect")
    monkeypatch.chdir(tmp_path)
    log = log_in(study, tmp_path / "logs")
    write_inspect(study, log)
    assert main(["import", str(log), "--format", "inspect", "--run", "back"]) == 0
    printed = capsys.readouterr().out
    assert "Sessions without a turn are left out: d001-two." in printed
    assert "simulated models speak: all figures and tables will say so" in printed
    (table,) = tmp_path.glob("back-*.jsonl")
    back = [json.loads(line) for line in table.read_text("utf-8").splitlines()]
    write_turns(study, tmp_path / "turns.jsonl")
    lines = (tmp_path / "turns.jsonl").read_text("utf-8").splitlines()
    for row, line in zip(back, lines, strict=True):
        expected = json.loads(line)
        assert {name: row.get(name) or "" for name in expected} == {
            name: value or "" for name, value in expected.items()
        }


SCOUT = """
import asyncio, json, sys
from inspect_scout import TranscriptContent, transcripts_db

async def read():
    db = transcripts_db(sys.argv[1])
    async with db:
        infos = [info async for info in db.select()]
        first = await db.read(infos[0], TranscriptContent(messages="all"))
    return {"ids": [i.transcript_id for i in infos], "texts": [m.text for m in first.messages],
            "metadata": first.metadata, "success": [i.success for i in infos],
            "tokens": infos[0].total_tokens, "error": infos[1].error, "model": infos[0].model,
            "trust": infos[0].trust_content, "set": infos[0].task_set, "task": infos[0].task_id}
print(json.dumps(asyncio.run(read())))
"""


@pytest.mark.thorough
def test_scout_reads_its_transcripts(study: StudyFolder, tmp_path: Path) -> None:
    assert write_scout(study, tmp_path / "scout/demo.parquet") == 2
    read = viewer(SCOUT, tmp_path / "scout")
    assert read["ids"] == ["demo/mine/d001-one", "demo/mine/d001-two"]
    assert read["texts"] == SAID
    assert (read["success"], read["error"], read["tokens"]) == ([True, False], "no credit", 30)
    assert (read["set"], read["task"], read["model"]) == ("mine", "i1", "some-model")
    about = read["metadata"]
    assert about["arm"] == "one" and about["right"] == 1.0 and about["cost_usd"] == 0.5
    assert about["simulated models"] is True and read["trust"] is False


DOCENT = """
import json, sys
from docent.data_models import AgentRun
runs = [AgentRun.model_validate_json(line) for line in open(sys.argv[1], encoding="utf-8")]
print(json.dumps([{"name": r.name, "metadata": r.metadata,
    "agents": {t.name: [m.content for m in t.messages] for t in r.transcripts}} for r in runs]))
"""


@pytest.mark.thorough
def test_docent_reads_its_agent_runs(study: StudyFolder, tmp_path: Path) -> None:
    assert write_docent(study, tmp_path / "runs.jsonl") == 2
    first, failed = viewer(DOCENT, tmp_path / "runs.jsonl")
    assert first["agents"] == {"A1": SAID[::2], "H1": SAID[1::2]}
    assert first["metadata"]["scores"] == {"right": 1.0, "vote": 0.5}
    assert first["metadata"]["simulated models"] is True
    assert (first["metadata"]["failure"], failed["metadata"]["failure"]) == ("", "no credit")
    assert failed["agents"] == {"nobody": []}


@pytest.mark.parametrize("name", ["log.json", "demo.eval", "2026.json", "x-2026-01-02T03-04.json"])
def test_a_log_that_the_viewer_would_not_list_is_refused(study: StudyFolder, name: str) -> None:
    with pytest.raises(ResourceError) as caught:
        log_in(study, Path("logs") / name)
    made = log_in(study, Path("logs"))
    assert str(caught.value).endswith(f"name a folder, and the log in it will be {made.name}.")
    assert log_in(study, made) == made


def test_a_table_of_turns_says_who_is_a_person_and_who_is_simulated(
    study: StudyFolder, tmp_path: Path
) -> None:
    assert write_turns(study, tmp_path / "turns.parquet") == len(SAID)
    rows = pq.read_table(tmp_path / "turns.parquet").to_pylist()
    assert [row["text"] for row in rows] == SAID
    assert [row["simulated"] for row in rows] == [not row["person"] for row in rows]
    assert {row["truth_json"] for row in rows} == {'"yes"'}
    assert {row["item"] for row in rows} == {"i1"} and {row["session"] for row in rows} == {
        "d001-one"
    }


@pytest.mark.parametrize(
    ("write", "name", "sentence"),
    [
        (write_turns, "a.csv", "in a CSV, spreadsheets would run"),
        (write_scout, "a.json", "Scout reads a folder of these"),
        (write_docent, "a.json", "an agent run is a line"),
    ],
)
def test_another_ending_is_a_sentence(
    study: StudyFolder, tmp_path: Path, write: Any, name: str, sentence: str
) -> None:
    with pytest.raises(ResourceError, match=sentence):
        write(study, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_the_same_run_gives_the_same_bytes(study: StudyFolder, tmp_path: Path) -> None:
    for write_to, ending in ((write_inspect, "json"), (write_docent, "jsonl"),
                             (write_scout, "parquet"), (write_turns, "parquet")):  # fmt: skip
        files = [tmp_path / f"{n}/a.{ending}" for n in (1, 2)]
        for file in files:
            write_to(study, file)
        assert files[0].read_bytes() == files[1].read_bytes()
    assert json.loads((tmp_path / "1/a.json").read_text())["version"] == 2
