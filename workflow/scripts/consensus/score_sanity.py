"""Score the answers of the agents' sanity check."""

from pathlib import Path
from typing import Any

from dissensus.consensus.design import IDS, MANIFEST
from dissensus.consensus.domains import read_domain
from dissensus.consensus.sanity.questions import read_questions
from dissensus.consensus.sanity.scoring import CHECKS, SANITY_CALLS, score_sanity
from dissensus.study.embedding import call_rows, stage_embedder
from dissensus.study.gather import by_session, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import concatenate, read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    journals = Path(outputs.sanity).parent / "journal/embeddings"
    used, paid = stage_embedder(stage, settings["embedder"], journals, "answers")
    questions = {
        name: read_questions(folder, tuple(read_domain(folder).names))
        for name, folder in settings["domains"].items()
    }
    turns = by_session(concatenate(inputs.turns, turns_schema(IDS))) if inputs.turns else {}
    inference = settings["inference"]
    rows = score_sanity(
        read(inputs.manifest, MANIFEST).to_pylist(),
        turns,
        questions,
        used.embed,
        inference["confidence"],
        inference["resamples"],
        settings["seed"],
    )
    write(outputs.sanity, CHECKS, rows, stage.provenance)
    write(outputs.calls, SANITY_CALLS, call_rows(0, paid), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
