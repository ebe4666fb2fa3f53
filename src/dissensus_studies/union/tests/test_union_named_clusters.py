"""Whole runs of the union study with clusters that a model names."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from both import ran_since, rows
from support import Project, built_once

from .test_union_attacked_runs import ESTIMATES, bytes_of, configure, folder_of, pairs

MAPPED = [
    *ESTIMATES,
    *(f"results/demo/union/{name}.parquet" for name in ("cluster_names", "wins", "survival")),
]
NAMER = {"projection": "pca", "namer": "union-coach"}


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run of one motion, of two epochs, with its map."""

    def build(folder: Path) -> None:
        pairs(folder, epochs=2).succeed(*MAPPED)

    return Project.at(built_once(tmp_path_factory, "pairs", build))


def transcripts(project: Project) -> dict[str, Path]:
    return {path.stem: path for path in folder_of(project).glob("transcripts/*")}


@pytest.fixture(scope="session")
def named(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The same, with clusters that a model names."""

    def build(folder: Path) -> None:
        made = pairs(folder, epochs=2, map=NAMER)
        made.succeed(*MAPPED)
        assert made.planned(*MAPPED) == {}

    return Project.at(built_once(tmp_path_factory, "named", build))


def names_of(project: Project) -> str:
    """The session that names the clusters."""
    manifest = rows(folder_of(project) / "manifest.parquet")
    (name,) = (row["session_id"] for row in manifest if row["kind"] == "names")
    return str(name)


@pytest.mark.thorough
def test_names_change_no_byte_of_what_is_named(ended: Project, named: Project) -> None:
    without, those = transcripts(ended), transcripts(named)
    assert set(those) == {*without, names_of(named)}
    for name, path in without.items():
        assert those[name].read_bytes() == path.read_bytes(), name
    keys = named.requests()
    assert {key: keys[key] for key in ended.requests()} == dict(ended.requests())
    assert set(keys.values()) == {1}
    for record in ("speeches", "claims", "votes", "verdicts", "wins", "survival", "coaching"):
        found, expected = (folder_of(one) / f"{record}.parquet" for one in (named, ended))
        assert rows(found) == rows(expected), record


def test_clusters_are_named_last_each_once(named: Project) -> None:
    name = names_of(named)
    ends = {one: path.stat().st_mtime_ns for one, path in transcripts(named).items()}
    assert max(ends, key=lambda one: ends[one]) == name
    turns = rows(transcripts(named)[name])
    clusters = rows(folder_of(named) / "clusters.parquet")
    assert [turn["speaker"] for turn in turns] == [str(row["cluster"]) for row in clusters]
    assert {turn["role"] for turn in turns} == {"name"} and clusters


@pytest.mark.thorough
def test_without_names_again_nothing_more_is_asked(
    ended: Project, named: Project, tmp_path: Path
) -> None:
    project = named.copy(tmp_path / "project")
    moment = time.time()
    configure(project, epochs=2)
    project.succeed(*MAPPED)
    assert ran_since(project, moment) == set()
    # Who is there no more is in no result; what it said stays where it was kept.
    kept = transcripts(project).keys() - transcripts(ended).keys()
    assert kept <= {names_of(named)}
    mine, whole = bytes_of(project), bytes_of(ended)
    assert {name: mine[name] for name in whole} == whole
