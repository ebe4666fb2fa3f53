"""Put the blocks together and give every session its index on every scale."""

from typing import Any

from dissensus.language.design.manifest import IDS, MANIFEST
from dissensus.language.measures.components import COMPONENTS
from dissensus.language.measures.homogeneity import METRICS, RENDERINGS, measure_homogeneity
from dissensus.language.measures.reuse import REUSE
from dissensus.language.settings import MeasureSettings
from dissensus.study.gather import outcomes_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import concatenate, read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    components = concatenate(inputs.components, COMPONENTS)
    metrics, renderings = measure_homogeneity(
        read(inputs.manifest, MANIFEST).to_pandas(use_threads=False),
        read(inputs.outcomes, outcomes_schema(IDS)).to_pandas(use_threads=False),
        components.to_pandas(use_threads=False),
        MeasureSettings(**stage.settings["measures"]),
        stage.settings["reference"],
    )
    write(outputs.components, COMPONENTS, components, stage.provenance)
    write(outputs.reuse, REUSE, concatenate(inputs.reuse, REUSE), stage.provenance)
    write(outputs.metrics, METRICS, metrics, stage.provenance)
    write(outputs.renderings, RENDERINGS, renderings, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
