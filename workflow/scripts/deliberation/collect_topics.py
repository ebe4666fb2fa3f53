"""Check the topics, one by one, and write them down."""

from typing import Any

from dissensus.deliberation.design.topics import TOPICS, read_topics
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    write(outputs.topics, TOPICS, read_topics(inputs.topics), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
