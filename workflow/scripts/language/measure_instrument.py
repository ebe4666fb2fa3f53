"""Measure the difference between languages on parallel texts, for every measure."""

from typing import Any

from dissensus.language.inference.instrument import INSTRUMENT, measure_instrument
from dissensus.language.measures.components import COMPONENTS
from dissensus.language.measures.homogeneity import METRICS, RENDERINGS
from dissensus.language.settings import InferenceSettings, MeasureSettings
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = measure_instrument(
        read(inputs.components, COMPONENTS).to_pandas(use_threads=False),
        read(inputs.metrics, METRICS).to_pandas(use_threads=False),
        read(inputs.renderings, RENDERINGS).to_pandas(use_threads=False),
        stage.settings["reference"],
        MeasureSettings(**stage.settings["measures"]),
        InferenceSettings(**stage.settings["inference"]),
        stage.settings["seed"],
    )
    write(outputs.instrument, INSTRUMENT, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
