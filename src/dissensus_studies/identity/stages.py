"""What the identity study makes of its sessions, in the order data takes."""

from __future__ import annotations

from dissensus.study.stages import Stage

from .settings import IdentitySettings

_MEASURES, _INFERENCE = f"{__package__}.measures", f"{__package__}.inference"
_RESAMPLED = ("inference.confidence", "inference.resamples")


def stages_of(settings: IdentitySettings) -> list[Stage]:
    """What agents answered, and the estimates."""
    return [
        Stage(
            f"{_MEASURES}.metrics:measure_identity",
            name="read_answers",
            message="Read what every agent answered, and whom it followed",
        ),
        Stage(
            f"{_INFERENCE}.estimates:estimate_identity",
            _RESAMPLED,
            message="Estimate conformity, obstinacy and the Identity Bias Coefficient",
        ),
        Stage(
            f"{_INFERENCE}.coefficients:headline_identity",
            name="mark_identity_headline",
            message="Mark what the study is judged by",
        ),
        Stage(
            f"{_INFERENCE}.comparisons:compare_identity",
            _RESAMPLED,
            message="Test the differences that the paper claims",
        ),
        Stage(
            f"{_INFERENCE}.baselines:compare_baselines",
            _RESAMPLED,
            name="compare_identity_baselines",
            message="Compare debates with what their tokens find without debate",
        ),
        Stage(
            f"{_INFERENCE}.dcm:fit_dcm",
            (*_RESAMPLED, "inference.goodness_resamples"),
            named={"tests": "dcm_tests.parquet"},
            message="Fit the Dirichlet compound multinomial model of debate",
            on_node=True,
        ),
        Stage(
            f"{_INFERENCE}.martingale:martingale_tests",
            ("inference.confidence",),
            computed={"margin": settings.inference.equivalence_margin},
            name="test_martingale",
            message="Test whether debate changes mean accuracy",
        ),
        Stage(
            f"{_INFERENCE}.power:power_rows",
            ("inference.confidence",),
            name="compute_identity_power",
            message="Compute how many questions an identity bias needs",
        ),
    ]
