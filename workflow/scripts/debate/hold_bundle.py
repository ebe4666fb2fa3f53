"""Hold the sessions of one bundle, or as many of them as are still to be held."""

from pathlib import Path
from typing import Any

from dissensus.debate.jobs import bundled
from dissensus.debate.sessions import Sessions
from dissensus.debate.tally import TALLY
from dissensus.ending import ending_with
from dissensus.settings import load
from dissensus.stage import Stage, run
from dissensus.studies import study_of


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = load(stage.config)
    bundle, folder = Path(outputs.held), Path(inputs.manifest).parent
    results = folder.parent
    TALLY.begin(results / ".progress")
    sessions = Sessions(study_of(settings, folder))
    rows = bundled(sessions.debates.rows.values(), bundle.name)
    switchboard = settings.switchboard(results, "hold_session", settings.used)
    with ending_with(results):
        failures = sessions.hold_bundle(rows, switchboard, stage.resources["together"])
    lines = [f"{name} failed for good, {why}" for name, why in sorted(failures.items())]
    bundle.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
