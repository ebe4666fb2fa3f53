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
#: What stays: debate, nudger, credible, alliance and reconcile.
LEFT_OUT = [
    "discuss",
    "consensus",
    "compromise",
    "moderator",
    "debate_again",
    "sentimental",
    "opposites",
]
SMALL = {
    "studies": ["consensus"],
    "consensus": {
        "statements": 2,
        "block_size": 2,
        "arms": dict.fromkeys(LEFT_OUT),
        "inference": {"resamples": 200, "flips": 200},
    },
}


@pytest.fixture(scope="session")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run that was killed while its debates ran, and went on."""

    def build(folder: Path) -> None:
        project = Project(folder)
        project.configure(SMALL)
        results = project.results(study="consensus")
        project.kill_when(lambda: len(list(results.glob("journal/*.jsonl"))) >= 7, METRICS)
        assert not (results / "votes.parquet").exists()
        project.succeed(METRICS)

    return Project.at(built_once(tmp_path_factory, "consensus", build))


def test_no_reply_is_asked_for_twice_where_a_run_is_killed(resumed: Project) -> None:
    keys = resumed.requests()
    assert len(keys) > 300 and set(keys.values()) == {1}
    assert not list(resumed.folder.glob("results/demo/**/*.part"))


def test_votes_and_agreement_are_what_the_transcripts_say(resumed: Project) -> None:
    folder = resumed.results(study="consensus")
    rounds: dict[tuple[str, int], dict[str, int]] = {}
    secrets = {r["statement_id"]: r["truth"] for r in _rows(folder / "statements.parquet")}
    shown = 0
    for path in sorted((folder / "transcripts").glob("*.parquet")):
        for turn in _rows(path):
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
