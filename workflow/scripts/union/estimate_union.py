"""Estimate win shares, the survival of claims, and the effect of coaching."""

from typing import Any

from dissensus.report.frames import read_frame
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write
from dissensus.union.inference.coaching import COACHING, estimate_coaching
from dissensus.union.inference.survival import SURVIVAL, estimate_survival
from dissensus.union.inference.wins import WINS, estimate_wins


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    inference, seed = stage.settings["inference"], stage.settings["seed"]
    verdicts, manifest = read_frame(inputs.verdicts), read_frame(inputs.manifest)
    speeches, claims = read_frame(inputs.speeches), read_frame(inputs.claims)
    wins = estimate_wins(verdicts, speeches, manifest, inference, seed)
    survival = estimate_survival(claims, inference, seed)
    coaching = estimate_coaching(verdicts, manifest, inference, stage.settings["gains"], seed)
    write(outputs.wins, WINS, wins, stage.provenance)
    write(outputs.survival, SURVIVAL, survival, stage.provenance)
    write(outputs.coaching, COACHING, coaching, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
