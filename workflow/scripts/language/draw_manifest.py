"""Draw domain, motion, cast and language order of every session, before any is held."""

from typing import Any

from dissensus.language.design.manifest import MANIFEST, Drawing, draw_manifest
from dissensus.language.design.pool import read_pool
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    pool = read_pool(inputs.pool)
    rows = draw_manifest(list(pool.values()), Drawing(**stage.settings))
    write(outputs.manifest, MANIFEST, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
