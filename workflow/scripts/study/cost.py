"""Say what the manifests will cost, before any call is made."""

from pathlib import Path
from typing import Any

from dissensus.report.escaping import say
from dissensus.study.cost import estimate_settings
from dissensus.study.quote import describe, sum_up
from dissensus.study.rules import price_settings
from dissensus.study.sessions import Sessions
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.configuration
    studies = []
    for study in settings.studies:
        given = price_settings(settings, study)
        sessions = Sessions.read(settings, Path("results") / settings.run / study)
        lines = estimate_settings(given, sessions)
        studies.append(lines)
        told = {"protocol": given["protocol"], "prices": given["prices"]}
        say(describe(lines, name=study, **told, counting=sessions.study.counting))
    say(sum_up(studies, settings.budget_usd))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
