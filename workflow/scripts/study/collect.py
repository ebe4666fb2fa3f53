"""Check and write down what a study draws its manifest from."""

from pathlib import Path
from typing import Any

from dissensus.run.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    collected = stage.function(stage.settings, stage.seed)
    for path in outputs:
        schema, rows = collected[Path(path).stem]
        write(path, schema, rows, stage.provenance, names_plan=False)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
