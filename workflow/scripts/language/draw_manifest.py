"""Draw domain, motion, cast and language order of every session, before any is held."""

from dissensus.language.design.manifest import MANIFEST, Drawing, draw_manifest
from dissensus.language.design.pool import read_pool
from dissensus.stage import run
from dissensus.tables.artefact import write
from dissensus.tables.provenance import provenance


def main(inputs, outputs, stage):
    pool = read_pool(inputs.pool)
    rows = draw_manifest(list(pool.values()), Drawing(**stage["settings"]))
    write(outputs.manifest, MANIFEST, rows, provenance("draw_manifest", stage["simulated"], stage))


if __name__ == "__main__":
    run(main, snakemake)  # noqa: F821
