"""Draw all that a study randomises, before any session runs."""

from pathlib import Path
from typing import Any

from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    draw, schema, read_source = stage.resolved
    rows = draw(read_source(Path(inputs.source)), stage.settings, stage.seed)
    write(outputs.manifest, schema, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
