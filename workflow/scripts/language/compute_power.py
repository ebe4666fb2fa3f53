"""Compute power and the smallest detectable effect, before and after the study."""

from typing import Any

from dissensus.language.design.pool import POOL
from dissensus.language.inference.effect import LANGUAGE_EFFECT
from dissensus.language.inference.power import POWER, power_table
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = power_table(
        read(inputs.pool, POOL).to_pandas(use_threads=False),
        read(inputs.effect, LANGUAGE_EFFECT).to_pandas(use_threads=False),
        **stage.settings,
    )
    write(outputs.power, POWER, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
