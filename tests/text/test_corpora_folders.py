"""Speakers' folders: which documents there are, what cannot be used, and how documents are read."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora_folders import corpus, pdf, shown
from dissensus.errors import ResourceError
from dissensus.text.corpora.folders import by_speaker, documents, kind_of
from dissensus.text.corpora.reading import normalised, read_document


def test_documents_are_those_of_the_four_folders_in_the_order_of_their_paths(tmp_path: Path):
    names = [
        "Bo Ek/bio/bio.md",
        "Bo Ek/writings/1999/a.TXT",
        "Bo Ek/writings/b.Pdf",
        "Al Ng/speeches/z.md",
        "Al Ng/interviews/b b.txt",
    ]
    ignored = [
        "README.md",
        "Bo Ek/notes.md",
        "Bo Ek/notes/a.md",
        "Bo Ek/bio/picture.png",
        "Bo Ek/bio/.hidden.md",
        "Bo Ek/.git/bio/a.md",
        ".Al/bio/a.md",
        "drafts/a.md",
    ]
    folder = corpus(tmp_path, dict.fromkeys([*names, *ignored], "x"))
    found = [str(path.relative_to(folder)) for path in documents(folder)]
    assert found == sorted(names)
    assert list(by_speaker(folder)) == ["Al Ng", "Bo Ek"]
    kinds = [kind_of(path, folder) for path in documents(folder)]
    assert kinds == ["interviews", "speeches", "bio", "writings", "writings"]


def test_paths_begin_as_the_folder_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    corpus(tmp_path, {"A/bio/a.md": "x"})
    monkeypatch.chdir(tmp_path)
    assert documents(Path("speakers")) == [Path("speakers/A/bio/a.md")]


def test_nothing_heavy_is_loaded_to_list_documents():
    heavy = "{'numpy', 'pyarrow', 'pandas', 'pypdf'}"
    check = f"import dissensus.text.corpora.folders, sys; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_speaker_may_have_no_document(tmp_path: Path):
    folder = corpus(tmp_path, {"A/bio/a.md": "x"})
    (folder / "B" / "bio").mkdir(parents=True)
    assert by_speaker(folder) == {"A": [folder / "A/bio/a.md"], "B": []}


def test_a_name_is_one_however_its_accents_are_written(tmp_path: Path):
    name = "Inês Calvário"
    folder = corpus(tmp_path, {f"{unicodedata.normalize('NFD', name)}/bio/a.md": "x"})
    assert list(by_speaker(folder)) == [name]
    corpus(tmp_path, {f"{name}/bio/a.md": "x"})
    with pytest.raises(ResourceError, match="two folders with the name 'Inês Calvário'; rename"):
        documents(folder)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("A/bio/{x}.md", "a name with '{'; rename it"),
        ("A/bio/<script>alert(1).md", "a name with '<'; rename it"),
        ("A/writings/a\nb/c.md", r"a\\nb has a name with the character U\+000A"),
        ("A/bio/\u202ea.md", r"\\u202ea.md has a name with the character U\+202E"),
        ("A/bio/\x1b[2J.txt", r"\\x1b\[2J.txt has a name with the character U\+001B"),
        ("A{b}/bio/a.md", "a name with '{'"),
        ("A#1/bio/a.md", "cannot be a speaker's folder: its name has '#' in it"),
        ("A=B/bio/a.md", "its name has '=' in it"),
        ("rubric:A/bio/a.md", "its name has ':' in it"),
        (f"{'A' * 61}/bio/a.md", "its name has 61 characters; a name may have 60"),
        ("12/bio/a.md", "its name is no name"),
        (" A/bio/a.md", "its name is no name"),
        ("A  B/bio/a.md", "its name is no name"),
        ("Judge/bio/a.md", "cannot be a speaker's folder: its name is a judge's; rename it"),
        ("A\u200bB/bio/a.md", r"its name has the character U\+200B in it, which is not seen"),
        ("A\u200fB/bio/a.md", r"its name has the character U\+200F in it"),
        ("A\ue001B/bio/a.md", r"its name has the character U\+E001 in it"),
    ],
)
def test_a_name_that_cannot_be_carried_is_refused(tmp_path: Path, name: str, message: str):
    folder = corpus(tmp_path, {"B/bio/a.md": "x", name: "x"})
    with pytest.raises(ResourceError, match=message) as refused:
        documents(folder, refused=lambda name: "is a judge's" if name == "Judge" else "")
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana Ek", "ana ek"),
        ("Ana Ek", "Ａｎａ Ek"),
        ("Anna Weiß", "ANNA WEISS"),
        ("نام", "نا\u200cم"),
    ],
)
def test_names_that_only_look_different_are_refused(tmp_path: Path, one: str, other: str):
    folder = corpus(tmp_path, {f"{one}/bio/a.md": "x", f"{other}/bio/a.md": "x"})
    with pytest.raises(ResourceError, match="which read alike; rename one of them"):
        documents(folder)


def test_a_name_that_is_no_utf_8_is_refused(tmp_path: Path):
    folder = corpus(tmp_path, {"B/bio/a.md": "x"})
    Path(os.fsdecode(os.fsencode(folder) + b"/B/bio/\xff.md")).write_text("x")
    with pytest.raises(ResourceError, match=r"\\udcff.md has a name with a byte that is no UTF-8"):
        documents(folder)


def test_other_files_may_have_any_name(tmp_path: Path):
    folder = corpus(tmp_path, {"B/bio/a.md": "x", "B/bio/{x}.png": "x"})
    assert documents(folder) == [folder / "B/bio/a.md"]


def link(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


@pytest.mark.parametrize(
    ("place", "target", "message"),
    [
        ("A/bio/a.md", "secret.md", "a.md is a link to what is outside"),
        ("A/bio/a.md", "../../../secret.md", "is a link to what is outside"),
        ("A/bio/more", ".", "more is a link to what is outside"),
        ("A/bio/a.md", "speakers/none.md", "leads nowhere"),
        ("A/bio/a.md", "speakers/A/bio/a.md", "leads nowhere"),
        ("A/bio/more", "speakers/B", "is a link to a folder"),
        ("A/bio/more", "speakers/A", "is a link to a folder"),
        ("A/bio", "speakers/B/bio", "is a link to a folder"),
        ("A", "elsewhere", "is a link to what is outside"),
    ],
)
def test_a_link_stays_in_the_folder(tmp_path: Path, place: str, target: str, message: str):
    folder = corpus(tmp_path, {"B/bio/b.md": "x"})
    (tmp_path / "secret.md").write_text("x")
    (tmp_path / "elsewhere/bio").mkdir(parents=True)
    link(folder / place, Path(target) if target.startswith("..") else tmp_path / target)
    with pytest.raises(ResourceError, match=message):
        documents(folder)


def test_a_link_to_another_document_is_one(tmp_path: Path):
    folder = corpus(tmp_path, {"B/bio/b.md": "x"})
    link(folder / "A/bio/a.md", folder / "B/bio/b.md")
    assert documents(folder) == [folder / "A/bio/a.md", folder / "B/bio/b.md"]


def test_what_is_no_file_is_refused(tmp_path: Path):
    folder = corpus(tmp_path, {"B/bio/b.md": "x"})
    os.mkfifo(folder / "B/bio/a.md")
    with pytest.raises(ResourceError, match=r"a\.md is no file that can be read"):
        documents(folder)


def test_there_must_be_a_folder_with_speakers(tmp_path: Path):
    with pytest.raises(ResourceError, match="nowhere is no folder; speakers must name"):
        documents(tmp_path / "nowhere")
    with pytest.raises(ResourceError, match="has no speakers; give each a folder with some of bio"):
        documents(corpus(tmp_path, {"A/other/a.md": "x"}))


def test_a_text_is_read_in_one_form(tmp_path: Path):
    path = tmp_path / "a.md"
    content = "\ufeffe\u0301\r\none\ttwo  three \x00\u202e\r\r\r\r\n four\x85"
    path.write_bytes(content.encode())
    assert read_document(path, 1) == ("é\none two three\n\nfour", "")


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_normalised_stays_as_it_is(text: str):
    once = normalised(text)
    assert normalised(once) == once == unicodedata.normalize("NFC", once)
    once.encode()
    assert "\n\n\n" not in once
    assert not set("\r\t\x00\x1b\u202e") & set(once)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.txt", "é".encode("latin-1"), "byte 0 is not UTF-8; save it as UTF-8"),
        ("a.md", "text".encode("utf-16"), "byte 0 is not UTF-8"),
        ("a.md", b"", "it has no text"),
        ("a.md", b" \r\n\x00", "it has no text"),
        ("a.pdf", b"", "it cannot be read as a PDF"),
        ("a.pdf", b"no PDF at all", "it cannot be read as a PDF"),
        ("a.pdf", pdf("Some words")[:200], "it cannot be read as a PDF"),
        ("a.pdf", pdf("[" * 100_000 + " Do"), "it cannot be read as a PDF"),
        ("a.pdf", pdf(""), "it has no text; if it is a scan"),
    ],
)
def test_a_document_without_text_has_a_problem(
    tmp_path: Path, name: str, content: bytes, problem: str
):
    path = tmp_path / name
    path.write_bytes(content)
    found = read_document(path, 1)
    assert found.text == ""
    assert found.problem.startswith(problem)
    assert found.problem.isprintable()


def test_a_file_that_is_not_there_has_a_problem(tmp_path: Path):
    assert "No such file" in read_document(tmp_path / "a.md", 1).problem


def test_a_pdf_is_read_page_by_page(tmp_path: Path):
    path = tmp_path / "a.PDF"
    path.write_bytes(
        pdf("First page\nand its second line", "Last page", "/F0 Do", forms=[shown("In a form")])
    )
    text = read_document(path, 1).text
    assert text == "First page\nand its second line\nLast page\nIn a form"


def test_an_encrypted_pdf_has_a_problem(tmp_path: Path):
    from pypdf import PdfReader, PdfWriter

    (tmp_path / "plain.pdf").write_bytes(pdf("Secret words"))
    writer = PdfWriter(clone_from=PdfReader(tmp_path / "plain.pdf"))
    writer.encrypt("key", algorithm="RC4-128")
    writer.write(tmp_path / "a.pdf")
    assert read_document(tmp_path / "a.pdf", 1) == (
        "",
        "it is encrypted; save it without a password",
    )


#: Forms of which each puts the next one in 20 times.
LAUGHS = [f"/F{number} Do " * 20 for number in range(1, 7)] + [shown("ha")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.md", b"x" * 300_000, r"a\.md has 0\.3 MB; a document may have 0\.2 MB .*largest_mb"),
        ("a.pdf", b"x" * 300_000, "has 0.3 MB"),
        ("a.pdf", pdf("word " * 50_000), "has more text inside"),
        ("a.pdf", pdf("some words " * 100, copies=1000), "has more text inside"),
        ("a.pdf", pdf("word " * 500_000), "unpacks to more than can be read"),
        ("a.pdf", pdf("% Do\n" * 100_000, copies=9), "unpacks to more than can be read"),
        ("a.pdf", pdf("a", copies=5001), "has more than 5,000 pages"),
        ("a.pdf", pdf("/F0 Do " * 20, forms=LAUGHS), "has more than 3,000,000 instructions"),
    ],
)
def test_a_document_that_is_too_large_ends_in_a_sentence(
    tmp_path: Path, name: str, content: bytes, message: str
):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ResourceError, match=message):
        read_document(path, 0.2)
