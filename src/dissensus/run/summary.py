"""The head of a run's report, and the page of its reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill, indent
from typing import Any

from dissensus.report.escaping import rst
from dissensus.report.pages.reader import Estimated, reader_page
from dissensus.study.makes import makes
from dissensus.tables.artefact import read, write_text


@makes(report=write_text)
def summarise(
    run: str, seed: int, studies: Mapping[str, str], simulated: bool, imported: bool = False
) -> str:
    """The report's first page, as reStructuredText.

    Parameters
    ----------
    run, seed : of the run.
    studies : name -> its design in a paragraph.
    simulated : whether the run's models are simulated.
    imported : whether its sessions came in with files.
    """
    title = "Debates that were imported" if imported else "How groups of language models argue"
    opening = f"{title}, in run **{rst(run)}** (seed {seed}):"
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
def write_reader_page(
    findings: list[Path],
    marks: list[Path],
    run: str,
    titles: Mapping[str, Mapping[str, str]],
    simulated: bool,
) -> str:
    """See :func:`~dissensus.report.pages.reader.reader_page`.

    Parameters
    ----------
    findings : of each study that has some.
    marks : of each that has figures.
    run : its name.
    titles : study -> name of a figure -> its title.
    simulated : whether the run's models are simulated.
    """
    shown = {path.parent.name: _shown(read(path).to_pylist()) for path in findings}
    figures = {
        path.parent.name: _marked(read(path).to_pylist(), titles[path.parent.name])
        for path in marks
    }
    studies = {name: Estimated(shown.get(name, ()), figures.get(name, ())) for name in titles}
    return reader_page(run, studies, simulated)


def _shown(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The sentences that a lost session is shown with."""
    kinds = ("unidentified", "headline", "against")
    return [row["sentence"] for row in findings if row["kind"] in kinds]


def _marked(marks: Sequence[Mapping[str, Any]], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """The figures that have marks of debates, and the debates."""
    targets: dict[str, set[str]] = defaultdict(set)
    for row in marks:
        targets[row["figure"]].add(row["target"])
    return [
        {"name": name, "title": titles.get(name, name), "targets": sorted(marked)}
        for name, marked in targets.items()
    ]
