"""Test whether debate changes mean accuracy, and the vote, from one round to the next."""

from typing import Any

from dissensus.identity.inference.martingale import MARTINGALE, martingale_tests
from dissensus.identity.measures.metrics import METRICS
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    inference = stage.settings["inference"]
    rows = martingale_tests(
        read(inputs.metrics, METRICS).to_pandas(use_threads=False),
        inference["confidence"],
        inference["equivalence_margin"],
        stage.settings["seed"],
    )
    write(outputs.martingale, MARTINGALE, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
