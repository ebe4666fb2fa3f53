"""Check randomisation, attrition and compliance as they came out."""

from typing import Any

from dissensus.language.design.manifest import IDS, MANIFEST
from dissensus.language.design.pool import POOL
from dissensus.language.inference.conduct import diagnose_conduct
from dissensus.language.inference.diagnostics import DIAGNOSTICS, diagnose_design
from dissensus.language.measures.homogeneity import METRICS
from dissensus.language.settings import InferenceSettings
from dissensus.study.gather import outcomes_schema, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write

_OF_TURNS = ["session_id", "repairs", "compliant"]


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    rows = diagnose_design(
        read(inputs.manifest, MANIFEST).to_pandas(use_threads=False),
        read(inputs.outcomes, outcomes_schema(IDS)).to_pandas(use_threads=False),
        read(inputs.pool, POOL).to_pandas(use_threads=False),
        stage.settings["panel"],
        stage.settings["reference"],
        InferenceSettings(**stage.settings["inference"]),
        stage.settings["seed"],
    )
    rows += diagnose_conduct(
        read(inputs.metrics, METRICS).to_pandas(use_threads=False),
        read(inputs.turns, turns_schema(IDS)).select(_OF_TURNS).to_pandas(use_threads=False),
        f"hi_{stage.settings['primary']}",
        stage.settings["reference"],
        InferenceSettings(**stage.settings["inference"]),
        stage.settings["seed"],
    )
    write(outputs.diagnostics, DIAGNOSTICS, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
