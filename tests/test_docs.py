"""The project's words: each is defined once, and the private ones of its early days are gone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
#: What a person reads of the project besides its code.
PROSE = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src/dissensus_studies").glob("*/docs.md")),
    *sorted((ROOT / "resources").glob("*/*.md")),
    *(ROOT / name for name in ("config.yaml", "Makefile", "profiles/default/config.yaml")),
    *sorted((ROOT / "config").glob("*.yaml")),
    *sorted((ROOT / "workflow" / "report").glob("*.rst")),
    *sorted((ROOT / "src/dissensus_studies").glob("*/captions/*.rst")),
]
#: Folders of modules.
SOURCES = ("src", "benchmarks", "workflow/scripts")

#: Words that had a meaning of their own here. The standard ones are run, pending, random stream,
#: model registry.
DIALECT = re.compile(r"\b(held|unheld|luck|switchboard|plainly|hold(s|ing)? an? session)\b", re.I)
IN_NAMES = {"held", "unheld", "luck", "switchboard", "plainly"}
#: Page -> phrases in which such a word is plain English.
ORDINARY: dict[str, tuple[str, ...]] = {}


def terms() -> dict[str, str]:
    """Term -> its definition, from the glossary's tables."""
    rows = re.findall(r"(?m)^\| \*\*(.+?)\*\* \| (.+?) \|$", GLOSSARY.read_text("utf-8"))
    return dict(rows)


def names(source: str) -> Iterator[str]:
    """Every name that a module defines or uses."""
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "name", "attr", "arg", "asname", "module"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def dialect_names(source: str) -> set[str]:
    """Names of which a dialect word is a part, such as ``is_held``."""
    if not any(word in source.lower() for word in IN_NAMES):
        return set()
    return {name for name in names(source) if IN_NAMES & set(re.findall("[a-z]+", name.lower()))}


def test_a_glossary_defines_each_term_once_in_few_words() -> None:
    text = GLOSSARY.read_text("utf-8")
    assert text.count("| **") == len(terms()) > 30
    assert all(definition.endswith(".") for definition in terms().values())
    assert max(len(definition.split()) for definition in terms().values()) <= 30


@pytest.mark.parametrize("term", terms())
def test_a_term_of_the_glossary_is_in_use(term: str) -> None:
    pages = [path.read_text("utf-8") for path in PROSE if path != GLOSSARY]
    # A hyphen or a line's end may stand for a space, and a noun may be a plural.
    word = re.compile(r"\b" + r"[\s-]+".join(map(re.escape, term.split())) + r"(s|es)?\b", re.I)
    assert any(word.search(page) for page in pages)


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_has_a_word_of_the_dialect(path: Path) -> None:
    text = path.read_text("utf-8")
    if path.name == "union-debate.md":
        # What speakers say is theirs.
        text = text.partition("## The debate")[0]
    for phrase in ORDINARY.get(path.name, ()):
        assert phrase in text
        text = text.replace(phrase, "")
    assert not DIALECT.findall(text)


def test_no_name_has_a_word_of_the_dialect() -> None:
    modules = {
        path.relative_to(ROOT / folder).as_posix(): path
        for folder in SOURCES
        for path in (ROOT / folder).rglob("*.py")
        if "tests" not in path.parts
    }
    assert {"dissensus/settings.py", "timing.py"} <= modules.keys()
    found = {
        name: words
        for name, path in modules.items()
        if (words := dialect_names(path.read_text("utf-8")))
    }
    assert not found


def test_a_word_inside_another_is_no_dialect() -> None:
    assert dialect_names("def is_held(withheld, held): return x.luck_of") == {
        "is_held",
        "held",
        "luck_of",
    }


def test_modules_that_the_docs_name_exist() -> None:
    named = {
        name
        for path in PROSE
        for name in re.findall(r"\bdissensus(?:_studies)?(?:\.[a-z_]+)+", path.read_text("utf-8"))
    }
    assert named
    # The group of entry points is no module.
    for name in named - {"dissensus.studies"}:
        path = ROOT / "src" / Path(*name.split("."))
        assert path.is_dir() or path.with_suffix(".py").is_file(), name


def test_the_files_that_a_contributor_is_sent_to_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`((?:src|tests|resources|workflow|docs|config)/[\w./-]+\.\w+)`", text))
    # The measure that the page adds is not there yet.
    paths = {path for path in named if "civility" not in path}
    assert len(paths) > 8
    assert [path for path in sorted(paths) if not (ROOT / path).is_file()] == []


def test_the_site_loads_no_script_from_elsewhere() -> None:
    """The offline plugin fetches its shim by name, unless the site has one of its own."""
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    scripts = [*site["extra"]["polyfills"], *site.get("extra_javascript", [])]
    assert any("iframe-worker" in script for script in scripts)
    assert all((ROOT / "docs" / script).is_file() for script in scripts)
    assert site["theme"]["font"] is False
