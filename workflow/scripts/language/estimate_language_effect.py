"""Estimate the effect of the language, by every method, and how far each scale saturates."""

from typing import Any

from dissensus.language.inference.effect import LANGUAGE_EFFECT, estimate_language_effect
from dissensus.language.inference.saturation import SATURATION, measure_saturation
from dissensus.language.measures.homogeneity import METRICS, RENDERINGS
from dissensus.language.settings import InferenceSettings, MeasureSettings
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    metrics = read(inputs.metrics, METRICS).to_pandas(use_threads=False)
    renderings = read(inputs.renderings, RENDERINGS).to_pandas(use_threads=False)
    measures = MeasureSettings(**settings["measures"])
    inference = InferenceSettings(**settings["inference"])
    effect = estimate_language_effect(
        metrics, renderings, settings["reference"], inference, measures, settings["seed"]
    )
    saturation = measure_saturation(metrics, measures.anchors, inference)
    write(outputs.effect, LANGUAGE_EFFECT, effect, stage.provenance)
    write(outputs.saturation, SATURATION, saturation, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
