"""A table of other people's debates becomes a run like any: files, pages, verify, and back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest

from dissensus.cli import main
from dissensus.tables.artefact import provenance_of, read
from support import ROOT, Project, built_once

EXAMPLE = ROOT / "examples/transcripts/groups.csv"
COLUMNS = (
    *("session=group", "arm=condition", "item=topic", "round=round", "speaker=name"),
    *("model=model", "person=human", "text=said", "value=stance"),
)


def imported(project: Project, *arguments: str) -> int:
    """Run ``dissensus import`` in a project."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.folder)
        return main(["import", *arguments])


def columns(pairs: Sequence[str] = COLUMNS) -> list[str]:
    return [word for pair in pairs for word in ("--column", pair)]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    def build(folder: Path) -> None:
        project = Project(folder)
        shutil.copy2(EXAMPLE, folder / "groups.csv")
        assert imported(project, "groups.csv", "--run", "groups", *columns()) == 0
        project.configuration = "groups.yaml"
        project.succeed("archive")

    project = Project.at(built_once(tmp_path_factory, "imported_groups", build))
    project.configuration = "groups.yaml"
    return project


def test_all_that_a_study_makes_is_there(finished: Project) -> None:
    folder = finished.results("groups", "debates")
    turns = read(folder / "turns.parquet").to_pylist()
    assert len(turns) == 108
    assert {turn["person"] for turn in turns if turn["arm"] == "people"} == {True}
    assert {turn["person"] for turn in turns if turn["arm"] == "models"} == {False}
    assert not {turn["speaker"] for turn in turns} & {"Ana", "Bo", "Cem"}
    assert {turn["origin"] for turn in turns} == {"imported from groups.csv"}
    contrasts = read(folder / "contrasts.parquet").to_pylist()
    (headline,) = [row for row in contrasts if row["headline"]]
    assert (headline["outcome"], headline["contrast"], headline["n"]) == (
        "s_lex",
        "models-people",
        6,
    )
    # The models of the example say what the others say.
    assert headline["estimate"] > 0.1


def test_its_card_says_that_no_arm_was_drawn(finished: Project) -> None:
    sentences = read(finished.results("groups", "debates") / "findings.parquet").to_pylist()
    (objection,) = [row["sentence"] for row in sentences if row["kind"] == "but"]
    assert objection.startswith("But no arm was drawn at random here")


def test_nothing_imported_is_called_simulated_or_paid(finished: Project) -> None:
    folder = finished.results("groups", "debates")
    made = provenance_of(folder / "transcripts/s0001.parquet")
    assert (made["simulated"], made["imported_from"]) == (False, "groups.csv")
    assert len(made["imported_sha256"]) == 64
    pages = [finished.folder / "results/groups/index.html", folder / "index.html"]
    for page in (*pages, folder / "figures/outcomes.svg", folder / "tables/table_contrasts.md"):
        assert "imulated model" not in page.read_text(encoding="utf-8"), page
    assert (finished.folder / "results/groups/.models").read_text() == "imported\n"
    assert not any(path.stat().st_size for path in folder.glob("journal/*"))
    assert read(folder / "spending.parquet").num_rows == 0


def test_it_is_verified_and_read_like_any_run(
    finished: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "all as they were made" in finished.succeed("verify")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(finished.folder)
        assert main(["read", "s0001", "--run", "groups"]) == 0
        page = capsys.readouterr().out
        assert main(["fork", "s0001", "--run", "groups", "--turn", "1", "--say", "groups.csv"]) == 1
    assert "Turn 1, H1, a person" in page and "imported from groups.csv" in page
    assert "was imported, and asks no model" in capsys.readouterr().err


def test_its_archive_has_the_file_and_says_what_it_is(finished: Project) -> None:
    with ZipFile(finished.folder / "results/groups/archive.zip") as archive:
        assert archive.read("groups.csv") == EXAMPLE.read_bytes()
        verdict, crate = (
            archive.read(name).decode() for name in ("VERDICT.md", "ro-crate-metadata.json")
        )
    assert "its sessions were imported" in verdict
    assert "Debates of people or models, imported (debates)" in crate
    for name in ("index.html", "report.rst"):
        page = (finished.folder / "results/groups" / name).read_text(encoding="utf-8")
        assert "imported" in page and "groups of language models" not in page


def test_the_same_file_gives_the_same_bytes(finished: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "again")
    shutil.copy2(EXAMPLE, other.folder / "groups.csv")
    assert imported(other, "groups.csv", "--run", "groups", *columns()) == 0
    other.configuration = "groups.yaml"
    other.succeed("results/groups/debates/contrasts.parquet")
    made = other.digests(run="groups", study="debates")
    before = finished.digests(run="groups", study="debates")
    assert len(made) > 24 and made == {name: before[name] for name in made}


def test_what_goes_out_comes_back_to_the_same_bytes(finished: Project, tmp_path: Path) -> None:
    project = Project(tmp_path / "back")
    first, second = project.folder / "first.parquet", tmp_path / "second.parquet"
    export = ("--study", "debates", "--to", "turns", "--output")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(finished.folder)
        assert main(["export", "groups", *export, str(first)]) == 0
    assert imported(project, str(first), "--run", "back") == 0
    project.configuration = "back.yaml"
    project.succeed("results/back/debates/turns.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.folder)
        assert main(["export", "back", *export, str(second)]) == 0
    assert second.read_bytes() == first.read_bytes()
    kept = [read(each.results(name, "debates") / "turns.parquet").drop_columns("origin")
            for each, name in ((finished, "groups"), (project, "back"))]  # fmt: skip
    assert kept[0].drop_columns("cluster_id").equals(kept[1].drop_columns("cluster_id"))


def test_a_wrong_file_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = Project(tmp_path / "wrong")
    broken = EXAMPLE.read_bytes().replace(b"h002,people,library", b",people,library", 1)
    (project.folder / "groups.csv").write_bytes(broken)
    assert imported(project, "groups.csv", "--run", "groups", *columns()) == 1
    assert "groups.csv, row 11: session is empty" in capsys.readouterr().err
    assert not (project.folder / "groups.yaml").exists()
    (project.folder / "a.json").write_text(json.dumps([{"exampleId": 1}]))
    assert imported(project, "a.json", "--format", "mallm", "--run", "other") == 1
    assert not list(project.folder.glob("other*"))


@pytest.mark.thorough
def test_hostile_names_of_a_file_stay_inert_on_every_page(tmp_path: Path) -> None:
    attack = "<img src=x onerror=alert(1)> [a](javascript:alert(2)) `_x` |y| {{ n }}"
    names = ("arm", "item", "speaker", "role", "model", "round_label", "text", "value", "truth")
    turns = [
        {"session": f"{attack}{session}", **dict.fromkeys(names, f"{attack} {session % 2}")}
        for session in range(8)
        for _ in range(3)
    ]
    for number, turn in enumerate(turns):
        turn |= {"item": f"{attack} {number // 6}", "speaker": f"{attack} {number % 2}"}
    project = Project(tmp_path / "hostile")
    lines = "".join(json.dumps(turn) + "\n" for turn in turns)
    (project.folder / "turns.jsonl").write_text(lines)
    assert imported(project, "turns.jsonl", "--run", "host", "--embedder", "none") == 0
    project.configuration = "host.yaml"
    project.succeed("results/host/index.html", "results/host/report.rst")
    pages = [
        path
        for path in (project.folder / "results/host").rglob("*")
        if path.suffix in (".html", ".svg", ".rst", ".md")
    ]
    assert len(pages) > 8
    for page in pages:
        text = page.read_text(encoding="utf-8").replace("\\<img", "")
        # In reStructuredText a tag is text, and Jinja reads braces.
        is_rst = page.suffix == ".rst"
        assert ("{{ n }}" if is_rst else "<img src=x") not in text, page
        assert 'href="javascript' not in text, page


def test_a_run_of_another_kind_is_not_mixed_with_it(tmp_path: Path) -> None:
    project = Project(tmp_path / "mixed")
    shutil.copy2(EXAMPLE, project.folder / "groups.csv")
    assert imported(project, "groups.csv", "--run", "groups", *columns()) == 0
    project.configuration = "groups.yaml"
    done = project.run("--dry-run", "--config", "studies=[debates,language]")
    assert done.returncode and "debates asks no model, and is a run of its own" in done.stderr


def test_a_table_of_arrow_has_no_text_that_a_spreadsheet_runs(finished: Project) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(finished.folder)
        export = ["export", "groups", "--to", "turns", "--output"]
        assert main([*export, "turns.csv"]) == 1
        assert main([*export, "turns.parquet"]) == 0
    assert pq.read_table(finished.folder / "turns.parquet").num_rows == 108
