"""The identity and the deliberation study together, small enough for whole runs."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from dissensus_studies.deliberation.design import manifest as deliberation_manifest
from dissensus_studies.deliberation.settings import DeliberationSettings
from dissensus_studies.identity.design import manifest as identity_manifest
from dissensus_studies.identity.protocol import read_personas
from dissensus_studies.identity.settings import IdentitySettings
from support import Project

STUDIES = ("identity", "deliberation")
KINDS = (".parquet", ".csv", ".md", ".svg")

AGENTS, ROUNDS = 3, 2
SEATS, TURNS = 4, 3
ARMS: dict[str, Any] = {
    **dict.fromkeys(("emergent_again", "full", "refined", "sampled")),
    **{"crit": {"crit": True}, "rca": {"hints": True, "rca": True}},
}
#: Both studies, small enough to be quick: two banks, the first in two shards; two blocks of draws.
BOTH: dict[str, Any] = {
    "studies": [*STUDIES],
    # The debaters know the questions in either wording, so that these may change.
    "models": {"identity-deferring": {"speech": {"questions": [
        "resources/questions/choice.csv", "resources/questions/numeric.csv", "reworded.csv"]}}},
    "identity": {
        "banks": {
            "choice": {"source": "choice.csv", "questions": 5},
            "numeric": {"questions": 4},
        },
        "agents": AGENTS,
        "rounds": ROUNDS,
        "shard": 4,
        "teams": {
            **dict.fromkeys(("deferring-4", "deferring-personas", "stubborn", "even")),
            "full": {"model": "identity-deferring", "graph": "full", "banks": ["choice"]},
        },
        "inference": {"resamples": 100, "goodness_resamples": 19},
    },
    "deliberation": {
        "draws": 3,
        "block_size": 2,
        "rounds": TURNS,
        "arms": ARMS,
        "inference": {"resamples": 100, "flips": 200},
    },
}  # fmt: skip


def with_both(folder: Path) -> Project:
    """A fresh project of both studies, whose questions of choice have a file of their own."""
    made = Project(folder)
    source = made.folder / "resources/questions/choice.csv"
    (made.folder / "choice.csv").write_bytes(source.read_bytes())
    rewrite(source, made.folder / "reworded.csv", lambda row: True)
    made.configure(BOTH)
    return made


def rewrite(source: Path, target: Path, which: Callable[[dict[str, str]], bool]) -> None:
    """Write a file of questions with some of them in other words."""
    with source.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            again = {"question": f"{row['question']} Choose one."} if which(row) else {}
            writer.writerow(row | again)


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


def manifest(project: Project, study: str) -> list[dict[str, Any]]:
    return rows(project.results(study=study) / "manifest.parquet")


def everything(project: Project) -> dict[str, bytes]:
    """The bytes of all results of both studies."""
    return {
        f"{study}/{name}": held
        for study in STUDIES
        for name, held in project.digests(KINDS, study=study).items()
    }


def ran_since(project: Project, moment: float) -> set[str]:
    """The sessions that ran after a moment."""
    written = {
        path.stem
        for kind in ("sessions", "calls", "transcripts", "journal")
        for path in project.folder.glob(f"results/demo/*/{kind}/*")
        if path.stat().st_mtime > moment
    }
    assert written == {
        path.stem
        for path in project.folder.glob("results/demo/*/transcripts/*")
        if path.stat().st_mtime > moment
    }
    return written


def drawn(project: Project, study: str, seed: int) -> list[dict[str, Any]]:
    """A study's manifest as a seed gives it: from the settings and the table that is drawn from."""
    settings = _merged(project.settings()[study], BOTH[study])
    folder = project.results(study=study)
    if study == "identity":
        debates = IdentitySettings.model_validate(settings)
        personas = [*read_personas(project.folder / debates.personas)]
        how = (debates.agents, debates.rounds, debates.shard, debates.teams, personas)
        questions = rows(folder / "questions.parquet")
        return identity_manifest.draw_manifest(questions, identity_manifest.Drawing(seed, *how))
    talks = DeliberationSettings.model_validate(settings)
    drawing = deliberation_manifest.Drawing(
        seed, talks.draws, talks.block_size, talks.rounds, talks.panel, talks.judges, [*talks.arms]
    )
    return deliberation_manifest.draw_manifest(rows(folder / "topics.parquet"), drawing)


def _merged(below: Any, above: Any) -> Any:
    """Settings on top of others, as Snakemake puts them there."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return below | {name: _merged(below.get(name), value) for name, value in above.items()}
