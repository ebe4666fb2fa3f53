"""The figures and tables of a study as its rules list them: names and strings, nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Declared:
    """One output for readers.

    Attributes
    ----------
    name : of its files.
    maker : "module:function"; takes :class:`~dissensus.report.artefacts.Artefacts` and a
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
    """Its maker gives a :class:`~dissensus.report.tables.Table`; ``main`` as for a figure."""

    main: bool = False


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
