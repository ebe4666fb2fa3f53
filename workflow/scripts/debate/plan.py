"""Say how many sessions and calls the manifests come to, before any is made."""

from pathlib import Path
from typing import Any

from dissensus.debate.plan import describe
from dissensus.settings import load
from dissensus.stage import Stage, run
from dissensus.studies import study_of


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = load(stage.config)
    for folder in map(Path, stage.settings["folders"]):
        print("\n".join(describe(folder.name, study_of(settings, folder))), flush=True)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
