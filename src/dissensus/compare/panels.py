"""The front page of a run with panels: what these come to together, and each panel's own page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dissensus.compare.comparison import PANELS, compare
from dissensus.compare.page import card_of, differing, write_comparison, write_refusal
from dissensus.compare.units import COMPARED
from dissensus.errors import ResourceError
from dissensus.report.escaping import html
from dissensus.report.findings import FINDINGS, Card
from dissensus.report.labels import counted
from dissensus.report.pages.cards import card_body
from dissensus.report.pages.files import dollars
from dissensus.report.pages.front import spent
from dissensus.report.pages.shell import header, page
from dissensus.report.pages.study import scripts, style
from dissensus.report.tables import as_html, make
from dissensus.tables.artefact import read, write


@dataclass(frozen=True)
class Panel:
    """A panel on the front page.

    Attributes
    ----------
    name : of the panel.
    run : that it is.
    models : what the settings name -> the model that answered.
    total, lost : sessions of all studies, and those that failed for good.
    usd : spent, as the calls were priced; None where a model has no price.
    """

    name: str
    run: str
    models: Mapping[str, str]
    total: int
    lost: int
    usd: float | None

    @classmethod
    def of(cls, name: str, run: str, models: Mapping[str, str], folders: Sequence[Path]) -> Panel:
        """Read the studies' folders of a finished panel."""
        ended = [read(folder / "outcomes.parquet")["complete"].to_pylist() for folder in folders]
        total, complete = sum(map(len, ended)), sum(map(sum, ended))
        return cls(name, run, models, total, total - complete, dollars(folders))


def compare_panels(
    folders: Sequence[Path], question: str, simulated: bool, into: Path, made_by: Mapping[str, Any]
) -> tuple[Card, str]:
    """Compare one study over all panels, and write what comes of it.

    Panels that cannot be compared have a page that says why, since all else of the run stands.

    Parameters
    ----------
    folders : of the study, in the folder of each panel.
    question : that the study asks.
    simulated : whether the run's models are simulated.
    into : the folder of the comparison.
    made_by : metadata of what is written.

    Returns
    -------
    The study's card, and what differs between the panels in a sentence.
    """
    study, differ = into.name, ""
    back = [("../../index.html", "All panels")]
    try:
        comparison = compare(folders, PANELS)
    except ResourceError as error:
        card = Card(f"The panels are not compared: {error}", "", (), "")
        write_refusal(study, question, card.finding, into, made_by, simulated=simulated, back=back)
    else:
        card, differ = card_of(comparison), differing(comparison)
        write_comparison(comparison, into, back)
    sentences = [("card", card.finding), *([("but", card.but)] if card.but else [])]
    rows = [
        {"place": place, "kind": kind, "sentence": sentence}
        for place, (kind, sentence) in enumerate(sentences, start=1)
    ]
    write(into / "findings.parquet", FINDINGS, rows, made_by)
    return card, differ


def panels_page(
    run: str,
    seed: int,
    panels: Sequence[Panel],
    cards: Mapping[str, tuple[str, Card, str]],
    simulated: bool,
    closing: str,
) -> str:
    """The front page, in HTML.

    Parameters
    ----------
    run, seed : of the whole.
    panels : in their order.
    cards : study -> its question, its card, and what differs between the panels.
    simulated : whether the models are simulated.
    closing : SHA-256 of ``closing.sha256``.
    """
    body = [
        header((), simulated),
        f"<header><h1>Run {html(run)}: one design, {counted(len(panels), 'panel')} of models</h1>",
        f'<p class="run">seed {seed} · {html(_sum(panels, simulated))}</p></header>',
        '<main id="content"><div class="cards">',
        *(line for name, card in cards.items() for line in _card(name, *card)),
        '</div><section id="each"><h2>The panels</h2><ul>',
        *(_linked(panel) for panel in panels),
        "</ul>",
        f'<div class="table">{as_html(_table(panels, simulated))}</div>',
        '<p>Digest of all that this page rests on: SHA-256 of <a href="closing.sha256">'
        f"closing.sha256</a>: <code>{html(closing)}</code></p>",
        "</section></main>",
    ]
    return page(f"Results of run {run}", style(), "\n".join(body), scripts())


def _sum(panels: Sequence[Panel], simulated: bool) -> str:
    """Sessions, losses and dollars of all panels."""
    total, lost = (sum(getattr(panel, name) for panel in panels) for name in ("total", "lost"))
    usd = [panel.usd for panel in panels if panel.usd is not None]
    cost = spent(sum(usd) if len(usd) == len(panels) else None, simulated)
    return f"{counted(total, 'session')} · {lost or 'none'} lost · {cost}"


def _card(name: str, question: str, card: Card, differ: str) -> Iterator[str]:
    yield f'<article class="card" id="{html(name)}" aria-labelledby="{html(name)}-title">'
    yield f'<p class="kicker">{html(name)}</p><h2 id="{html(name)}-title">{html(question)}</h2>'
    link = f"{COMPARED}/{quote(name)}/index.html"
    links = f'<a href="{link}">All of the comparison, and what differs between the panels</a>'
    yield from card_body(card, links=links, lost=html(differ))
    yield "</article>"


def _linked(panel: Panel) -> str:
    return (
        f'<li><a href="../{quote(panel.run)}/index.html">{html(panel.name)}: all results</a></li>'
    )


def _table(panels: Sequence[Panel], simulated: bool) -> Any:
    roles = dict.fromkeys(role for panel in panels for role in panel.models)
    return make(
        "panels",
        "What each panel is, and what it has run",
        ("Panel", *roles, "Sessions", "Lost", "Cost"),
        [
            (
                panel.name,
                *(panel.models.get(role, role) for role in roles),
                f"{panel.total:,}",
                f"{panel.lost:,}",
                spent(panel.usd, simulated),
            )
            for panel in panels
        ],
        "Below each name that the settings have stands the model that answered. All else is the "
        "same in all panels; they share one budget.",
        simulated,
    )
