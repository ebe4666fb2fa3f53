"""The debate graph of any session, from its transcript alone, so that no other has to run."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dissensus.report.alternative import alternative
from dissensus.report.frames import records
from dissensus.report.style import save_svg
from dissensus.report.view import Artefacts
from dissensus.study.makes import TurnsBySession, makes

from ..measures.reconstruct import reconstruct
from ..measures.records import CLAIMS, ENGAGEMENTS, STANCES
from .graph import draw_session


def _save(path: str, drawing: tuple[Figure, str, str]) -> None:
    figure, title, words = drawing
    save_svg(figure, path, title, words)


@makes(svg=_save)
def plot_graph(
    transcript: TurnsBySession,
    manifest: pd.DataFrame,
    topics: pd.DataFrame,
    session: str,
    simulated: bool,
) -> tuple[Figure, str, str]:
    """The figure, its title, and the words that stand for it."""
    options = {row["topic_id"]: list(row["options"]) for row in records(topics)}
    tables = reconstruct(transcript, options)
    rebuilt = {
        schema.name: pd.DataFrame(getattr(tables, schema.name), columns=list(schema.columns))
        for schema in (CLAIMS, ENGAGEMENTS, STANCES)
    }
    artefacts = Artefacts({}, {"manifest": manifest, "topics": topics, **rebuilt})
    drawn = draw_session(artefacts, session, simulated)
    title = f"Debate graph of {session}"
    return drawn.figure, title, alternative(title, drawn.figure, drawn.facts["text"])
