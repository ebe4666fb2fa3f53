"""Draw topic, seats, hint and arm order of every session, before any is held."""

from typing import Any

from dissensus.deliberation.design.manifest import MANIFEST, Drawing, draw_manifest
from dissensus.deliberation.design.topics import read_topics_artefact
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    topics = read_topics_artefact(inputs.topics)
    rows = draw_manifest(list(topics.values()), Drawing(**stage.settings))
    write(outputs.manifest, MANIFEST, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
