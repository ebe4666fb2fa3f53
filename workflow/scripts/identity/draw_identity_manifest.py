"""Draw shard, personas and order of every session, before any is held."""

from typing import Any

from dissensus.identity.design.banks import read_questions
from dissensus.identity.design.manifest import MANIFEST, Drawing, draw_manifest
from dissensus.identity.protocol import read_personas
from dissensus.identity.settings import TeamSettings
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    teams = {name: TeamSettings(**team) for name, team in stage.settings["teams"].items()}
    personas = list(read_personas(inputs.personas))
    drawing = Drawing(**stage.settings | {"teams": teams, "personas": personas})
    rows = draw_manifest(read_questions(inputs.questions).values(), drawing)
    write(outputs.manifest, MANIFEST, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
