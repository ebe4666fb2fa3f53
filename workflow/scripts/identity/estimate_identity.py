"""Estimate every measure of identity bias, by team, bank, round and condition."""

from typing import Any

from dissensus.identity.design.manifest import MANIFEST
from dissensus.identity.inference.estimates import ESTIMATES, estimate_identity
from dissensus.identity.measures.metrics import METRICS
from dissensus.identity.measures.transitions import TRANSITIONS
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    inference = stage.settings["inference"]
    rows = estimate_identity(
        read(inputs.metrics, METRICS),
        read(inputs.transitions, TRANSITIONS),
        read(inputs.manifest, MANIFEST),
        confidence=inference["confidence"],
        resamples=inference["resamples"],
        seed=stage.settings["seed"],
    )
    write(outputs.estimates, ESTIMATES, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
