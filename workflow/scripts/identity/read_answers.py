"""Read what every agent answered, what it did with the answers it saw, and who was right."""

from typing import Any

from dissensus.identity.design.banks import QUESTIONS
from dissensus.identity.design.manifest import IDS, MANIFEST
from dissensus.identity.measures.answers import read_answers
from dissensus.identity.measures.metrics import METRICS, measure_rounds
from dissensus.identity.measures.transitions import ANSWERS, TRANSITIONS, follow_answers
from dissensus.study.gather import outcomes_schema, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    manifest = read(inputs.manifest, MANIFEST).to_pylist()
    questions = read(inputs.questions, QUESTIONS).to_pylist()
    answers = read_answers(
        read(inputs.turns, turns_schema(IDS)).to_pylist(),
        read(inputs.outcomes, outcomes_schema(IDS)).to_pylist(),
        manifest,
        questions,
    )
    transitions = follow_answers(answers, manifest)
    metrics = measure_rounds(answers, transitions, manifest, questions)
    write(outputs.answers, ANSWERS, answers, stage.provenance)
    write(outputs.transitions, TRANSITIONS, transitions, stage.provenance)
    write(outputs.metrics, METRICS, metrics, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
