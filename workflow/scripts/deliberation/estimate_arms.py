"""Compare every arm with the reference, draw by draw."""

from typing import Any

from dissensus.deliberation.inference.contrasts import CONTRASTS, contrast_arms
from dissensus.report.frames import read_frame
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    rows = contrast_arms(
        read_frame(inputs.metrics),
        read_frame(inputs.manifest),
        settings["reference"],
        settings["confidence"],
        settings["flips"],
        settings["seed"],
    )
    write(outputs.contrasts, CONTRASTS, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
