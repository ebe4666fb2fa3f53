"""Say what the manifests will cost, before any call is made."""

from pathlib import Path
from typing import Any

from dissensus.debate.cost import estimate_settings
from dissensus.debate.quote import describe, sum_up
from dissensus.settings import load
from dissensus.stage import Stage, run
from dissensus.studies import study_of


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = load(stage.config)
    studies = []
    for name, given in stage.settings.items():
        lines = estimate_settings(given, study_of(settings, Path(given["folder"])))
        studies.append(lines)
        said = describe(lines, name=name, protocol=given["protocol"], prices=given["prices"])
        print("\n".join(said), flush=True)
    print("\n".join(sum_up(studies, settings.budget_usd)), flush=True)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
