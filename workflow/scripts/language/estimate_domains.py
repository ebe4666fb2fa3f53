"""Estimate each domain, compare all of them, and test whether they differ at all."""

from typing import Any

from dissensus.language.design.pool import POOL
from dissensus.language.inference.domain_tests import DOMAIN_TESTS, test_domains
from dissensus.language.inference.domains import (
    DOMAIN_CONTRASTS,
    DOMAINS,
    contrast_domains,
    estimate_domains,
)
from dissensus.language.measures.homogeneity import METRICS
from dissensus.language.settings import InferenceSettings
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    metrics = read(inputs.metrics, METRICS).to_pandas(use_threads=False)
    pool = read(inputs.pool, POOL).to_pandas(use_threads=False)
    inference = InferenceSettings(**settings["inference"])
    scales = [f"hi_{scale}" for scale in dict.fromkeys(settings["scales"])]
    seed = settings["seed"]
    domains = estimate_domains(metrics, pool, scales, inference, seed)
    contrasts = contrast_domains(metrics, pool, scales, inference)
    tests = test_domains(metrics, pool, settings["reference"], scales, inference, seed)
    write(outputs.domains, DOMAINS, domains, stage.provenance)
    write(outputs.contrasts, DOMAIN_CONTRASTS, contrasts, stage.provenance)
    write(outputs.tests, DOMAIN_TESTS, tests, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
