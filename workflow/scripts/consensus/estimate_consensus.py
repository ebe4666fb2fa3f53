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
from dissensus.consensus.learning.inference import ABLATIONS_TABLE, learned_contrasts
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
    contrasts = contrast_arms(metrics, settings["compared"], reference, options)
    write(outputs.contrasts, CONTRASTS, contrasts, stage.provenance)
    models = settings["models"]
    speech = {arm: settings["speech"].get(model) for arm, model in models.items()}
    planted = planted_values(manifest, statements, speech, reference, seed)
    write(outputs.planted, PLANTED, planted, stage.provenance)
    own = {arm: (model, settings["temperatures"][arm]) for arm, model in models.items()}
    learned = learned_contrasts(metrics, settings["arms"], own, reference, planted, options)
    write(outputs.ablations, ABLATIONS_TABLE, learned, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
