"""Say how many sessions and calls the manifests come to, before any is made."""

from pathlib import Path
from typing import Any

from dissensus.study.configuration import load
from dissensus.study.plan import describe
from dissensus.study.registry import study_of
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = load(stage.config)
    for folder in map(Path, stage.settings["folders"]):
        print("\n".join(describe(folder.name, study_of(settings, folder))), flush=True)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
