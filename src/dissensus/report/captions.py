"""Captions of the report: templates with names in braces, filled in with a run's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Formatter

from dissensus.report.escaping import rst
from dissensus.report.facts import unmarked
from dissensus.tables.artefact import write_text

SIMULATED = "Simulated models: the numbers say nothing about any real one."


def fill(template: str, values: Mapping[str, str], simulated: bool) -> str:
    """A template with every name in it filled in.

    Parameters
    ----------
    template : reStructuredText with names in braces.
    values : name -> text, or :class:`~dissensus.report.escaping.Rst`; names that the template does
        not use are no error.
    simulated : whether to end with the sentence that says so.

    Raises
    ------
    KeyError : the template has a name that there is no value for.
    """
    wanted = {name for _, name, _, _ in Formatter().parse(template) if name}
    text = template.format_map({name: rst(values[name]) for name in wanted})
    return f"{text.rstrip()}\n" + (f"\n*{SIMULATED}*\n" if simulated else "")


def filled(template: str | Path, values: Mapping[str, str], simulated: bool) -> str:
    """The template of a file, filled in."""
    return fill(Path(template).read_text(encoding="utf-8"), values, simulated)


def write_caption(
    path: str | Path,
    template: str | Path,
    values: Mapping[str, str],
    simulated: bool,
    notice: str = "",
) -> str:
    """Fill in the template of one file, and write it to another.

    Parameters
    ----------
    notice : what the figure says where it has nothing to draw. It is the caption then: the
        template speaks of what would be drawn.

    Returns
    -------
    The caption, with the marks of its numbers' origins, see :mod:`dissensus.report.facts`.
    """
    if notice:
        text = fill("{notice}", {"notice": notice}, simulated)
    else:
        text = filled(template, values, simulated)
    write_text(path, unmarked(text))
    return text
