"""Estimate every measure in every arm, compare the arms, and say what was planted."""

from typing import Any

from dissensus.consensus.inference import (
    CONTRASTS,
    ESTIMATES,
    PLANTED,
    contrast_arms,
    estimate_arms,
    planted_values,
)
from dissensus.design.contrasts import Options
from dissensus.report.frames import read_frame
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    inference, seed = settings["inference"], settings["seed"]
    metrics, manifest, statements = (
        read_frame(path) for path in (inputs.metrics, inputs.manifest, inputs.statements)
    )
    confidence, resamples = inference["confidence"], inference["resamples"]
    rows = estimate_arms(metrics, settings["rounds"], confidence, resamples, seed)
    write(outputs.estimates, ESTIMATES, rows, stage.provenance)
    options = Options(confidence, inference["flips"], seed)
    reference = settings["reference"]
    contrasts = contrast_arms(metrics, settings["arms"], reference, options)
    write(outputs.contrasts, CONTRASTS, contrasts, stage.provenance)
    planted = planted_values(manifest, statements, settings["speech"], reference, seed)
    write(outputs.planted, PLANTED, planted, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
