"""Read what was said and judged out of the turns of all debates, and give the verdicts."""

from typing import Any

from dissensus.study.gather import by_session, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import concatenate, read_by, write
from dissensus.union.measures.records import drawn_by, reconstruct
from dissensus.union.pages.run import RECORDS
from dissensus.union.tables import IDS, MANIFEST, MOTIONS


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    tables = reconstruct(
        by_session(concatenate(inputs.turns, turns_schema(IDS))),
        read_by(inputs.manifest, MANIFEST, "session_id"),
        read_by(inputs.motions, MOTIONS, "motion_id"),
        stage.settings["layers"],
        drawn_by(stage.settings["protocol"]),
    )
    for name, schema in RECORDS.items():
        write(getattr(outputs, name), schema, getattr(tables, name), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
