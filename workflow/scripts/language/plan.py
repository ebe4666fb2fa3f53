"""Say how many sessions and calls the manifest comes to, before any is made."""

from typing import Any

from dissensus.language.design.manifest import MANIFEST
from dissensus.language.design.plan import describe
from dissensus.stage import Stage, run
from dissensus.tables.artefact import read


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = read(inputs.manifest, MANIFEST).to_pylist()
    print("\n".join(describe(rows, **stage.settings)), flush=True)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
