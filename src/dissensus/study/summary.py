"""The head of a run's report, and the page of its reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill, indent

from dissensus.report.escaping import rst
from dissensus.report.reader_page import reader_page
from dissensus.study.makes import makes
from dissensus.tables.artefact import write_text


@makes(report=write_text)
def summarise(run: str, seed: int, studies: Mapping[str, str], simulated: bool) -> str:
    """The report's first page, as reStructuredText.

    Parameters
    ----------
    run, seed : of the run.
    studies : name -> its design in a paragraph.
    simulated : whether the run's models are simulated.
    """
    opening = f"How groups of language models argue, in run **{rst(run)}** (seed {seed}):"
    blocks = ["dissensus\n=========", opening]
    for name, summary in studies.items():
        # A backslash stays with what it marks.
        words = fill(rst(summary), 110, break_long_words=False, break_on_hyphens=False)
        blocks.append(f"**{rst(name)}**\n{indent(words, '   ')}")
    if simulated:
        blocks.append(
            "**All models of this run are simulated: no number below says anything about a real "
            "model.**"
        )
    blocks.append("Every number in a caption is read from this run's artefacts.")
    return "\n\n".join(blocks) + "\n"


@makes(page=write_text)
def write_reader_page(run: str, studies: Sequence[str], simulated: bool) -> str:
    """See :func:`~dissensus.report.reader_page.reader_page`."""
    return reader_page(run, studies, simulated)
