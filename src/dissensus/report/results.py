"""The results page of a run: each study in reading order, from what its stages have left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dissensus.digests import digest, file_digest
from dissensus.report.captions import SIMULATED
from dissensus.report.escaping import html
from dissensus.report.labels import counted
from dissensus.report.tables import as_html, page, parts
from dissensus.report.truth import table_truth, tally

_ASSETS = Path(__file__).parent / "assets"
_STYLES = (_ASSETS / "common.css", _ASSETS / "results.css")
_SCRIPTS = (_ASSETS / "results.js",)
#: Rows of a table that is shown as a whole; a longer one scrolls.
_MOST_ROWS = 25
#: The page of all debates, from this one.
_READER = "reader/index.html"


def assets_digest() -> str:
    """What the page depends on besides its code in Python."""
    return digest([file_digest(path) for path in (*_STYLES, *_SCRIPTS)])


#: What may be the name of a session or a draw, where it stands between blanks or tags.
_NAME = re.compile(r"(?<![^\s>(])[A-Za-z0-9_.-]*[A-Za-z0-9_-](?![^\s<,.;)])")
_CELL = re.compile(r"(<td[^>]*>)([^<]+)(?=</td>)")


@dataclass(frozen=True)
class Shown:
    """A figure or a table of a study's page.

    Attributes
    ----------
    name, title, main : as the study declares it.
    text : the caption of a figure as reStructuredText, the table itself as HTML.
    words : that stand for a figure where it is not seen.
    """

    name: str
    title: str
    main: bool
    text: str
    words: str = ""


@dataclass(frozen=True)
class Part:
    """All that the page has of a study.

    Attributes
    ----------
    name, question, design : of the study.
    sentences : kind -> sentences, as :data:`dissensus.report.findings.FINDINGS` has them.
    figures, tables : in their order.
    places : figure -> marks on it that stand for debates, see :class:`Place`.
    sessions : how many the study has, and of which kinds.
    debates : names of the study's sessions and draws, which become links to the reader.
    first : the first of the sessions; "" without one.
    """

    name: str
    question: str
    design: str
    sentences: Mapping[str, Sequence[str]]
    figures: Sequence[Shown]
    tables: Sequence[Shown]
    places: Mapping[str, Sequence[Place]]
    sessions: str = ""
    debates: frozenset[str] = frozenset()
    first: str = ""


@dataclass(frozen=True)
class Place:
    """A mark of a figure that stands for a debate or a draw, by its place in the picture.

    Attributes
    ----------
    x, y : shares of width and height, from the left and the top.
    target : session_id or draw_id.
    """

    x: float
    y: float
    target: str


def results_page(
    run: str,
    seed: int,
    studies: Sequence[Part],
    simulated: bool,
    truth: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The page, in HTML.

    Parameters
    ----------
    run, seed : of the run.
    studies : in their order.
    simulated : whether the run's models are simulated.
    truth : rows of :data:`dissensus.report.truth.TRUTH`; none of real models.
    """
    body = [
        f'<aside class="banner" aria-label="Simulated">{html(SIMULATED)}</aside>'
        if simulated
        else "",
        '<a class="skip" href="#content">To the content</a>',
        f"<header><h1>Run {html(run)}: how groups of language models argue</h1>",
        f"<p>Seed {seed}. Every number on this page is read from the run's files. "
        f'<a href="{_READER}">The reader</a> has every debate with what each model was sent'
        f"{_in_a_terminal(run, studies)}.</p></header>",
        '<nav aria-label="Studies"><ul>',
        *(
            f'<li><a href="#{html(study.name)}">{html(study.name)}</a>: {html(study.question)}</li>'
            for study in studies
        ),
        '</ul></nav><main id="content">',
        *_truth(truth),
        *(line for study in studies for line in _study(study)),
        "</main>",
    ]
    style = "\n".join(path.read_text(encoding="utf-8") for path in _STYLES)
    scripts = [path.read_text(encoding="utf-8") for path in _SCRIPTS]
    return page(f"Results of run {run}", style, "\n".join(body), scripts, beside="images")


def _in_a_terminal(run: str, studies: Sequence[Part]) -> str:
    """The command that prints the first debate of all, which works as it stands."""
    for study in studies:
        if study.first:
            command = f"dissensus read {study.first} --run {run} --study {study.name} --prompts"
            return f"; <code>{html(command)}</code> prints one in a terminal"
    return ""


def _truth(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is planted beside what was found, of all studies together."""
    if rows:
        base = "tables/table_truth"
        yield '<section id="truth"><h2>What was planted, and what was found</h2>'
        yield f'<p class="abstract"><strong>{html(tally(rows))}</strong></p><div class="table">'
        yield as_html(table_truth(rows))
        yield f'<p class="files"><a href="{base}.csv">CSV</a> <a href="{base}.md">Markdown</a></p>'
        yield "</div></section>"


def _study(part: Part) -> Iterator[str]:
    name = html(part.name)
    yield f'<section id="{name}" aria-labelledby="{name}-title">'
    yield f'<h2 id="{name}-title">{name}</h2><p class="question">{html(part.question)}</p>'
    yield from _abstract(part)
    yield f'<p class="design">{html(part.design)}</p>'
    main = _main(part.figures)
    rest: list[Shown] = [each for each in part.figures if each not in main]
    numbers = {figure.name: place for place, figure in enumerate([*main, *rest], start=1)}
    for figure in main:
        yield _figure(part, figure, numbers[figure.name])
    mains = _main(part.tables)
    yield from (_table(part, table) for table in mains)
    more = [each for each in part.tables if each not in mains]
    if rest or more:
        counts = ((len(rest), "figure"), (len(more), "table"))
        said = ", ".join(counted(count, noun) for count, noun in counts if count)
        yield f"<details><summary>Appendix of {name}: {said}</summary><ol>"
        yield from (
            f'<li><a href="#{_id(part, shown)}">{_numbered(shown, numbers[shown.name])}</a></li>'
            for shown in rest
        )
        titles = (_title(shown) for shown in more)
        yield from (
            f'<li><a href="#{_id(part, shown)}">{title}</a></li>'
            for shown, title in zip(more, titles, strict=True)
        )
        yield "</ol>"
        yield from (_figure(part, shown, numbers[shown.name]) for shown in rest)
        yield from (_table(part, shown) for shown in more)
        yield "</details>"
    yield "</section>"


def _main(shown: Sequence[Shown]) -> list[Shown]:
    """What is shown at once: what the study declares so, or else the first."""
    return [each for each in shown if each.main] or list(shown[:1])


def _abstract(part: Part) -> Iterator[str]:
    """The findings and, in the same paragraph, what the run found against them."""
    said = {
        kind: [html(sentence) for sentence in sentences]
        for kind, sentences in part.sentences.items()
    }
    first, *further = [
        *said.get("unidentified", []),
        *(said.get("headline") or ["This study states no headline."]),
    ]
    text = [f"<strong>{first}</strong>", *further]
    if against := said.get("against"):
        text.append(f'<span class="against">Against it, from the same run: {" ".join(against)}')
        text.append("</span>")
    text += [f'<span class="planted">{sentence}</span>' for sentence in said.get("planted", ())]
    yield f'<p class="abstract">{" ".join(text)}</p>'
    lost = _linked(part, " ".join(said.get("lost", ())) or "None was lost.")
    yield f'<p class="lost">{html(part.sessions)}. {lost} {_all_of(part)}</p>'


def _all_of(part: Part) -> str:
    """A link to the list of a study's sessions."""
    return f'<a href="{_READER}#/?study={quote(part.name)}">Read them</a>.'


def _link(part: Part, name: str) -> str:
    """The address of a debate, or of a draw, in the reader; safe in an attribute."""
    return f"{_READER}#/{quote(part.name)}/{quote(name)}"


def _linked(part: Part, text: str) -> str:
    """Text in HTML with a link from each name of a debate in it."""

    def link(match: re.Match[str]) -> str:
        name = match[0]
        return f'<a href="{_link(part, name)}">{name}</a>' if name in part.debates else name

    return _NAME.sub(link, text)


def _id(part: Part, shown: Shown) -> str:
    return html(f"{part.name}-{shown.name}")


def _numbered(figure: Shown, number: int) -> str:
    """The title of a figure with its number on the page, in HTML."""
    return html(f"Figure {number}. {figure.title}")


def _figure(part: Part, figure: Shown, number: int) -> str:
    """A figure with its caption, links from its marks, and its files; the first loads at once."""
    lazy = " loading=lazy" if number > 1 else ""
    base = f"{html(part.name)}/figures/{html(figure.name)}"
    caption = _caption(figure.text)
    alt = html(figure.words or figure.title)
    marks = "".join(
        f'<a style="left:{100 * place.x:.2f}%;top:{100 * place.y:.2f}%" tabindex="-1" '
        f'href="{_link(part, place.target)}" title="{html(place.target)}" '
        f'aria-label="{html(place.target)}"></a>'
        for place in part.places.get(figure.name, ())
    )
    told = "A mark is a debate: a click opens it. " if marks else ""
    return (
        f'<figure id="{_id(part, figure)}"><h3>{_numbered(figure, number)}</h3>'
        f'<div class="picture"><img src="{base}.svg" alt="{alt}"{lazy}>'
        f'{marks}</div><figcaption>{caption}<p class="files">{told}'
        f'<a href="{base}.svg">SVG</a> <a href="{base}.png">PNG</a></p></figcaption></figure>'
    )


def _table(part: Part, table: Shown) -> str:
    """A table, its cells that name a session linked to it, and its files."""
    base = f"{html(part.name)}/tables/{html(table.name)}"
    inner = table.text.replace(f'<table id="{html(table.name)}">', "<table>", 1)
    scrolls = " long" if inner.count("<tr>") > _MOST_ROWS else ""
    inner = inner.replace('<div class="wide">', f'<div class="wide{scrolls}" tabindex="0">', 1)
    inner = _CELL.sub(lambda match: match[1] + _linked(part, match[2]), inner)
    latex = f' <a href="{base}.tex">LaTeX</a>' if table.main else ""
    return (
        f'<div class="table" id="{_id(part, table)}">{inner}<p class="files">'
        f'<a href="{base}.csv">CSV</a> <a href="{base}.md">Markdown</a>{latex}</p></div>'
    )


def _title(table: Shown) -> str:
    _, begin, rest = table.text.partition("<caption>")
    title, end, _ = rest.partition("</caption>")
    return title if begin and end else html(table.title)


def _caption(text: str) -> str:
    """A caption as HTML; the line that says that models are simulated stands above the page."""
    return _rendered(text.replace(f"*{SIMULATED}*", "").strip())


@cache
def _rendered(text: str) -> str:
    from docutils.core import publish_parts

    settings = {
        "file_insertion_enabled": False,
        "raw_enabled": False,
        "report_level": 5,
        "halt_level": 5,
        "_disable_config": True,
        "initial_header_level": 4,
    }
    body: str = publish_parts(text, writer="html5", settings_overrides=settings)["body"]
    return body


def tables_of(folder: Path, pages: Sequence[str]) -> dict[str, str]:
    """The tables on some of a study's pages of tables: name -> its HTML, with its note."""
    return {
        name: text
        for page in pages
        for name, text in parts((folder / page).read_text(encoding="utf-8")).items()
    }
