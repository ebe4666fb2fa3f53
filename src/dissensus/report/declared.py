"""What a study declares to be shown: figures and tables as its rules list them, and what it tells
the reader of debates. Names and strings, nothing heavy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dissensus.design.over_sessions import Statistic


@dataclass(frozen=True)
class Declared:
    """One output for readers.

    Attributes
    ----------
    name : of its files.
    maker : "module:function"; takes :class:`~dissensus.report.view.Artefacts` and a
        :class:`~dissensus.report.view.View`.
    reads : names of the artefacts that the maker asks for.
    title, section : in the report.
    """

    name: str
    maker: str
    reads: tuple[str, ...]
    title: str
    section: str


@dataclass(frozen=True)
class Figure(Declared):
    """Its maker gives a :class:`~dissensus.report.view.Drawn`.

    Attributes
    ----------
    main : whether it is shown on the results page at once, rather than under its appendix; the
        first such stands beside the headline.
    """

    main: bool = False


@dataclass(frozen=True)
class Table(Declared):
    """Its maker gives a :class:`~dissensus.report.tables.Table`.

    Attributes
    ----------
    main : as for a figure.
    question : that the table answers, which heads a main one on the results page.
    columns : patterns of the headers that a main one has there at once, such as "*% CI"; all where
        there is none. The rest is folded.
    rows : headers, each with its value in the rows that a main one has there at once.
    """

    main: bool = False
    question: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Headline:
    """What a study found, in sentences.

    Attributes
    ----------
    maker : "module:function"; takes artefacts and a view, whose ``planted`` tells what
        simulated models have in them, and gives :class:`~dissensus.report.findings.Findings`.
    reads : names of the artefacts that the maker asks for.
    """

    maker: str
    reads: tuple[str, ...]


@dataclass(frozen=True)
class Outputs:
    """Declares what a package of makers draws and tabulates.

    Attributes
    ----------
    package : whose modules have the makers: ``draw`` of a figure's, a function named like the table
        of a table's.
    main : names of the figures that are shown on the results page at once.
    tables : title of the page of all tables, which is one result of the report.
    section : of that page.
    """

    package: str
    main: tuple[str, ...]
    tables: str
    section: str = "2 Tables"

    def headline(self, *reads: str) -> Headline:
        """What the study found, by the function ``state`` of the module ``headline``."""
        return Headline(f"{self.package}.headline:state", reads)

    def figure(
        self, name: str, title: str, *reads: str, section: str = "1 Figures", module: str = ""
    ) -> Figure:
        """A figure that the module of its name draws, or another."""
        maker = f"{self.package}.{module or name}:draw"
        return Figure(name, maker, reads, title, section, name in self.main)

    def table(
        self,
        module: str,
        name: str,
        *reads: str,
        question: str = "",
        columns: tuple[str, ...] = (),
        rows: tuple[tuple[str, str], ...] = (),
    ) -> Table:
        """A table of the page of all tables, a main one where it answers a question."""
        maker = f"{self.package}.{module}:{name}"
        place = (name, maker, reads, self.tables, self.section)
        return Table(*place, bool(question), question, columns, rows)


@dataclass(frozen=True)
class Outcome:
    """A number of each session, or of each round of it, or of each agent in each round.

    What it counts is said here once: axes, cards, tables, captions, the truth table and the plan
    take their words for it from here.

    Attributes
    ----------
    meaning : what it is, in a sentence.
    title : for figures and tables; its name where it is empty.
    unit : such as "words"; empty for shares and counts.
    null : what the mean of one arm is tested against, such as .5 for a guess between two; None
        where no value is of interest, and a single mean has no p-value. Contrasts are tested
        against no difference.
    is_share : whether it lies between 0 and 1, as does then the interval of its mean.
    bounds : the smallest and the largest value that it can have, such as (1, 5) of a rating; a
        share's are (0, 1). A study that may stop assumes nothing else of it then.
    by : nothing for a number a session; "round", or ("round", "agent").
    noun : the title as it stands within a sentence; the title itself where it is empty.
    short : the title where there is little room; the title itself where it is empty.
    each : what values are of, the unit of analysis: what means and differences are taken over.
    in_percent : whether it is shown in per cent, and its differences in points of %.
    where : of which sessions alone it is a number by design, such as "first answer is wrong"; that
        others have none is then nothing that speaks against its estimates.
    statistic : of what it is one number for all sessions of an arm, such as an AUC
        (:mod:`dissensus.design.over_sessions`); None where it is a number a session, or a round.
    """

    meaning: str
    title: str = ""
    unit: str = ""
    null: float | None = None
    is_share: bool = False
    bounds: tuple[float, float] | None = None
    by: str | tuple[str, ...] = ()
    noun: str = ""
    short: str = ""
    each: str = "sessions"
    in_percent: bool = False
    where: str = ""
    statistic: Statistic | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """What it is a number of in a session: nothing else, a round, or an agent in a round."""
        return tuple(self.by) if isinstance(self.by, tuple | list) else (self.by,)

    @property
    def limits(self) -> tuple[float, float] | None:
        """Its bounds, those of a share among them."""
        if self.statistic is not None:
            return self.statistic.bounds
        return (0.0, 1.0) if self.is_share else self.bounds

    @classmethod
    def of(cls, declared: str | Outcome) -> Outcome:
        """From a study's declaration, which may be the sentence alone."""
        return declared if isinstance(declared, Outcome) else cls(declared)

    def words(self, name: str) -> str:
        """Its title with its unit; ``name``: as the study declares it."""
        title = self.title or name.replace("_", " ")
        title = f"{title}, where {self.where}" if self.where else title
        return f"{title} ({self.unit})" if self.unit else title

    @property
    def named(self) -> str:
        """What it counts, within a sentence."""
        return self.noun or self.title

    @property
    def column(self) -> str:
        """What it counts, as the header of a column or of a small panel."""
        return self.short or self.title

    @property
    def times(self) -> float:
        """What values are multiplied by where they are shown."""
        return 100.0 if self.in_percent else 1.0

    @property
    def points(self) -> str:
        """The unit of a difference; empty where it has none."""
        return "points of %" if self.in_percent else self.unit

    @property
    def over(self) -> str:
        """What it counts and what its mean is over, such as "share of agents, mean over debates".

        It stands in the truth table and in the plan.
        """
        return f"{self.named}, mean over {self.each}"

    @property
    def registered(self) -> str:
        """What the plan says of it where it is the primary outcome."""
        return f"{self.title}, mean over {self.each}. {self.meaning}"

    def axis(self, arm: str, reference: str) -> str:
        """What an axis of differences is called, such as "Words, arm − debate (words)"."""
        words = f"{self.title}, {arm} − {reference}"
        return f"{words} ({self.points})" if self.points else words

    def changed(self, estimate: float) -> str:
        """What a difference that was found says, such as "the share of agents is larger"."""
        return f"the {self.named} is {'larger' if estimate > 0 else 'smaller'}"


@dataclass(frozen=True)
class Measure:
    """A number of each session: a column of the list, and a place among its condition.

    Attributes
    ----------
    artefact, column : where it stands; of several rows of a session, the last counts.
    title : of the column.
    most : words for the session with the most of it, which is then one to begin with.
    """

    artefact: str
    column: str
    title: str
    most: str = ""


@dataclass(frozen=True)
class Reader:
    """How the reader shows a study.

    Attributes
    ----------
    title : column of the source that says what is debated; where one is called the same with the
        session's arm behind it, such as ``motion_zh``, that one.
    measures : the most important first.
    details : "module:function"; takes the row of the manifest, the row of the source, and the
        session's rows of each artefact of ``reads``, by its name, and returns :class:`Details`.
    reads : names of artefacts with a ``session_id``. Those that are not there have no rows.
    leaves_out : columns of the source that no page shows.
    options : column of the source with what may be answered, in its order.
    aside : roles whose turns are no speech in the debate, such as preparation and judging: the
        reader folds them, and the front page quotes none.
    exchange : "module:function"; takes the speeches of a session and its rows of each artefact of
        ``reads``, and returns who said what: two lines for the front page. By default a speech that
        quotes another.
    """

    title: str = ""
    measures: tuple[Measure, ...] = ()
    details: str = ""
    reads: tuple[str, ...] = ()
    leaves_out: tuple[str, ...] = ()
    options: str = ""
    aside: tuple[str, ...] = ()
    exchange: str = ""

    def debated(self, item: Mapping[str, Any], arm: str) -> str:
        """What is debated, in the language of the arm where the source has several.

        Parameters
        ----------
        item : a row of the source.
        arm : of the session.
        """
        return str(item.get(f"{self.title}_{arm}") or item.get(self.title) or "")

    def answers(self, item: Mapping[str, Any]) -> list[str]:
        """What may be answered to an item; nothing where there is no such list."""
        options = item.get(self.options)
        return [] if options is None else [str(option) for option in options]

    @property
    def artefacts(self) -> list[str]:
        """The names of all that it reads."""
        return list(dict.fromkeys([*self.reads, *(each.artefact for each in self.measures)]))


@dataclass
class Details:
    """What is known of a debate besides its turns and calls, as plain data.

    Attributes
    ----------
    sides : speaker -> side.
    facts : name and value, such as the winner.
    claims : see :class:`Claim`.
    tables : what else judges and measures found.
    """

    sides: dict[str, str] = field(default_factory=dict)
    facts: list[tuple[str, str]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    tables: list[Rows] = field(default_factory=list)


@dataclass(frozen=True)
class Claim:
    """Something that a speaker claims, and what became of it.

    Attributes
    ----------
    name : unique in its debate.
    speaker, place : who said it; ``place`` is the ``round_label`` of the turn.
    text, fate : "" where nothing is known of its fate.
    answers : who answered it: speaker, place, how, and with which words or which claim.
    """

    name: str
    speaker: str
    place: str
    text: str
    fate: str = ""
    answers: tuple[tuple[str, str, str, str], ...] = ()


@dataclass(frozen=True)
class Rows:
    """A small table of a debate; cells are texts."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def by_round(title: str, answers: Sequence[tuple[str, int, str]]) -> Rows:
    """What each agent answered after each round: a row an agent, a column a round.

    Parameters
    ----------
    answers : agent, round and what it answered.
    """
    rounds = sorted({number for _, number, _ in answers})
    agents = dict.fromkeys(agent for agent, _, _ in answers)
    answer_of = {(agent, number): answer for agent, number, answer in answers}
    rows = [(agent, *(answer_of.get((agent, number), "") for number in rounds)) for agent in agents]
    return Rows(title, ("Agent", *(f"Round {number}" for number in rounds)), rows)
