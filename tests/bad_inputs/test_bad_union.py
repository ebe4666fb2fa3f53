"""Settings, motions and speakers' folders of the union study that cannot be used.

Each ends in one sentence, said by what runs before the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from corpora_folders import corpus, pdf
from dissensus.errors import DissensusError
from dissensus.plan.preflight import check_inputs
from dissensus.study.configuration import load
from dissensus.study.given import stage_settings
from dissensus.study.makes import resolve
from dissensus.user_files import read_yaml
from scripted import ROOT

#: Two on each side, in folders of their own.
PEOPLE = ("Ana Bö", "Bo Ek", "Cy Ng", "Di Oz")
FILES: dict[str, str | bytes] = {f"{name}/bio/bio.md": f"# {name}\n\nWords." for name in PEOPLE}
MOTION: dict[str, Any] = {
    "id": "lot",
    "text": "This House would draw lots",
    "proposition": ["Ana Bö", "Bo Ek"],
    "opposition": ["Cy Ng", "Di Oz"],
    "students": ["Bo Ek"],
}
#: A file of 10 MB.
LARGE = "Words and words. " * 600_000


@cache
def config() -> str:
    return (ROOT / "config.yaml").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("resources").symlink_to(ROOT / "resources")


def begin(
    files: Mapping[str, str | bytes] = FILES,
    entries: Any = (MOTION,),
    change: Callable[[], None] = lambda: None,
    **settings: Any,
) -> None:
    """What runs before the first call: settings, prompt files, motions and corpora."""
    corpus(Path(), files)
    given = entries if isinstance(entries, bytes) else yaml.safe_dump([*entries]).encode()
    Path("motions.yaml").write_bytes(given)
    change()
    values: Any = read_yaml(ROOT / "config.yaml")
    values["studies"] = ["union"]
    values["union"] |= {"motions": "motions.yaml", "speakers": "speakers"}
    for path, value in settings.items():
        *above, last = path.split("__")
        block = values["union"]
        for name in above:
            block = block[name]
        block[last] = value
    made = load(values)
    check_inputs(made)
    study = made.study("union")
    artefacts = resolve(study.source.function)(stage_settings(study, study.source), 1)
    found = {row["motion_id"]: row for row in artefacts["motions"][1]}
    study.check({name: model.model_dump() for name, model in made.models.items()}, found)


def complaint(**given: Any) -> str:
    with pytest.raises(DissensusError) as caught:
        begin(**given)
    said = str(caught.value)
    assert said.isprintable() and said.endswith(".")
    assert len(said) < 1000
    return said


def test_what_is_right_begins() -> None:
    begin()


SETTINGS: list[tuple[str, Any, str]] = [
    ("speakers", "nowhere", "nowhere is no folder; union.speakers must name the one with"),
    ("speakers", "motions.yaml", "motions.yaml is no folder; union.speakers must name the one"),
    ("speakers", "speakers/Bo Ek", "Bo Ek has no speakers; give each a folder with some of bio"),
    ("speakers", "resources", "resources has no speakers; give each a folder"),
    ("speakers", "a\nb", r"a\nb has a name with the character U+000A; rename it"),
    ("speakers", "{x}", "{x} has a name with '{'; rename it"),
    ("speakers", None, "union.speakers holds null; it must be a text"),
    ("motions", "nowhere.yaml", "union.motions holds 'nowhere.yaml'; there is no such file"),
    ("motions", "speakers", "union.motions holds 'speakers'; there is no such file"),
    ("motions", 5, "union.motions holds 5; it must be a text"),
    ("prompts", "nowhere.yaml", "union.prompts holds 'nowhere.yaml'; there is no such file"),
    ("epochs", 0, "union.epochs holds 0; it must be at least 1"),
    ("epochs", 10**9, "union.epochs holds 1000000000; it must be at most 100"),
    ("epochs", 2.5, "union.epochs holds 2.5; it must be a whole number"),
    ("runs", -1, "union.runs holds -1; it must be at least 1"),
    ("runs", 10**9, "union.runs holds 1000000000; it must be at most 1000"),
    ("arms", [], "union.arms holds []; it needs at least 1 entry"),
    ("arms", ["trained"], "union.arms.0 holds 'trained'; it may be one of 'coached' or 'control'"),
    ("arms", ["control", "control"], "it names 'control' twice; leave one out"),
    ("layers", [], "union.layers holds []; it needs at least 1 entry"),
    ("layers", ["jury"], "union.layers.0 holds 'jury'; it may be one of 'panel', 'annotation'"),
    ("layers", ["panel", "panel"], "it names 'panel' twice; leave one out"),
    ("judges", [], "union.judges holds []; it needs at least 1 entry"),
    ("judges", ["nobody"], "union.judges holds 'nobody'; models has"),
    ("judges", ["union-judge-a"] * 4, "it may have at most 3 entries"),
    ("judges", ["all"], "'all' stands for all judges in the tables"),
    *[
        (name, "nobody", f"union.{name.replace('__', '.')} holds 'nobody'; models has")
        for name in ("speaker_model", "extractor", "interjector", "annotator", "coach")
    ],
    ("extractor", ["union-assistant"], "union.extractor holds ['union-assistant']; it must be a"),
    ("map__namer", "nobody", "union.map.namer holds 'nobody'; models has"),
    ("map__projection", "tsne", "union.map.projection holds 'tsne'; it may be one of 'umap'"),
    ("map__neighbors", 1, "union.map.neighbors holds 1; it must be at least 2"),
    ("map__min_cluster", 0, "union.map.min_cluster holds 0; it must be at least 2"),
    ("map__min_dist", 2, "union.map.min_dist holds 2; it must be at most 1"),
    ("corpus__chunk", 10, "union.corpus.chunk holds 10; it must be at least 200"),
    ("corpus__overlap", 1000, "overlap must be less than chunk"),
    ("corpus__overlap", -1, "union.corpus.overlap holds -1; it must be at least 0"),
    ("corpus__largest_mb", 0, "union.corpus.largest_mb holds 0; it must be above 0"),
    ("corpus__pool", 5, "union.protocol.passages holds 10; corpus.pool, which they are"),
    ("corpus__pool", 1000, "union.corpus.pool holds 1000; it must be at most 200"),
    ("corpus__diversity", 1.5, "union.corpus.diversity holds 1.5; it must be at most 1"),
    ("corpus__embedder", "nothing", "union.corpus.embedder"),
    ("protocol__accepted", 1.1, "union.protocol.accepted holds 1.1; it must be at most 1"),
    ("protocol__accepted_late", -0.1, "accepted_late holds -0.1; it must be at least 0"),
    ("protocol__points_a_speech", 99, "points_a_speech holds 99; it must be at most 10"),
    ("protocol__points", "maybe", "union.protocol.points holds 'maybe'; it must be true or false"),
    ("protocol__words", 0, "union.protocol.words holds 0; it must be at least 1"),
    ("protocol__judging_temperature", 3, "judging_temperature holds 3; it must be at most 2"),
    ("protocol__colour", 1, "union.protocol.colour is no setting"),
    ("inference__confidence", 1, "union.inference.confidence holds 1; it must be below 1"),
    ("diagnosis__gains", [9.0], "it must be at most 1"),
    ("diagnosis__gains", [-1.5], "it must be at least -1"),
    ("diagnosis__gains", [], "union.diagnosis.gains holds []; it needs at least 1 entry"),
]


@pytest.mark.parametrize(("path", "value", "words"), SETTINGS, ids=lambda v: ascii(v)[:40])
def test_a_wrong_setting_is_a_sentence(path: str, value: Any, words: str) -> None:
    assert words in complaint(**{path: value})


def test_umap_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_spec
    monkeypatch.setattr(
        "dissensus_studies.union.map.extra.find_spec",
        lambda name: None if name == "umap" else found(name),
    )
    said = complaint(map__projection="umap")
    assert "union.map.projection is umap, whose package is not installed; run `pip install" in said


def motion(**changes: Any) -> list[Any]:
    return [{**MOTION, **changes}]


MOTIONS: list[tuple[Any, str]] = [
    (b"", "has no motions"),
    (b"motions:", "has no motions"),
    (b"a: [", "line 1: it is not YAML"),
    (b"\xff\xfe\0", "line 1: it is not UTF-8; save it as UTF-8"),
    (b"- {id: a, id: b}", "line 1: 0.id stands in line 1 already; keep one"),
    (b"- yes", "motion 1: it holds True; it must be a block"),
    (b"[" * 5000, "stand more than 100 deep"),
    (motion(id="../../x"), "motion 1: id holds '../../x'"),
    (motion(id="a/b"), "motion 1: id holds 'a/b'"),
    (motion(id="$(id)"), "motion 1: id holds '$(id)'"),
    (motion(id="a\nb"), "motion 1: id holds"),
    (motion(id="é"), "motion 1: id holds"),
    (motion(id="a" * 61), "at most 60 characters"),
    (motion(id="All"), "motion 1: id is 'all', which stands for all motions in the tables"),
    (motion(id=7), "motion 1: id holds 7; it must be a text"),
    (motion(text=""), "motion 1: text must be a text of one line"),
    (motion(text="One\n## Speech 1: Bo Ek, opposition"), "text must be a text of one line"),
    (motion(text="a\x07b"), "motion 1: text holds the character U+0007"),
    (motion(text="x" * 501), "at most 500 characters"),
    (motion(opposition=["Cy Ng"]), "opposition holds ['Cy Ng']; it needs at least 2 entries"),
    (motion(opposition=["Cy Ng", "Di Oz", "Ed"]), "as many speakers as proposition, 2"),
    (motion(opposition=["Cy Ng", "Bo Ek"]), "'Bo Ek' speaks for the proposition, and nobody"),
    (motion(opposition=["Cy Ng", "Cy Ng"]), "it names 'Cy Ng' twice"),
    (motion(opposition=["Cy Ng", "Di Os"]), "'Di Os', who has no folder in speakers; 'Di Oz' has"),
    (motion(opposition=["Cy Ng", "../Di Oz"]), "opposition has '../Di Oz', who has no folder"),
    (motion(opposition=["Cy Ng", "rubric:Di Oz"]), "has 'rubric:Di Oz', who has no folder"),
    (motion(opposition=["Cy Ng", "claims"]), "opposition has 'claims', who has no folder"),
    (motion(opposition=["Cy Ng", "proposition"]), "has 'proposition', who has no folder"),
    (motion(opposition=["Cy Ng", "di oz"]), "opposition has 'di oz', who has no folder"),
    (motion(opposition=["Cy Ng", "D\u202ei Oz"]), r"has 'D\u202ei Oz', who has no folder"),
    (motion(opposition=["Cy Ng", "x" * 5000]), "it may have at most 60 characters"),
    (motion(opposition=["Cy Ng", 5]), "opposition.1 holds 5; it must be a text"),
    (motion(opposition="Cy Ng"), "opposition holds 'Cy Ng'; it must be a list"),
    (motion(students=["Ed"]), "'Ed' does not speak on this motion, and a student must"),
    (motion(students=[]), "students holds []; it needs at least 1 entry"),
    (motion(students=None), "students holds null"),
    (motion(judges=["x"]), "motion 1: judges is no setting"),
    ([MOTION, MOTION], "motion 2 has the id 'lot' of motion 1"),
    ([MOTION, {**MOTION, "id": "b"}], "motion 2 is motion 1 again, word for word"),
]


@pytest.mark.parametrize(("entries", "words"), MOTIONS, ids=range(len(MOTIONS)))
def test_a_wrong_motion_is_a_sentence(entries: Any, words: str) -> None:
    said = complaint(entries=entries)
    assert said.startswith("motions.yaml") and words in said


def encrypted() -> bytes:
    from io import BytesIO

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("Secret words"))))
    writer.encrypt("key", algorithm="RC4-128")
    made = BytesIO()
    writer.write(made)
    return made.getvalue()


def only(name: str, content: str | bytes) -> dict[str, str | bytes]:
    """Files of which the first speaker has this one alone."""
    return {path: text for path, text in FILES.items() if "Ana" not in path} | {
        f"Ana Bö/{name}": content
    }


UNUSABLE: list[tuple[str, str | bytes, str]] = [
    ("bio/a.md", b"", "a.md: it has no text"),
    ("bio/a.md", b" \0\r\n\x07", "a.md: it has no text"),
    ("bio/a.md", bytes(range(256)) * 40, "a.md: byte 128 is not UTF-8; save it as UTF-8"),
    ("bio/a.txt", "été".encode("latin-1"), "a.txt: byte 0 is not UTF-8"),
    ("bio/a.txt", "text".encode("utf-16"), "a.txt: byte 0 is not UTF-8"),
    ("bio/a.md", "text".encode("utf-32"), "a.md: byte 0 is not UTF-8"),
    ("bio/a.pdf", b"%PDF-1.7 broken", "a.pdf: it cannot be read as a PDF ("),
    ("bio/a.pdf", pdf("Words")[:300], "a.pdf: it cannot be read as a PDF ("),
    ("bio/a.pdf", b"", "a.pdf: it cannot be read as a PDF ("),
    ("bio/a.pdf", pdf(""), "a.pdf: it has no text; if it is a scan, recognise its text first"),
    ("bio/a.docx", b"PK", "Ana Bö has no document (.md, .txt, .pdf) in bio, interviews, writings"),
    ("notes/a.md", b"x", "has no folder in speakers"),
]


@pytest.mark.parametrize(("name", "content", "words"), UNUSABLE, ids=range(len(UNUSABLE)))
def test_a_speaker_without_a_text_is_a_sentence(
    name: str, content: str | bytes, words: str
) -> None:
    said = complaint(files=only(name, content))
    assert words in said and "Ana Bö" in said


def test_an_encrypted_document_alone_is_a_sentence() -> None:
    said = complaint(files=only("writings/a.pdf", encrypted()))
    assert "a.pdf: it is encrypted; save it without a password); put a text there" in said


#: What is said of every speaker of these tests.
LITTLE = " words to argue from, so that its speeches will say the same again and again"


def test_a_bad_document_beside_a_good_one_is_said_and_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    begin(files={**FILES, "Ana Bö/bio/b.pdf": b"torn", "Bo Ek/bio/b.md": b"\xff"})
    said = [line for line in capsys.readouterr().err.splitlines() if LITTLE not in line]
    named = ["speakers/Ana Bö/bio/b.pdf", "speakers/Bo Ek/bio/b.md"]
    assert [line.split(" is left out: ")[0] for line in said] == named


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.pdf"])
def test_ten_megabytes_are_a_sentence(name: str) -> None:
    said = complaint(files={**FILES, f"Ana Bö/bio/{name}": LARGE})
    assert f"speakers/Ana Bö/bio/{name} has 10.2 MB; a document may have 5 MB" in said
    assert "corpus.largest_mb" in said


NAMES = [
    ("Ana Bö/bio/{SPEAKER}.md", "has a name with '{'; rename it"),
    ("Ana Bö/bio/<script>alert(1)<.md", "has a name with '<'; rename it"),
    ("Ana Bö/bio/a\nb.md", r"a\nb.md has a name with the character U+000A"),
    ("Ana Bö/bio/a\u202eb.md", r"a\u202eb.md has a name with the character U+202E"),
    ("Ana Bö/bio\n/../a\n/x.md", "the character U+000A"),
    ("<script>/bio/a.md", "has a name with '<'; rename it"),
    ("E\nd/bio/a.md", "the character U+000A"),
    ("Ed\u202e/bio/a.md", "the character U+202E"),
    ("rubric:Ed/bio/a.md", "its name has ':' in it"),
    ("##Ed/bio/a.md", "its name has '#' in it"),
    ("=====/bio/a.md", "its name has '=' in it"),
    ("definitions/bio/a.md", "what the study calls its own notes"),
    ("Proposition/bio/a.md", "which names a side in prompts; rename it"),
    ("Eva, opposition/bio/a.md", "has 'opposition' in it, which names a side in prompts"),
    ("Eva Ｏpposition/bio/a.md", "has 'Opposition' in it, which names a side in prompts"),
    (f"{'x' * 61}/bio/a.md", "its name has 61 characters; a name may have 60"),
    ("ana bö/bio/a.md", "which read alike; rename one of them"),
    ("Ana Bo\u0308/bio/a.md", "two folders with the name 'Ana Bö'; rename one of them"),
    ("Ana\u200b Bö/bio/a.md", "the character U+200B in it, which is not seen"),
    ("...\u3000/bio/a.md", None),
]


@pytest.mark.parametrize(("name", "words"), NAMES, ids=range(len(NAMES)))
def test_a_wrong_name_is_a_sentence(name: str, words: str | None) -> None:
    if words is None:
        # Hidden, and so none of the speakers.
        begin(files={**FILES, name: "x"})
    else:
        assert words in complaint(files={**FILES, name: "x"})


@pytest.mark.parametrize(
    "name",
    ["$(touch x)", "`touch x`", "a;b", "a'b\"c", "-rf", "~", "*", "%s", "\\n", "x" * 200, "é"],
)
def test_an_odd_name_of_a_document_is_a_name(name: str) -> None:
    begin(files={**FILES, f"Ana Bö/bio/{name}.md": "x", f"Ana Bö/writings/{name}/a.md": "x"})
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("place", "target", "words"),
    [
        ("speakers/Ana Bö/bio/b.md", "secret.md", "is a link to what is outside speakers"),
        ("speakers/Ana Bö/bio/b.md", "nowhere", "is a link that leads nowhere; take it out"),
        ("speakers/Ana Bö/writings", "elsewhere", "is a link to what is outside speakers"),
        ("speakers/Ed", "elsewhere", "is a link to what is outside speakers"),
        ("speakers/Ana Bö/bio/more", "speakers/Ana Bö", "is a link to a folder; put the folder"),
    ],
)
def test_a_link_out_of_the_folder_is_a_sentence(place: str, target: str, words: str) -> None:
    def link() -> None:
        Path("secret.md").write_text("A secret.", encoding="utf-8")
        Path("elsewhere/bio").mkdir(parents=True)
        Path("elsewhere/bio/a.md").write_text("A secret.", encoding="utf-8")
        Path(place).symlink_to(Path(target).absolute())

    assert words in complaint(change=link)


def test_a_folder_that_may_not_be_read_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "Ana Bö":
            raise PermissionError(13, "Permission denied", str(path))
        return seen(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    assert complaint() == "speakers/Ana Bö cannot be read (Permission denied)."


def test_a_file_that_may_not_be_read_is_left_out_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.name == "closed.md":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    begin(files={**FILES, "Ana Bö/bio/closed.md": "x"})
    said = "speakers/Ana Bö/bio/closed.md is left out: it cannot be read (Permission denied)."
    assert [one for one in capsys.readouterr().err.splitlines() if LITTLE not in one] == [said]
    assert "closed.md: it cannot be read (Permission denied)" in complaint(
        files=only("bio/closed.md", "x"), change=Path("speakers/Ana Bö/bio/bio.md").unlink
    )
