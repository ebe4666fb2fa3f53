"""Draw the debate graph of one session, the one that the file is named after."""

from pathlib import Path
from typing import Any

import pandas as pd

from dissensus.deliberation.design.manifest import IDS
from dissensus.deliberation.figures.graph import draw_session
from dissensus.deliberation.measures.reconstruct import reconstruct
from dissensus.deliberation.measures.records import CLAIMS, ENGAGEMENTS, STANCES
from dissensus.report.alternative import alternative
from dissensus.report.artefacts import Artefacts
from dissensus.report.style import save_svg
from dissensus.session.record import transcript
from dissensus.study.gather import by_session
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    artefacts = Artefacts({"manifest": inputs.manifest, "topics": inputs.topics})
    topics = read(inputs.topics).to_pylist()
    # Its own transcript alone: no other session has to run for it.
    turns = by_session(read(inputs.transcript, transcript(IDS)))
    tables = reconstruct(turns, {topic["topic_id"]: topic["options"] for topic in topics})
    for schema in (CLAIMS, ENGAGEMENTS, STANCES):
        rows = getattr(tables, schema.name)
        artefacts.loaded[schema.name] = pd.DataFrame(rows, columns=list(schema.columns))
    drawn = draw_session(artefacts, Path(outputs.svg).stem, stage.simulated)
    title = f"Debate graph of {Path(outputs.svg).stem}"
    words = alternative(title, drawn.figure, drawn.facts["text"])
    save_svg(drawn.figure, outputs.svg, title, words)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
