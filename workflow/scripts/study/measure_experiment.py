"""Measure every session of an experiment by its own outcomes."""

from typing import Any

from dissensus.study.experiment.measures import measure_sessions, turns_by_session
from dissensus.study.gather import outcomes_schema, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, read_by, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    declared = stage.function
    study = declared(declared.Settings.model_validate(stage.settings))
    turns = turns_by_session(read(inputs.turns, turns_schema(study.ids)).to_pylist())
    ended = read(inputs.outcomes, outcomes_schema(study.ids)).to_pylist()
    items = read_by(inputs.pool, study.pool_schema, "item_id")
    rows = measure_sessions(study, turns, ended, items)
    write(outputs.metrics, study.metrics_schema, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
