"""The archive of a registered run says who ran what, and shows from itself what was changed."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from rocrate.rocrate import ROCrate

from dissensus.errors import SettingError
from dissensus.keep.closing import read_closing
from dissensus.keep.crate import _licence
from dissensus.keep.packed import Packed, faults
from dissensus.keep.verdict import authors, creators
from dissensus.llm.records import read_line, write_line
from dissensus.study.configuration import load, load_file
from dissensus.tables.artefact import provenance_of
from scripted import default_configuration
from support import ROOT, Project

pytestmark = pytest.mark.run
CREATOR = {"name": "Ada Lovelace", "orcid": "https://orcid.org/0000-0001-2345-678X"}
SETTINGS: dict[str, Any] = {
    **{"run": "demo", "studies": ["tuned"], "study_folders": {"tuned": "tuned"}},
    **{"tuned": {"model": "heron", "prompt": "tuned/prompt.txt"}, "creator": [CREATOR]},
    "license": "CC-BY-4.0",
}


def configure(project: Project, effect: float) -> None:
    speech = {"word": "heron", "effect": effect, "noise": 5.0}
    agent = {"provider": "simulated", "behaviour": "tuned.study", "speech": speech}
    text = yaml.safe_dump({**SETTINGS, "models": {"heron": agent}})
    (project.folder / "more.yaml").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked archive of a run whose prompt, measure and model were changed after its plan."""
    project = Project(tmp_path_factory.mktemp("crate") / "project")
    shutil.copy(ROOT / "CITATION.cff", project.folder)
    own = project.folder / "tuned"
    own.mkdir()
    study = (ROOT / "tests/tuned_study.py").read_text("utf-8")
    (own / "study.py").write_text(study, "utf-8")
    (own / "prompt.txt").write_text("Think like a heron.\n", "utf-8")
    configure(project, 10.0)
    project.succeed("preregistration")
    (own / "prompt.txt").write_text("Think like a wise heron.\n", "utf-8")
    measured = 'turns["value"].iloc[-1]'
    (own / "study.py").write_text(study.replace(measured, f"2 * {measured}"), "utf-8")
    configure(project, 20.0)
    project.succeed("archive")
    place = tmp_path_factory.mktemp("unpacked") / "crate"
    with zipfile.ZipFile(project.folder / "results/demo/archive.zip") as packed:
        assert len({*packed.namelist()}) == len(packed.namelist())
        packed.extractall(place)
    return place


def entities(crate: Path) -> dict[str, dict[str, Any]]:
    graph = json.loads((crate / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    return {each["@id"]: each for each in graph}


def many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def ids(value: Any) -> list[str]:
    return [each["@id"] for each in many(value)]


def test_it_is_a_process_run_crate(crate: Path) -> None:
    """What RO-Crate 1.1 and Process Run Crate 0.5 demand."""
    found = entities(crate)
    root, run = found["./"], found["#run"]
    about = found["ro-crate-metadata.json"]
    assert about["about"] == {"@id": "./"}
    assert "https://w3id.org/ro/crate/1.1" in ids(about["conformsTo"])
    assert "https://w3id.org/ro/wfrun/process/0.5" in ids(root["conformsTo"])
    assert all(root[name] for name in ("name", "description", "datePublished"))
    assert ids(root["license"]) == ["https://spdx.org/licenses/CC-BY-4.0"]
    assert ids(root["mentions"]) == ["#run"] and run["@type"] == "CreateAction"
    made_with = [found[each]["@type"] for each in ids(run["instrument"])]
    assert any("ComputationalWorkflow" in kind for kind in made_with)
    assert "SoftwareApplication" in made_with
    assert "results/demo/tuned/preregistration.json" in ids(run["object"])
    assert "run.yaml" in ids(run["object"]) and "published/" in ids(run["result"])
    # Whatever is named is described, but for pages elsewhere, and what is a file is there.
    named = [each for entity in found.values() for value in entity.values() for each in many(value)]
    linked = {each["@id"] for each in named if isinstance(each, dict)}
    assert {each for each in linked if not each.startswith("https://")} <= found.keys()
    described = {*ids(root["license"]), *ids(root["conformsTo"]), *ids(root["creator"])}
    assert "https://w3id.org/ro/wfrun/process/0.5" in described & found.keys()
    files = [name for name, each in found.items() if {"File", "Dataset"} & {*many(each["@type"])}]
    assert len(files) > 5 and all((crate / name).exists() for name in files)


def test_it_says_who_made_the_run_and_when(crate: Path) -> None:
    found = entities(crate)
    (creator,) = ids(found["./"]["creator"])
    assert creator == CREATOR["orcid"] and found[creator]["name"] == CREATOR["name"]
    assert found["#run"]["agent"] == found["./"]["creator"]
    # Simulated replies have no clock reading, and none is invented.
    journal = (crate / "results/demo/tuned/journal/d001-plain.jsonl").read_text("utf-8")
    assert ("startTime" in found["#run"]) == ('"started": "2' in journal)
    assert "Creator: Ada Lovelace (from the setting creator)." in verdict(crate)


def test_the_software_has_its_own_licence_authors_and_version(crate: Path) -> None:
    software = entities(crate)["#dissensus"]
    assert ids(software["license"]) == ["https://spdx.org/licenses/Apache-2.0"]
    (author,) = ids(software["author"])
    assert entities(crate)[author]["@type"] == "Organization"
    turns = crate / "published/tuned/turns.parquet"
    assert software["softwareVersion"] == provenance_of(turns)["versions"]["dissensus"]


def test_nobody_is_named_for_a_run_and_no_licence_where_none_is_set() -> None:
    """Those of the software are not those of the data."""
    settings = load_file(ROOT / "config.yaml")
    assert creators(settings) == [] and [each.kind for each in authors()] == ["Organization"]
    made = ROCrate(version="1.1")
    none = _licence(made, settings.license)
    assert none["name"].startswith("No licence is stated")
    assert _licence(made, "https://example.org/terms").id == "https://example.org/terms"


@pytest.mark.parametrize("given", ["CC BY", "http://example.org", ""])
def test_a_licence_is_a_name_or_an_address(given: str) -> None:
    with pytest.raises(SettingError, match="it must be a name of SPDX such as"):
        load({**default_configuration(), "license": given})


def test_models_are_entities_and_files_have_sizes_formats_and_digests(crate: Path) -> None:
    found = entities(crate)
    assert found["#model-heron"]["description"] == "A language model, simulated, by tuned.study."
    assert "#model-heron" in ids(found["#run"]["instrument"])
    for name, kind in (
        ("published/tuned/contrasts.parquet", "application/vnd.apache.parquet"),
        ("published/index.html", "text/html"),
        ("VERDICT.md", "text/markdown"),
        ("results/demo/tuned/preregistration.json", "application/json"),
    ):
        content = (crate / name).read_bytes()
        assert found[name]["contentSize"] == str(len(content))
        assert found[name]["encodingFormat"] == kind
        assert found[name]["sha256"] == sha256(content).hexdigest()
    described = {name for name in found if name.startswith("published/")}
    published = (path for path in (crate / "published").rglob("*") if path.is_file())
    assert {path.relative_to(crate).as_posix() for path in published} <= described


def test_one_digest_closes_the_run_wherever_it_stands(crate: Path) -> None:
    content = (crate / "published/closing.sha256").read_bytes()
    digest = sha256(content).hexdigest()
    assert digest in verdict(crate) and digest in (crate / "published/index.html").read_text(
        "utf-8"
    )
    assert entities(crate)["published/closing.sha256"]["sha256"] == digest
    listed = read_closing(content.decode(), "")
    names = {path.relative_to("results/demo").as_posix() for path in listed}
    journals = {f"tuned/journal/{path.name}" for path in crate.glob("results/*/*/journal/*.jsonl")}
    assert len(journals) == 40 and journals < names
    assert {"tuned/preregistration.json", "tuned/contrasts.parquet"} < names


def verdict(crate: Path) -> str:
    return (crate / "VERDICT.md").read_text("utf-8")


def rewritten(path: Path, change: Callable[[str], str]) -> None:
    before = path.read_text("utf-8")
    assert change(before) != before
    path.write_text(change(before), "utf-8")


def reply_sealed_anew(crate: Path) -> None:
    path = crate / "results/demo/tuned/journal/d001-plain.jsonl"
    lines = path.read_bytes().splitlines()
    lines[-1] = write_line({**read_line(lines[-1]), "text": "99"})[:-1]
    path.write_bytes(b"\n".join(lines) + b"\n")


def journal_added(crate: Path) -> None:
    folder = crate / "results/demo/tuned/journal"
    shutil.copy(folder / "d001-plain.jsonl", folder / "d999-plain.jsonl")


def page_with_another_number(crate: Path) -> None:
    rewritten(crate / "published/tuned/index.html", lambda text: text.replace("0", "9"))


def page_with_its_digest(crate: Path) -> None:
    """The page, and the list of results too."""
    page = crate / "published/tuned/index.html"
    before = sha256(page.read_bytes()).hexdigest()
    page_with_another_number(crate)
    after = sha256(page.read_bytes()).hexdigest()
    rewritten(crate / "results.sha256", lambda text: text.replace(before, after))


EDITS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a reply, sealed anew": (reply_sealed_anew, "d001-plain.jsonl is not as it was"),
    "a journal that is added": (journal_added, "d999-plain.jsonl is in no list"),
    "a journal that is taken out": (
        lambda crate: (crate / "results/demo/tuned/journal/d002-plain.jsonl").unlink(),
        "d002-plain.jsonl, which published/closing.sha256 lists",
    ),
    "the plan": (
        lambda crate: rewritten(
            crate / "results/demo/tuned/preregistration.json",
            lambda text: text.replace("heron", "otter"),
        ),
        "preregistration.json is not as",
    ),
    "a page": (page_with_another_number, "tuned/index.html is not as"),
    "a page and its digest": (page_with_its_digest, "results.sha256 is not the one whose SHA-256"),
    "the verdict": (
        lambda crate: rewritten(
            crate / "VERDICT.md", lambda text: text.replace("3 deviations", "0 deviations")
        ),
        "VERDICT.md is not as",
    ),
    "a file that is added": (
        lambda crate: (crate / "published/extra.html").write_text("x", "utf-8"),
        "extra.html is in no list of what was published",
    ),
    "the list of all": (
        lambda crate: rewritten(
            crate / "published/closing.sha256", lambda text: text.replace("0", "1", 1)
        ),
        "published/closing.sha256 is not the one whose SHA-256 VERDICT.md has",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_archive_that_was_edited_is_found(crate: Path, tmp_path: Path, name: str) -> None:
    edit, said = EDITS[name]
    place = shutil.copytree(crate, tmp_path / "crate")
    archive = Packed(place, Path("results/demo"))
    assert faults(archive) == []
    edit(place)
    assert any(said in each for each in faults(archive)), faults(archive)
    # The same in its file.
    packed = Packed(Path(shutil.make_archive(str(tmp_path / "a"), "zip", place)), archive.results)
    assert any(said in each for each in faults(packed))


def test_three_planted_deviations_are_found_from_the_crate_alone(crate: Path) -> None:
    page = verdict(crate)
    assert "Registered before its first session: the plan was written 2" in page
    assert "3 deviations: model 1, prompt 1, code 1." in page
    for sentence in ("tuned/prompt.txt has changed", "tuned/study.py has changed", "effect was 10"):
        assert sentence in page
    diff = (crate / "published/tuned/deviations.md").read_text("utf-8")
    assert "+Think like a wise heron." in diff and "-Think like a heron." in diff
    # Without anything that the run says of itself: its plan against its files.
    plan = json.loads((crate / "results/demo/tuned/preregistration.json").read_text("utf-8"))
    for name in ("tuned/prompt.txt", "tuned/study.py"):
        (held,) = [each for path, each in plan["materials"].items() if path.endswith(name)]
        assert held["sha256"] != sha256((crate / name).read_bytes()).hexdigest()
    settings = yaml.safe_load((crate / "run.yaml").read_text("utf-8"))
    effect = settings["models"]["heron"]["speech"]["effect"]
    assert plan["settings"]["models.heron.speech.effect"] != effect == 20.0


def test_the_verdict_has_losses_prices_and_digests(crate: Path) -> None:
    page = verdict(crate)
    assert "40 sessions, of which 0 lost for good." in page
    assert "| simulated: nobody is paid" in page and "read at once" in page
    plan = crate / "results/demo/tuned/preregistration.json"
    assert f"{sha256(plan.read_bytes()).hexdigest()}; what was said was made under it." in page
    digests = sha256((crate / "results.sha256").read_bytes()).hexdigest()
    assert f"SHA-256 {digests}" in page


def test_a_registered_run_is_made_again_to_the_byte(crate: Path, tmp_path: Path) -> None:
    again = Project.at(tmp_path / "again")
    shutil.copytree(crate, again.folder)
    again.configuration = "run.yaml"
    folder = "results/demo/tuned"
    again.succeed(f"{folder}/contrasts.parquet")
    listed = (crate / "results.sha256").read_text("utf-8")
    # What the plan was made from, and what was made under it.
    for name in ("pool", "manifest", "turns", "metrics", "contrasts"):
        path = f"{folder}/{name}.parquet"
        made = sha256((again.folder / path).read_bytes()).hexdigest()
        assert f"{made}  {path}\n" in listed, name
