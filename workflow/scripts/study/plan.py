"""Say how many sessions and calls the manifests come to, before any is made."""

from pathlib import Path
from typing import Any

from dissensus.report.escaping import say
from dissensus.study.call_plan import describe
from dissensus.study.course import describe_starts
from dissensus.study.sessions import Sessions
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.configuration
    for study in settings.studies:
        sessions = Sessions.read(settings, Path("results") / settings.run / study)
        say([*describe(sessions), *describe_starts(sessions.folder, sessions.rows.values())])


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
