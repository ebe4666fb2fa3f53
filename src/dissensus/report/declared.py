"""The figures and tables of a study as its rules list them: names and strings, nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass


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
