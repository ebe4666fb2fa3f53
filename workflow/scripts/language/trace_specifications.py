"""Estimate the effect under every defensible choice of measure, and all of them jointly."""

from typing import Any

from dissensus.language.inference.specification import (
    SPECIFICATION_CURVE,
    SPECIFICATION_TESTS,
    specification_curve,
)
from dissensus.language.measures.components import COMPONENTS
from dissensus.language.measures.homogeneity import METRICS, RENDERINGS
from dissensus.language.settings import InferenceSettings, MeasureSettings
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    curve, tests = specification_curve(
        read(inputs.components, COMPONENTS).to_pandas(use_threads=False),
        read(inputs.metrics, METRICS).to_pandas(use_threads=False),
        read(inputs.renderings, RENDERINGS).to_pandas(use_threads=False),
        stage.settings["reference"],
        MeasureSettings(**stage.settings["measures"]),
        InferenceSettings(**stage.settings["inference"]),
        stage.settings["seed"],
    )
    write(outputs.curve, SPECIFICATION_CURVE, curve, stage.provenance)
    write(outputs.tests, SPECIFICATION_TESTS, tests, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
