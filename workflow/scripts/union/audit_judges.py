"""Audit the judges: position, length, side, agreement."""

from typing import Any

from dissensus.report.frames import read_frame
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write
from dissensus.union.inference.audit import JUDGES, audit_judges


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = audit_judges(
        read_frame(inputs.votes),
        read_frame(inputs.verdicts),
        stage.settings["inference"],
        stage.settings["seed"],
    )
    write(outputs.judges, JUDGES, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
