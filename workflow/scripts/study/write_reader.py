"""Write all debates of a study as the data of the reader."""

from pathlib import Path
from typing import Any

from dissensus.keep.reader import Writer
from dissensus.run.stage import Stage, run
from dissensus.study.sessions import Sessions


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    sessions = Sessions.read(stage.configuration, Path(inputs.turns).parent)
    Writer(sessions, stage.registry).write(Path(outputs.data), stage.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
