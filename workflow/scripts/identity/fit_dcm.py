"""Fit the Dirichlet-compound-multinomial model to every team's debates, and test the fits."""

from typing import Any

from dissensus.identity.design.banks import QUESTIONS
from dissensus.identity.design.manifest import MANIFEST
from dissensus.identity.inference.dcm import DCM, DCM_TESTS, Inference, estimate_dcm
from dissensus.identity.measures.transitions import ANSWERS
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    inference = stage.settings["inference"]
    dcm, tests = estimate_dcm(
        read(inputs.answers, ANSWERS).to_pandas(use_threads=False),
        read(inputs.questions, QUESTIONS).to_pandas(use_threads=False),
        read(inputs.manifest, MANIFEST).to_pandas(use_threads=False),
        Inference(
            confidence=inference["confidence"],
            resamples=inference["resamples"],
            goodness_resamples=inference["goodness_resamples"],
            seed=stage.settings["seed"],
        ),
    )
    write(outputs.dcm, DCM, dcm, stage.provenance)
    write(outputs.tests, DCM_TESTS, tests, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
