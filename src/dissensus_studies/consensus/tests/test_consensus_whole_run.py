"""A whole run: killed between rounds, resumed, and every vote recomputed from the transcripts."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from support import Project, built_once

METRICS = "results/demo/consensus/metrics.parquet"
LABELS = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
#: What stays: debate, nudger, credible, alliance, reconcile, ccagent and without_rationale.
LEFT_OUT = [
    "discuss",
    "consensus",
    "compromise",
    "moderator",
    "debate_again",
    "sentimental",
    "opposites",
    "without_good",
    "without_bad",
    "without_counterfactual",
    "metrics_only",
    "transferred",
    "debate_other",
    "ccagent_other",
]
SMALL = {
    "studies": ["consensus"],
    "consensus": {
        "statements": 2,
        "block_size": 2,
        "arms": dict.fromkeys(LEFT_OUT),
        "variants": {"debate_other": None, "ccagent_other": None},
        "learning": {"statements": 2, "examples": 3, "arms": {"compromise": None}},
        "inference": {"resamples": 200, "flips": 200},
    },
}


@pytest.fixture(scope="session")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run that was killed while its debates ran, and between what is learned and what is done
    with it, and went on."""

    def build(folder: Path) -> None:
        project = Project(folder)
        project.configure(SMALL)
        results = project.results(study="consensus")
        project.kill_when(lambda: len(list(results.glob("journal/*.jsonl"))) >= 7, METRICS)
        assert not (results / "votes.parquet").exists()
        spoken = [results / f"journal/reflection-{one}.jsonl" for one in ("city", "politics")]
        project.kill_when(lambda: any(path.exists() for path in spoken), METRICS)
        assert not list(results.glob("journal/*-ccagent.jsonl"))
        project.succeed(METRICS)

    return Project.at(built_once(tmp_path_factory, "consensus", build))


@pytest.mark.thorough
def test_no_reply_is_asked_for_twice_where_a_run_is_killed(resumed: Project) -> None:
    keys = resumed.requests()
    assert len(keys) > 300 and set(keys.values()) == {1}
    assert not list(resumed.folder.glob("results/demo/**/*.part"))


def test_held_out_debates_have_read_the_block_that_lies_there(resumed: Project) -> None:
    folder = resumed.results(study="consensus")
    examples = _rows(folder / "fewshot.parquet")
    assert len(examples) == 2 * 2 * 3 and all(row["rationale"] for row in examples)
    page = (folder / "fewshot.md").read_text(encoding="utf-8")
    said = {turn["text"] for turn in _rows(folder / "transcripts/reflection-city.parquet")}
    own = [row for row in examples if row["domain"] == "city"]
    assert {row[kind] for row in own for kind in ("rationale", "counterfactual")} <= said
    assert all(str(row["rationale"]) in page for row in examples)
    rows = {row["session_id"]: row for row in _rows(folder / "manifest.parquet")}
    late = [name for name, row in rows.items() if row["strategy"].startswith("ccagent")]
    assert len(late) == 2 * 2 * 2
    times = {name: (folder / f"transcripts/{name}.parquet").stat().st_mtime for name in rows}
    block = (folder / "fewshot.parquet").stat().st_mtime
    # Questions to the agents wait for nothing, and may come last.
    learned_from = [n for n, row in rows.items() if row["kind"] in ("training", "reflection")]
    assert len(learned_from) > 2
    assert max(times[name] for name in learned_from) <= block
    assert block <= min(times[name] for name in late)


def test_votes_and_agreement_are_what_the_transcripts_say(resumed: Project) -> None:
    folder = resumed.results(study="consensus")
    rounds: dict[tuple[str, int], dict[str, int]] = {}
    secrets = {r["statement_id"]: r["truth"] for r in _rows(folder / "statements.parquet")}
    shown = 0
    sessions = _rows(folder / "manifest.parquet")
    for name in (row["session_id"] for row in sessions if row["kind"] == "debate"):
        for turn in _rows(folder / f"transcripts/{name}.parquet"):
            if turn["role"] == "nudger" and turn["compliant"]:
                truth = secrets[turn["statement_id"]].casefold().split(" to ")
                assert not any(label in turn["text"].casefold() for label in truth)
                shown += 1
            if turn["role"] != "voter":
                continue
            vote = re.findall(r"^Vote: (.*)$", turn["text"], re.MULTILINE)
            number = int(turn["round_label"].split()[1])
            at = rounds.setdefault((turn["session_id"], number), {})
            at[turn["speaker"]] = LABELS.index(vote[-1]) if vote else -1
    assert shown > 5
    votes: dict[tuple[str, int], dict[str, int]] = {}
    for row in _rows(folder / "votes.parquet"):
        at = votes.setdefault((row["session_id"], row["round"]), {})
        at[row["agent"]] = row["vote"]
    assert votes == rounds
    for row in _rows(folder / "metrics.parquet"):
        last = max(number for name, number in rounds if name == row["session_id"])
        cast = list(rounds[row["session_id"], last].values())
        assert row["rounds_lasted"] == last
        assert row["agreement"] == max(Counter(cast).values()) / len(cast)
        assert row["consensus"] == (len(set(cast)) == 1)


def test_a_broken_table_stops_the_run_before_any_call(project: Project) -> None:
    project.configure(SMALL)
    path = project.folder / "resources/stakeholders/city/statements.csv"
    path.write_text(path.read_text("utf-8").replace(",Neutral,", ",Undecided,", 1), "utf-8")
    done = project.run()
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if "Undecided" in line]
    assert said and re.search(r"statements\.csv, row \d+: truth holds 'Undecided'", said[0])
    assert "Traceback" not in done.stderr
    assert not list(project.folder.glob("results/demo/consensus/journal/*"))


def _rows(path: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.read_table(path).to_pylist()
    return found
