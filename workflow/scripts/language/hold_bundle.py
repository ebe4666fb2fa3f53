"""Hold the sessions of one bundle, or as many of them as are still to be held."""

from pathlib import Path
from typing import Any

from dissensus.debate.jobs import bundled
from dissensus.debate.tally import TALLY
from dissensus.ending import ending_with
from dissensus.language.design.manifest import read_manifest
from dissensus.language.sessions import Sessions
from dissensus.settings import load
from dissensus.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = load(stage.config)
    results = Path("results") / settings.run
    TALLY.begin(results / ".progress")
    study, models = settings.language, settings.models
    sessions = Sessions.read(
        results / "language", study, {name: model.model_dump() for name, model in models.items()}
    )
    bundle = Path(outputs.held)
    rows = bundled(read_manifest(inputs.manifest).values(), bundle.name)
    switchboard = settings.switchboard(results, "hold_session", study.panel)
    with ending_with(results):
        failures = sessions.hold_bundle(rows, switchboard, stage.resources["together"])
    lines = [f"{name} failed for good, {why}" for name, why in sorted(failures.items())]
    bundle.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
