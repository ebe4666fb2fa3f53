"""Results as their readers' programs take them in, and what in them is not words."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

from docutils import nodes
from docutils.core import publish_doctree
from jinja2 import Environment
from markdown_it import MarkdownIt

#: What the project's pages are made of.
_TAGS = {"html", "head", "meta", "title", "style", "body", "div", "p", "h1", "h2", "h3", "mark"}
_TAGS |= {"sup", "table", "caption", "thead", "tbody", "tr", "th", "td"}
#: Of the head that all pages have.
_TAGS |= {"aside", "nav", "main", "a"}
_ATTRIBUTES = {"lang", "charset", "name", "content", "http-equiv", "class", "id", "aria-label"}
#: Where links may lead: to the content and back.
_ADDRESSES = {"#content", "../index.html"}
_WORDS = (nodes.document, nodes.section, nodes.title, nodes.paragraph, nodes.Text)
_MARKED = (nodes.strong, nodes.emphasis, nodes.definition_list, nodes.definition_list_item)
_MARKED += (nodes.term, nodes.definition)
_FORMULA = re.compile(r"\s*[=+@＝＋－＠-]")
_NUMBER = re.compile(r"[-+−0-9., %eEto\[\]*†‡]+")
#: Added by Snakemake to every caption, so that words with an underscore are links.
LINKS = "\n\n.. _Workflow: javascript:alert(1)\n.. _trajectories.svg: javascript:alert(2)\n"


class Page(HTMLParser):
    """A page's tags in their order, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert text.count("Content-Security-Policy") == 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _TAGS
        given = dict(attrs)
        assert given.pop("href", "#content") in _ADDRESSES
        assert given.keys() <= _ATTRIBUTES
        self.tags.append(tag)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_data(self, data: str) -> None:
        self.words += data


def markdown_shape(text: str) -> list[str]:
    """The kinds of all parts of a Markdown text but its words, as GitHub's tables and HTML go."""
    rules = ["table", "strikethrough"]
    tokens = MarkdownIt("commonmark", {"html": True}).enable(rules).parse(text)
    found = []
    for token in tokens:
        found.append(f"{token.type} {token.tag}")
        inner = token.children or []
        found += [f"{one.type} {one.content}" for one in inner if one.type == "html_inline"]
        found += [one.type for one in inner if one.type not in ("text", "html_inline", "softbreak")]
    return found


def markdown_words(text: str) -> str:
    """What a reader sees of a Markdown text without line breaks."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    return "".join(one.content for token in tokens for one in token.children or [])


def rst_words(text: str) -> str:
    """What a reader sees of a caption, which holds nothing but words, bold or in italics.

    Files may be included and HTML inserted: only the text's own marks keep that from happening.
    """
    filled = Environment().from_string(text + LINKS).render()
    tree = publish_doctree(
        filled,
        settings_overrides={
            "file_insertion_enabled": True,
            "raw_enabled": True,
            "report_level": 2,
            "halt_level": 2,
        },
    )
    for target in list(tree.findall(nodes.target)):
        target.parent.remove(target)
    for node in tree.findall():
        assert isinstance(node, _WORDS + _MARKED), node
    return tree.astext()


def csv_rows(text: str) -> list[list[str]]:
    """The cells, of which no spreadsheet takes one for a formula, whatever divides them."""
    for delimiter in ";\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            # What divides at another character sees cells of several; their beginnings count.
            _check_cells([cell.strip('"') for cell in row])
    rows = list(csv.reader(io.StringIO(text, newline="")))
    for row in rows:
        _check_cells(row)
    return rows


def _check_cells(cells: list[str]) -> None:
    for cell in cells:
        first = cell.split(",")[0]
        assert not _FORMULA.match(cell) or _NUMBER.fullmatch(cell) or _NUMBER.fullmatch(first), cell


def svg_words(text: str) -> str:
    """The words of a picture, which nothing in it can do anything with."""
    root = ET.fromstring(text)
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        assert tag not in ("script", "foreignObject", "iframe", "a", "animate", "set")
        for name, value in element.attrib.items():
            assert not name.startswith("on") and "javascript" not in value
    return "".join(root.itertext())
