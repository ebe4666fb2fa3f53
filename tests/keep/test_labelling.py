"""A run is sampled, labelled by one who reads it, and run on: from the command to the tables."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest

import judged_study
from dissensus.cli import main
from judged_study import is_sound
from read_facts import wrong_numbers
from support import ROOT, Project

#: Half of the verdicts on loud arguments that are not sound are wrong.
SPEECH = "{alone: 0.5, debate: 0.5, fooled: 0.7}"
CONFIGURATION = """
run: judged
studies: [judged]
study_folders: {judged: judged}
models: {m: {provider: simulated, behaviour: judged.study, speech: %s}}
judged: {speaker: m, judge: m, items: 30, labels: {judge: J, scale: ["yes", "no"]%s}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run that has ended, and has not been labelled."""
    made = Project(tmp_path_factory.mktemp("labels") / "project")
    made.configuration = "judged.yaml"
    (made.folder / "judged").mkdir()
    text = Path(judged_study.__file__).read_text("utf-8")
    (made.folder / "judged/study.py").write_text(text, "utf-8")
    (made.folder / "judged.yaml").write_text(CONFIGURATION % (SPEECH, ""), "utf-8")
    made.succeed("results/judged/judged/metrics.parquet")
    return made


def sampled(project: Project, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.chdir(project.folder)
    return main(["sample", "judged", "--study", "judged", "--n", "40", *arguments])


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


def test_a_sample_is_labelled_and_stands_beside_the_judge(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sampled(project, monkeypatch, "--to", "one") == 0
    assert "Name the table with the labels as judged.labels.file" in capsys.readouterr().out
    folder, results = project.folder / "one", project.folder / "results/judged/judged"
    rows = rows_of(folder / "sample.csv")
    # Twenty draws with both arms.
    assert len(rows) == 40 and list(rows[0]) == ["id", "label", "text"]
    for row in rows:
        assert row["label"] == "" and "Is this sound?" in row["text"]
        # Neither the arm nor what the judge said.
        assert "debate" not in row["text"] and "I say" not in row["text"]
    labels = ["id,label"]
    labels += [f"{row['id']},{'yes' if is_sound(row['text']) else 'no'}" for row in rows]
    (project.folder / "people.csv").write_text("\n".join(labels), "utf-8")
    named = CONFIGURATION % (SPEECH, ", file: people.csv")
    (project.folder / "judged.yaml").write_text(named, "utf-8")
    names = [f"results/judged/judged/tables/table_{name}.md" for name in ("labels", "agreement")]
    before = {path: path.stat().st_mtime_ns for path in (results / "transcripts").iterdir()}
    project.succeed(*names, "results/judged/index.html")
    assert before == {p: p.stat().st_mtime_ns for p in (results / "transcripts").iterdir()}
    found = pd.read_parquet(results / "labelled_contrasts.parquet")
    found = found[found["reference"] == "alone"].set_index("method")
    alone, both = (found.loc[by] for by in ("judge", "prediction_powered"))
    assert alone["ci_low"] > 0 and both["ci_low"] < 0 < both["ci_high"]
    labelled = pd.read_parquet(results / "labelled.parquet")
    wrong = labelled[labelled["judge"] != labelled["people"]]
    assert len(labelled) == 40 and set(wrong["people"]) == {"no"}
    against = pd.read_parquet(results / "findings.parquet").set_index("kind")["sentence"]
    assert "prediction-powered" in against["against"] and "by the judge alone" in against["but"]
    template = (ROOT / "workflow/report/experiment_outcomes.rst").read_text("utf-8")
    assert wrong_numbers(results, {"confidence": 0.95}, {"outcomes": template}) == []
    text = (project.folder / names[0]).read_text("utf-8")
    assert "people and judge (prediction-powered)" in text and "Simulated models." in text


@pytest.mark.thorough
def test_a_seed_draws_one_sample_and_writes_over_none(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for to, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        assert sampled(project, monkeypatch, "--seed", seed, "--to", to) == 0
    a, b, c = ((project.folder / to / "sample.csv").read_bytes() for to in "abc")
    assert a == b != c
    capsys.readouterr()
    assert sampled(project, monkeypatch, "--to", "a") == 1
    assert "a/sample.csv is there already, and may have labels in it" in capsys.readouterr().err


def test_the_page_has_the_texts_of_the_table_as_data(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sampled(project, monkeypatch, "--to", "page") == 0
    page = (project.folder / "page/sample.html").read_text("utf-8")
    (told,) = re.findall(r"Labelling\.start\(\.\.\.(.*)\);", page)
    _, question, scale, texts = json.loads(told)
    assert question == "What do you say in the place of J?" and scale == ["yes", "no"]
    assert [name for name, _ in texts] == [
        row["id"] for row in rows_of(project.folder / "page/sample.csv")
    ]
    assert "Simulated" in page and "debate" not in json.dumps(texts)


def test_whole_sessions_are_read_without_what_judges_say(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = "labels: {scale: [0, 1], hidden: [J]}"
    text = re.sub(r"labels: {.*?}", given, CONFIGURATION % (SPEECH, ""))
    (project.folder / "whole.yaml").write_text(text, "utf-8")
    assert sampled(project, monkeypatch, "--to", "whole", "--configfile", "whole.yaml") == 0
    rows = rows_of(project.folder / "whole/sample.csv")
    assert len(rows) == 40
    for row in rows:
        assert re.search("so it (follows|does not follow)", row["text"])
        assert "I say" not in row["text"] and "J:" not in row["text"]
    page = (project.folder / "whole/sample.html").read_text("utf-8")
    assert "1 where the argument is sound." in page and '["0", "1"]' in page


def test_what_cannot_be_sampled_is_a_sentence(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = (CONFIGURATION % (SPEECH, "")).replace("{judge: J", "{judge: K")
    (project.folder / "wrong.yaml").write_text(wrong, "utf-8")
    assert sampled(project, monkeypatch, "--to", "w", "--configfile", "wrong.yaml") == 1
    said = capsys.readouterr().err
    assert "name in judged.labels.judge one who speaks in its sessions" in said
    monkeypatch.chdir(project.folder)
    assert main(["sample", "nobody", "--study", "judged", "--n", "4"]) == 1
    assert "results/nobody/judged has no metrics.parquet; people label" in capsys.readouterr().err
    arguments = ["sample", "judged", "--study", "judged", "--n", "4", "--configfile", "none.yaml"]
    (project.folder / "none.yaml").write_text("studies: [language]", "utf-8")
    assert main(arguments) == 1
    assert "studies leaves out 'judged'; name the run's own" in capsys.readouterr().err
