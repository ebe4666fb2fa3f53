"""Say what the manifest will cost, before any call is made."""

from typing import Any

from dissensus.language.design.cost import estimate_settings
from dissensus.language.design.manifest import MANIFEST
from dissensus.language.design.pool import read_pool
from dissensus.language.design.quote import describe
from dissensus.stage import Stage, run
from dissensus.tables.artefact import read


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    given = stage.settings
    manifest = read(inputs.manifest, MANIFEST).to_pylist()
    lines = estimate_settings(given, manifest, read_pool(inputs.pool))
    said = describe(
        lines,
        protocol=given["protocol"],
        budget_usd=given["budget_usd"],
        prices=given["prices"],
    )
    print("\n".join(said), flush=True)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
