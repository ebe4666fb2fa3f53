"""Check the motions and both codings, adjudicate, and measure how far the coders agree."""

from typing import Any

from dissensus.language.design.pool import POOL, build_pool
from dissensus.language.design.reliability import RELIABILITY, measure_reliability
from dissensus.language.settings import LanguageCondition, PoolSettings
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = PoolSettings(**stage.settings["pool"])
    languages = {
        name: LanguageCondition(**condition)
        for name, condition in stage.settings["languages"].items()
    }
    pool, codebook = build_pool(settings, languages)
    reliability = measure_reliability(
        pool, codebook, resamples=stage.settings["resamples"], seed=stage.settings["seed"]
    )
    write(outputs.pool, POOL, pool, stage.provenance)
    write(outputs.reliability, RELIABILITY, reliability, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
