"""Compare all of a run with what it was made from, and say what is damaged."""

from pathlib import Path
from typing import Any

from dissensus.errors import ArtefactError
from dissensus.study.stage import Stage, run
from dissensus.study.verify import verify


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.configuration
    verified = verify(settings, Path("results") / settings.run)
    if verified.findings:
        raise ArtefactError("\n".join([*verified.findings.values(), verified.summary]))
    print(verified.summary, flush=True)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
