"""Write the plan of every study as text, before any session."""

from pathlib import Path
from typing import Any

from dissensus.report.escaping import say
from dissensus.study.preregistration import begun_sessions, plan_of, register
from dissensus.study.sessions import Sessions
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.configuration
    for name in settings.studies:
        sessions = Sessions.read(settings, Path("results") / settings.run / name)
        study, folder = sessions.study, sessions.folder
        said = study.registered(sessions.items, settings.seed)
        plan = plan_of(settings, sessions, stage.provenance["commit"])
        begun = begun_sessions(folder, sessions.rows.values())
        say(register(folder, plan, said, study.question, begun))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
