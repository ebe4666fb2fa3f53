"""Write what the panels of a run come to together as one file."""

from pathlib import Path
from typing import Any

from dissensus.keep.archive_panels import archive_panels
from dissensus.report.escaping import say
from dissensus.run.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    path = Path(outputs.crate)
    archive_panels(stage.configuration, path.parent, [*map(Path, inputs.archives)], path)
    say([f"{path} holds what compares the panels, and the digests of their archives."])


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
