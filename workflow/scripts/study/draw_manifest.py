"""Draw all that a study randomises, before any session runs."""

from typing import Any

from dissensus.run.stage import Stage, run
from dissensus.tables.artefact import read_by, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    draw, schema, source = stage.resolved
    items = read_by(inputs.source, source, stage.key)
    rows = draw(items, stage.settings, stage.seed)
    write(outputs.manifest, schema, rows, stage.provenance, names_plan=False)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
