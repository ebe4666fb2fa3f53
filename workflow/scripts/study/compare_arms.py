"""Compare the arms of an experiment on each of its outcomes."""

from typing import Any

from dissensus.design.contrasts import Options, contrasts_schema
from dissensus.study.experiment.measures import compare
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    study = stage.function
    metrics = read(inputs.metrics, study.metrics_schema).to_pandas(use_threads=False)
    options = Options(**stage.settings["inference"], seed=stage.seed)
    rows = compare(metrics, study.arms, study.declared_outcomes(), study.cluster, options)
    write(outputs.contrasts, contrasts_schema("contrasts"), rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
