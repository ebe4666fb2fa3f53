"""Write the run as one file that makes it again."""

from pathlib import Path
from typing import Any

from dissensus.keep.archive import archive
from dissensus.report.escaping import say
from dissensus.run.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings, path = stage.configuration, Path(outputs.crate)
    made = stage.provenance
    commit, of_project = made["commit"], made.get("project_commit", "")
    archive(stage.config, settings, path.parent, commit, path, of_project)
    say([f"{path} holds the run ({path.stat().st_size / 1e6:,.1f} MB)."])


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
