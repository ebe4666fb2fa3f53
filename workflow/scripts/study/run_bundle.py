"""Hold the sessions of one bundle, or as many of them as are still to be held."""

from pathlib import Path
from typing import Any

from dissensus.session.progress import PROGRESS_COUNTS
from dissensus.study.configuration import load
from dissensus.study.jobs import bundled
from dissensus.study.registry import study_of
from dissensus.study.sessions import Sessions
from dissensus.study.shutdown import stopping_with
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = load(stage.config)
    bundle, folder = Path(outputs.held), Path(inputs.manifest).parent
    results = folder.parent
    PROGRESS_COUNTS.begin(results / ".progress")
    sessions = Sessions(study_of(settings, folder))
    rows = bundled(sessions.debates.rows.values(), bundle.name)
    registry = settings.registry(results, "run_session", settings.used)
    with stopping_with(results):
        failures = sessions.run_bundle(rows, registry, stage.resources["together"])
    lines = [f"{name} failed for good, {why}" for name, why in sorted(failures.items())]
    bundle.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
