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


class Figure(Declared):
    """Its maker gives a :class:`~dissensus.report.view.Drawn`."""


class Table(Declared):
    """Its maker gives a :class:`~dissensus.report.tables.Table`."""
