"""Every stage gives its artefact, NaN and all, for runs too small or too odd to say much."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from marking import thorough_but

from ..inference import domain_tests
from ..inference.diagnostics import DIAGNOSTICS, diagnose_design
from ..inference.domain_tests import DOMAIN_TESTS
from ..inference.domains import (
    DOMAIN_CONTRASTS,
    DOMAINS,
    contrast_domains,
    estimate_domains,
)
from ..inference.effect import LANGUAGE_EFFECT
from ..inference.power import POWER, power_table
from ..inference.saturation import SATURATION, measure_saturation
from ..inference.specification import (
    SPECIFICATION_CURVE,
    SPECIFICATION_TESTS,
    specification_curve,
)
from .inference_frames import (
    ANCHORS,
    INFERENCE,
    MEASURES,
    NO_RENDERINGS,
    Study,
    checked,
    effect_of,
    make_study,
)

PANEL = ("a", "b", "c", "d")
OUTCOMES = ["hi_z", "hi_normal_cdf", "s_lex"]
EVERY_SESSION = [f"d00{i}-{language}" for i in (1, 2, 3) for language in ("en", "zh")]


def saturated(study: Study) -> Study:
    """The same study with the second language at the ceiling of every scale."""
    for scale in ANCHORS[1:]:
        study.metrics.loc[study.metrics["language"] == "zh", f"hi_{scale}"] = 1.0
    return study


def identical(study: Study) -> Study:
    """An A-A run whose debates come out the same to the last digit."""
    values = study.metrics.columns.str.startswith(("hi_", "lex_", "sem_", "s_lex", "s_sem"))
    for name in study.metrics.columns[values]:
        study.metrics[name] = study.metrics.groupby("draw_id")[name].transform("first")
    return study


CASES: dict[str, Callable[[], Study]] = {
    "one draw": lambda: make_study(1),
    "two draws": lambda: make_study(2),
    "two draws of one motion": lambda: make_study(2, domains=1, motions=1),
    "two draws, one lost": lambda: make_study(2, lost=["d002-zh"]),
    "three draws, all lost": lambda: make_study(3, lost=EVERY_SESSION),
    "three draws, one language lost": lambda: make_study(3, lost=EVERY_SESSION[1::2]),
    "four draws, three languages": lambda: make_study(
        4, languages=("en", "zh", "fr"), lost=["d002-fr"]
    ),
    "six draws without any spread": lambda: make_study(6, spread=0.0),
    "six draws, one domain": lambda: make_study(6, domains=1),
    "six saturated draws": lambda: saturated(make_study(6)),
    "A-A run": lambda: make_study(6, languages=("en", "en2"), effect=0.0),
    "A-A run, identical": lambda: identical(make_study(6, languages=("en", "en2"), effect=0.0)),
}

#: Those of `make test`.
QUICK = (
    *("one draw", "two draws, one lost", "three draws, all lost"),
    *("six draws without any spread",),
)


@pytest.mark.parametrize("case", thorough_but(CASES, *QUICK))
def test_every_artefact_of_a_small_run(case: str, tmp_path: Path) -> None:
    study = CASES[case]()
    metrics, pool = study.metrics, study.pool
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        effect = effect_of(metrics, INFERENCE, 1)
        curve, tests = specification_curve(
            study.components, metrics, NO_RENDERINGS, "en", MEASURES, INFERENCE, 1
        )
        omnibus = domain_tests.test_domains(metrics, pool, "en", OUTCOMES, INFERENCE, 1)
        diagnostics = diagnose_design(
            study.manifest, study.outcomes, pool, PANEL, "en", INFERENCE, 1
        )
        planned = metrics["draw_id"].nunique()
        artefacts = [
            (LANGUAGE_EFFECT, effect),
            (SATURATION, measure_saturation(metrics, ANCHORS, INFERENCE)),
            (DOMAINS, estimate_domains(metrics, pool, OUTCOMES, INFERENCE, 1)),
            (DOMAIN_CONTRASTS, contrast_domains(metrics, pool, OUTCOMES, INFERENCE)),
            (DOMAIN_TESTS, omnibus),
            (DIAGNOSTICS, diagnostics),
            (SPECIFICATION_CURVE, curve),
            (SPECIFICATION_TESTS, tests),
            (POWER, power_table(pool, pd.DataFrame(effect), planned, [0.0, 0.5], 0.3, 0.95, 1)),
        ]
    for schema, rows in artefacts:
        checked(rows, schema, tmp_path)
    contrasts = metrics["language"].nunique() - 1
    assert sum(row["headline"] for row in effect) == contrasts
    assert len(tests) == 3 * contrasts
