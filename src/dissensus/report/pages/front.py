"""The front page of a run: a card for each study, and what was planted and found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from dissensus.report.escaping import html
from dissensus.report.labels import counted
from dissensus.report.pages.cards import card_body, planted
from dissensus.report.pages.exchange import shown
from dissensus.report.pages.part import Part
from dissensus.report.pages.shell import header, page
from dissensus.report.pages.study import COLUMNS, linked, scripts, style
from dissensus.report.tables import as_html
from dissensus.report.truth import table_truth, tally
from dissensus.shipped import command


@dataclass(frozen=True)
class Run:
    """What the page says of the run as a whole.

    Attributes
    ----------
    name, seed : of the run.
    day : of its newest transcripts, such as "27 November 2026".
    models : how many its sessions ask; 0 where these were imported.
    usd : spent, as the calls were priced; None where a model has no price.
    simulated : whether its models are simulated.
    closing : SHA-256 of ``closing.sha256``; "" where there is none.
    """

    name: str
    seed: int
    day: str = ""
    models: int = 0
    usd: float | None = None
    simulated: bool = False
    closing: str = ""


_TITLE = "how groups of language models argue"


def front_page(run: Run, studies: Sequence[Part], truth: Sequence[Mapping[str, Any]] = ()) -> str:
    """The page, in HTML.

    Parameters
    ----------
    studies : in their order.
    truth : rows of :data:`dissensus.report.truth.TRUTH`; none of real models.
    """
    body = [
        header((), run.simulated),
        f"<header><h1>Run {html(run.name)}: {_TITLE if run.models else 'imported debates'}</h1>",
        f'<p class="run">{_in_a_line(run, studies)}</p></header>',
        '<nav aria-label="Contents"><ul class="contents">',
        *(f'<li><a href="#{html(part.name)}">{html(part.name)}</a></li>' for part in studies),
        '<li><a href="#truth">Planted and found</a></li>' if truth else "",
        '<li><a href="reader/index.html">All debates</a></li>'
        '<li><a href="#more">Cost, files, citing</a></li></ul></nav><main id="content">',
        '<div class="cards">',
        *(line for part in studies for line in _card(part)),
        *_truth(truth),
        "</div>",
        *_more(run, studies),
        "</main>",
    ]
    title = f"Results of run {run.name}"
    return page(title, style(), "\n".join(body), scripts(), beside="images")


def _in_a_line(run: Run, studies: Sequence[Part]) -> str:
    lost = sum(part.lost for part in studies)
    total = sum(part.total for part in studies)
    line_parts = [
        html(run.day),
        f"seed {run.seed}",
        counted(total, "session"),
        f"{lost} lost" if lost else "none lost",
        f"{counted(run.models, 'simulated model' if run.simulated else 'model')}"
        if run.models
        else "",
        spent(run.usd, run.simulated),
    ]
    return " · ".join(part for part in line_parts if part)


def spent(usd: float | None, simulated: bool) -> str:
    """Dollars in words; None where a model has no price."""
    if simulated:
        return "nothing spent"
    return "prices unknown" if usd is None else f"${usd:,.2f} spent"


def _truth(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is planted beside what was found, of all studies together."""
    if rows:
        base = "tables/table_truth"
        yield '<article class="card" id="truth" aria-labelledby="truth-title">'
        yield '<h2 id="truth-title">What was planted, and what was found</h2>'
        yield f'<p class="finding"><strong>{html(tally(rows))}</strong></p>'
        yield from planted(rows)
        yield '<details><summary>As a table</summary><div class="table wide">'
        yield as_html(table_truth(rows))
        yield f'<p class="files"><a href="{base}.csv">CSV</a> <a href="{base}.md">Markdown</a></p>'
        yield "</div></details></article>"


def _card(part: Part) -> Iterator[str]:
    name = html(part.name)
    yield f'<article class="card" id="{name}" aria-labelledby="{name}-title">'
    yield f'<p class="kicker">{name}</p><h2 id="{name}-title">{html(part.question)}</h2>'
    first = f"reader/index.html#/{quote(part.name)}/{quote(part.first)}"
    links = " ".join(
        (
            f'<a href="{quote(part.name)}/index.html">All results</a>',
            f'<a href="reader/index.html#/?study={quote(part.name)}">Debates</a>',
            *([f'<a href="{first}">One of them</a>'] if part.first else []),
            f'<a href="{quote(part.name)}/index.html#design">Design</a>',
            *(
                [f'<a href="{quote(part.name)}/index.html#registered">{html(part.registered)}</a>']
                if part.deviations is not None
                else []
            ),
            f'<a href="{quote(part.name)}/{COLUMNS}">Files</a>',
        )
    )
    attrition = " ".join(part.sentences.get("lost", ())) or "None was lost."
    lost = linked(part, html(f"{part.sessions}. {attrition}"), "reader/index.html")
    yield from card_body(part.card, links=links, lost=lost)
    at = part.exchange.session_id if part.exchange else ""
    yield from shown(part.exchange, f"reader/index.html#/{quote(part.name)}/{quote(at)}")
    yield "</article>"


def _more(run: Run, studies: Sequence[Part]) -> Iterator[str]:
    yield '<section id="more"><h2>Cost, files, citing</h2><dl>'
    costs = ", ".join(
        f'<a href="{quote(part.name)}/tables/spending.html">{html(part.name)}</a>'
        for part in studies
    )
    yield f"<dt>Calls, tokens and cost</dt><dd>{costs}</dd>"
    further = " · ".join(
        f'<a href="{quote(part.name)}/{quote(each.file)}">{html(each.title)}</a>'
        for part in studies
        for each in part.extra
    )
    if further:
        yield f"<dt>Further pages</dt><dd>{further}</dd>"
    commands = [
        *[("A debate in a terminal", _read(run, part)) for part in studies if part.first][:1],
        ("Check all files, and pack them", f"{command('verify')}; {command('archive', cores=2)}"),
    ]
    cost = f"<code>{html(command('cost --configfile FILE'))}</code>"
    if any(part.priced for part in studies):
        yield f"<dt>What would real models cost?</dt><dd>{_priced(studies)} By {cost}.</dd>"
    for title, typed in commands:
        yield f'<div class="typed"><dt>{title}</dt><dd><code>{html(typed)}</code></dd></div>'
    cite = f"dissensus, run {run.name}, seed {run.seed}. CITATION.cff has the software's own entry."
    yield f"<dt>To cite</dt><dd>{html(cite)}</dd>"
    if run.closing:
        listed = f'<a href="closing.sha256">closing.sha256</a>: <code>{html(run.closing)}</code>'
        yield f"<dt>Digest of all that these pages rest on</dt><dd>SHA-256 of {listed}</dd>"
    words = "Every number on these pages is read from the run's files; facts.parquet of each study"
    yield f"</dl><p>{words} names artefact, key and column.</p>"
    yield "</section>"


def _priced(studies: Sequence[Part]) -> str:
    """What each study costs with real models, and by which settings, in HTML; a column a study."""
    known = [(html(part.name), *map(html, part.priced)) for part in studies if part.priced]
    names, *rows = zip(*known, strict=True)
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f'<table style="--studies:{len(known)}">'
    table += f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _read(run: Run, part: Part) -> str:
    return f"dissensus read {part.first} --run {run.name} --study {part.name} --prompts"
