"""List what a run does otherwise than its preregistration says."""

from pathlib import Path
from typing import Any

from dissensus.study.preregistration import deviations, deviations_text, plan_of
from dissensus.study.sessions import Sessions
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    folder = Path(inputs.plan).parent
    sessions = Sessions.read(stage.configuration, folder)
    plan = plan_of(stage.configuration, sessions, stage.provenance["commit"])
    write_text(outputs.deviations, deviations_text(deviations(folder, plan)))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
