"""Read claims, engagements, stances and judgements out of the turns."""

from typing import Any

from dissensus.deliberation.design.manifest import IDS
from dissensus.deliberation.design.topics import TOPICS
from dissensus.deliberation.measures.reconstruct import reconstruct
from dissensus.deliberation.measures.records import CLAIMS, ENGAGEMENTS, JUDGEMENTS, STANCES
from dissensus.study.gather import by_session, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    sessions = by_session(read(inputs.turns, turns_schema(IDS)))
    topics = read(inputs.topics, TOPICS).to_pylist()
    tables = reconstruct(sessions, {topic["topic_id"]: topic["options"] for topic in topics})
    write(outputs.claims, CLAIMS, tables.claims, stage.provenance)
    write(outputs.engagements, ENGAGEMENTS, tables.engagements, stage.provenance)
    write(outputs.stances, STANCES, tables.stances, stage.provenance)
    write(outputs.judgements, JUDGEMENTS, tables.judgements, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
