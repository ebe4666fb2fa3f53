"""Say what the manifests will cost, before any call is made."""

from pathlib import Path
from typing import Any

from dissensus.study.configuration import load
from dissensus.study.cost import estimate_settings
from dissensus.study.quote import describe, sum_up
from dissensus.study.registry import study_of
from dissensus.study.stage import Stage, run


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
