"""A study as its page has it: its sentences, figures and tables, and what these link to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dissensus.report.findings import Card
from dissensus.report.labels import counted
from dissensus.report.pages.exchange import Exchange


@dataclass(frozen=True)
class Shown:
    """A figure or a table of a study's page.

    Attributes
    ----------
    name, title, main : as the study declares it; the title of a table is the question that it
        answers, if any.
    text : the caption of a figure as reStructuredText, the table itself as HTML.
    words : that stand for a figure where it is not seen.
    svg : a figure that is drawn as a part of the page, so that its marks say their values.
    stated : what a figure shows in this run, in a sentence.
    whole : the table with all of its rows and columns, where ``text`` has not all; in HTML.
    reads : the artefacts that it is made from, of those that the study's page of files has.
    """

    name: str
    title: str
    main: bool
    text: str
    words: str = ""
    whole: str = ""
    svg: str = ""
    stated: str = ""
    reads: Sequence[str] = ()


@dataclass(frozen=True)
class Part:
    """All that the page has of a study.

    Attributes
    ----------
    name, question, design : of the study.
    sentences : kind -> sentences, as :data:`dissensus.report.findings.FINDINGS` has them.
    figures, tables : in their order.
    places : figure -> marks on it that stand for debates, see :class:`Place`.
    card : the study in one sentence, one picture and one objection.
    sessions : how many the study has, and of which kinds.
    total, lost : how many sessions there are, and how many failed for good.
    debates : names of the study's sessions and draws, which become links to the reader.
    first : the first of the sessions; "" without one.
    extra : further pages of the study.
    deviations : sentences of what was done otherwise than registered; None where nothing was
        registered before the first session.
    confirmed : sentences of what was predicted of the run's model, and what came of it.
    exchange : two speakers of one of its debates; None where none can be quoted.
    order : sentences of whether its plan came first, and who says so.
    priced : what it costs with real models, and by which settings; empty where that is unknown.
    proof : what shows when the plan was there, in a few words; "" without a plan.
    direction : whether the estimates went in the registered direction, in a few words; "" of none.
    """

    name: str
    question: str
    design: str
    sentences: Mapping[str, Sequence[str]]
    figures: Sequence[Shown]
    tables: Sequence[Shown]
    places: Mapping[str, Sequence[Place]]
    card: Card
    sessions: str = ""
    total: int = 0
    lost: int = 0
    debates: frozenset[str] = frozenset()
    first: str = ""
    extra: Sequence[Further] = ()
    deviations: Sequence[str] | None = None
    confirmed: Sequence[str] = ()
    exchange: Exchange | None = None
    order: Sequence[str] = ()
    priced: Sequence[str] = ()
    proof: str = ""
    direction: str = ""

    @property
    def registered(self) -> str:
        """Whether it was registered, and how often it deviates, in words."""
        if self.deviations is None:
            return "Not registered"
        if any(each.startswith("NOT registered") for each in self.deviations):
            return "NOT registered before its first session"
        count = counted(len(self.deviations), "deviation") if self.deviations else "no deviation"
        return "; ".join(filter(None, (f"Registered, {count}", self.direction, self.proof)))


@dataclass(frozen=True)
class Further:
    """A further page of a study.

    Attributes
    ----------
    title, file : the file is below the study's folder.
    text : of a page of text alone, which can be read where the page is named.
    """

    title: str
    file: str
    text: str = ""


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
