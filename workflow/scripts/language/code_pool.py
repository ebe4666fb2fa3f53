"""Check the motions and both codings, adjudicate, and measure how far the coders agree."""

from dissensus.language.design.pool import POOL, build_pool
from dissensus.language.settings import LanguageCondition, PoolSettings
from dissensus.stage import run
from dissensus.tables.artefact import write
from dissensus.tables.provenance import provenance


def main(inputs, outputs, stage):
    settings = stage["settings"]
    languages = {
        name: LanguageCondition(**condition) for name, condition in settings["languages"].items()
    }
    pool = build_pool(PoolSettings(**settings["pool"]), languages)
    write(outputs.pool, POOL, pool, provenance("code_pool", stage["simulated"], stage))


if __name__ == "__main__":
    run(main, snakemake)  # noqa: F821
