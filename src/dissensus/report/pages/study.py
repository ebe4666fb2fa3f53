"""A page for each study: its card, design, main figures and tables, and all else in an appendix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from urllib.parse import quote

from dissensus.digests import digest, file_digest
from dissensus.report.captions import SIMULATED
from dissensus.report.escaping import html
from dissensus.report.labels import counted
from dissensus.report.pages.cards import card_body
from dissensus.report.pages.part import Further, Part, Shown
from dissensus.report.pages.pictures import inline
from dissensus.report.pages.shell import ASSETS, header, page

_STYLES = (ASSETS / "common.css", ASSETS / "results.css")
_SCRIPTS = (ASSETS / "results.js",)
#: Rows of a table that is shown as a whole; a longer one scrolls.
_MOST_ROWS = 25
#: A heading of a text in Markdown, which its page shows in bold letters.
_HEADING = re.compile(r"^#{1,6} (.*)$", re.MULTILINE)
#: The page of all debates, from a study's.
READER = "../reader/index.html"
#: The page of the study's files, beside its own; see :mod:`dissensus.report.pages.columns`.
COLUMNS = "columns.html"


def assets_digest() -> str:
    """What the page depends on besides its code in Python."""
    return digest([file_digest(path) for path in (*_STYLES, *_SCRIPTS)])


#: What may be the name of a session or a draw, where it stands between blanks or tags.
_NAME = re.compile(r"(?<![^\s>(])[A-Za-z0-9_.-]*[A-Za-z0-9_-](?![^\s<,.;)])")
_CELL = re.compile(r"(<td[^>]*>)([^<]+)(?=</td>)")


def style() -> str:
    """The style of all pages of results."""
    return "\n".join(path.read_text(encoding="utf-8") for path in _STYLES)


def scripts() -> list[str]:
    """Their scripts."""
    return [path.read_text(encoding="utf-8") for path in _SCRIPTS]


def study_page(run: str, part: Part, simulated: bool) -> str:
    """The page, in HTML; it lies in the study's folder.

    Parameters
    ----------
    run : its name.
    simulated : whether the run's models are simulated.
    """
    main = _main(part.figures)
    rest = [each for each in part.figures if each not in main]
    numbers = {figure.name: place for place, figure in enumerate([*main, *rest], start=1)}
    mains = _main(part.tables)
    more = [each for each in part.tables if each not in mains]
    name = html(part.name)
    body = [
        header(
            [
                ("../index.html", f"Run {run}"),
                (f"{READER}#/?study={quote(part.name)}", "Debates"),
                (COLUMNS, "Files and their columns"),
            ],
            simulated,
        ),
        '<div class="beside"><nav aria-label="Contents"><ul class="contents">',
        *_contents(part, main, mains, numbers, bool(rest or more)),
        f'</ul></nav><main id="content"><p class="kicker">{name}</p>',
        f"<h1>{html(part.question)}</h1>",
        *_card(part),
        *_said(part),
        f'<section id="design"><h2>Design</h2><p class="design">{html(part.design)}</p></section>',
        '<section id="results"><h2>Results</h2>',
        *(_figure(part, figure, numbers[figure.name]) for figure in main),
        *(_table(part, table) for table in mains),
        *_extra(part),
        "</section>",
        *_appendix(part, rest, more, numbers),
        "</main></div>",
    ]
    title = f"{part.name}, run {run}"
    return page(title, style(), "\n".join(body), scripts(), beside="images")


def _contents(
    part: Part,
    figures: Sequence[Shown],
    tables: Sequence[Shown],
    numbers: Mapping[str, int],
    has_appendix: bool,
) -> Iterator[str]:
    yield '<li><a href="#finding">Finding</a></li><li><a href="#said">All that was found</a></li>'
    yield '<li><a href="#design">Design</a></li>'
    for figure in figures:
        title = _numbered(figure, numbers[figure.name])
        yield f'<li><a href="#{_id(part, figure)}">{title}</a></li>'
    for table in tables:
        yield f'<li><a href="#{_id(part, table)}">{_title(table)}</a></li>'
    for further in part.extra:
        yield f'<li><a href="#{_further_id(part, further)}">{html(further.title)}</a></li>'
    yield '<li><a href="#appendix">Appendix</a></li>' if has_appendix else ""


def _card(part: Part) -> Iterator[str]:
    yield '<section class="card" id="finding" aria-label="Finding">'
    lost = linked(part, " ".join(map(html, part.sentences.get("lost", ()))) or "None was lost.")
    links = f'<a href="{READER}#/?study={quote(part.name)}">Read the debates</a>'
    lost = f"{html(part.sessions)}. {lost}"
    yield from card_body(part.card, links=links, lost=lost)
    yield "</section>"


def _said(part: Part) -> Iterator[str]:
    """All findings, what the run found against them, and what is planted."""
    groups = (
        ("First", "unidentified"),
        ("What was found", "headline"),
        ("When it stopped", "stopped"),
        ("The noise floor", "floor"),
        ("Against it, from the same run", "against"),
        ("Planted", "planted"),
    )
    counts = (("headline", "finding"), ("against", "sentence"))
    found, against = (counted(len(part.sentences.get(kind, ())), noun) for kind, noun in counts)
    against = "nothing" if not part.sentences.get("against") else against
    # The card above has the first of both: one number does not stand twice on a screen.
    yield f"<details><summary>All that was found: {found}, and {against} against it</summary>"
    yield '<section id="said"><h2>All that was found</h2>'
    for title, kind in groups:
        if sentences := part.sentences.get(kind):
            listed = "".join(f"<li>{html(sentence)}</li>" for sentence in sentences)
            yield f'<h3>{title}</h3><ul class="{kind}">{listed}</ul>'
    if not part.sentences.get("headline"):
        yield "<p>This study states no headline.</p>"
    yield "</section></details>"
    yield from _registered(part)


def _registered(part: Part) -> Iterator[str]:
    """What the study did otherwise than its plan says."""
    if part.deviations is None:
        return
    yield f'<section><h2 id="registered">{html(part.registered)}</h2>'
    if part.order:
        said = "".join(f"<li>{html(sentence)}</li>" for sentence in part.order)
        yield f'<ul class="order">{said}</ul>'
    yield '<p>The plan: <a href="preregistration.md">preregistration.md</a>, and '
    yield '<a href="preregistration.html">as a page to print</a>. '
    yield 'What differs, line by line: <a href="deviations.md">deviations.md</a>.</p>'
    if part.deviations:
        listed = "".join(f"<li>{html(sentence)}</li>" for sentence in part.deviations)
        yield f'<ul class="deviations">{listed}</ul>'
    if part.confirmed:
        listed = "".join(f"<li>{html(sentence)}</li>" for sentence in part.confirmed)
        yield '<h3 id="confirmed">Predicted of this model, and found</h3>'
        yield f'<ul class="confirmed">{listed}</ul>'
        yield '<p>The model and the design: <a href="confirmation.md">confirmation.md</a>.</p>'
    yield "</section>"


def _extra(part: Part) -> Iterator[str]:
    """Further pages: those of text in a frame of their own, the others by name."""
    for further in part.extra:
        name, address = html(further.title), quote(further.file)
        yield f'<section class="further" id="{_further_id(part, further)}">'
        yield f'<h3><a href="{address}">{name}</a></h3>'
        if further.text:
            text = _HEADING.sub(r"<b>\1</b>", html(further.text))
            yield f'<pre tabindex="0" aria-label="{name}">{text}</pre>'
        yield "</section>"


def _further_id(part: Part, further: Further) -> str:
    return html(f"{part.name}-{further.file.replace('/', '-')}")


def _appendix(
    part: Part, rest: Sequence[Shown], more: Sequence[Shown], numbers: Mapping[str, int]
) -> Iterator[str]:
    if not rest and not more:
        return
    counts = ((len(rest), "figure"), (len(more), "table"))
    summary = ", ".join(counted(count, noun) for count, noun in counts if count)
    yield f'<section id="appendix"><h2>Appendix</h2><details><summary>{summary}</summary><ol>'
    for shown in rest:
        yield f'<li><a href="#{_id(part, shown)}">{_numbered(shown, numbers[shown.name])}</a></li>'
    for shown in more:
        yield f'<li><a href="#{_id(part, shown)}">{_title(shown)}</a></li>'
    yield "</ol>"
    yield from (_figure(part, shown, numbers[shown.name]) for shown in rest)
    yield from (_table(part, shown) for shown in more)
    yield "</details></section>"


def _main(shown: Sequence[Shown]) -> list[Shown]:
    """What is shown at once: what the study declares so, or else the first."""
    return [each for each in shown if each.main] or list(shown[:1])


def _link(part: Part, name: str, reader: str = READER) -> str:
    """The address of a debate, or of a draw, in the reader; safe in an attribute."""
    return f"{reader}#/{quote(part.name)}/{quote(name)}"


def linked(part: Part, text: str, reader: str = READER) -> str:
    """Text in HTML with a link from each name of a debate in it; ``reader``: where that is."""

    def link(match: re.Match[str]) -> str:
        name = match[0]
        return f'<a href="{_link(part, name, reader)}">{name}</a>' if name in part.debates else name

    return _NAME.sub(link, text)


def _id(part: Part, shown: Shown) -> str:
    return html(f"{part.name}-{shown.name}")


def _numbered(figure: Shown, number: int) -> str:
    """The title of a figure with its number on the page, in HTML."""
    return html(f"Figure {number}. {figure.title}")


def _figure(part: Part, figure: Shown, number: int) -> str:
    """A figure with its caption, links from its marks, and its files; the first loads at once."""
    lazy = " loading=lazy" if number > 1 else ""
    base = f"figures/{html(figure.name)}"
    caption = _caption(_without(figure.text, figure.stated))
    stated = f'<p class="stated">{html(figure.stated)}</p>' if figure.stated else ""
    alt = html(figure.words or figure.title)
    # A mark that says its value names its debate too.
    named = "" if figure.svg else ' title="{0}"'
    marks = "".join(
        f'<a style="left:{100 * place.x:.2f}%;top:{100 * place.y:.2f}%" tabindex="-1" '
        f'href="{_link(part, place.target)}"{named.format(html(place.target))} '
        f'aria-label="{html(place.target)}"></a>'
        for place in part.places.get(figure.name, ())
    )
    drawn = f'<img src="{base}.svg" alt="{alt}"{lazy}>'
    picture = inline(figure.svg, figure.name, figure.words or figure.title) if figure.svg else drawn
    told = "A mark is a debate: a click opens it. " if marks else ""
    if figure.svg:
        opens = "; Enter opens its debate" if marks else ""
        told += f"Point at a mark for its value, or select the figure and press → and ←{opens}. "
    return (
        f'<figure id="{_id(part, figure)}"><h3>{_numbered(figure, number)}</h3>{stated}'
        f'<div class="pan"><div class="picture">{picture}{marks}</div></div>'
        f'<figcaption>{caption}<p class="files">{told}'
        f'<a href="{base}.svg">SVG</a> <a href="{base}.png">PNG</a>{_from(figure)}</p>'
        "</figcaption></figure>"
    )


def _table(part: Part, table: Shown) -> str:
    """A table, its cells that name a session linked to it, and its files."""
    base = f"tables/{html(table.name)}"
    latex = f' <a href="{base}.tex">LaTeX</a>' if table.main else ""
    heading = f"<h3>{html(table.title)}</h3>" if table.title else ""
    whole = (
        "<details><summary>All rows and columns of this table</summary>"
        f"{_scrolling(part, table.name, table.whole)}</details>"
        if table.whole
        else ""
    )
    return (
        f'<div class="table" id="{_id(part, table)}">{heading}'
        f'{_scrolling(part, table.name, table.text)}{whole}<p class="files">'
        f'<a href="{base}.csv">CSV</a> <a href="{base}.md">Markdown</a>{latex}{_from(table)}'
        "</p></div>"
    )


def _from(shown: Shown) -> str:
    """The files that something is made from, each a link to what its columns hold."""
    names = ", ".join(
        f'<a href="{COLUMNS}#{html(name)}">{html(name)}.parquet</a>' for name in shown.reads
    )
    return f" · made from {names}" if names else ""


def _scrolling(part: Part, name: str, text: str) -> str:
    """A table within its frame, its debates linked."""
    inner = text.replace(f'<table id="{html(name)}">', "<table>", 1)
    scrolls = " long" if inner.count("<tr>") > _MOST_ROWS else ""
    inner = inner.replace('<div class="wide">', f'<div class="wide{scrolls}" tabindex="0">', 1)
    return _CELL.sub(lambda match: match[1] + linked(part, match[2]), inner)


def _title(table: Shown) -> str:
    """What a table is called in the contents: its question, or else its caption; in HTML."""
    if table.title:
        return html(table.title)
    _, begin, rest = table.text.partition("<caption>")
    title, end, _ = rest.partition("</caption>")
    return title if begin and end else html(table.name)


def _without(caption: str, stated: str) -> str:
    """A caption less what stands above its figure, whatever its markup and lines.

    Where only the beginning of a sentence stands there, the rest becomes a sentence.
    """
    if not stated:
        return caption
    markup = r"[\\*`]*"
    words = (markup.join(map(re.escape, word)) for word in stated.removesuffix(".").split())
    begin = markup + rf"{markup}\s+{markup}".join(words) + markup
    # White space that is left before a paragraph would make a quotation of it.
    blank = r"[^\S\n]*(?:\n(?!\n))?"
    end = rf"\.{markup}{blank}|;\s+(\w)|\s+\((\w)(.*?)\)\.|(?<=[!?]){blank}|\s*\Z"

    def rest(match: re.Match[str]) -> str:
        clause, aside, more = match.groups(default="")
        return (clause or aside).upper() + (f"{more}." if aside else "")

    return re.sub(rf"{begin}(?:{end})", rest, caption, count=1, flags=re.DOTALL).strip()


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
