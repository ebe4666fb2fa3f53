"""What the language study makes of its sessions, in the order data takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.study.stages import Page, Stage

from .settings import LanguageSettings

_MEASURES, _INFERENCE = f"{__package__}.measures", f"{__package__}.inference"
_RENDERED = {"rendered": "rendered_turns.parquet"}
_FOUND = ("reference", "measures", "inference")

#: The speeches that recycle most and least, side by side.
_SPEECHES = Stage(
    f"{__package__}.figures.speeches:compare_speeches",
    further=("reuse", "turns", "manifest", "pool"),
    named={
        "html": "tables/recycled_speeches.html",
        "markdown": "tables/recycled_speeches.md",
    },
    message="Put the extreme speeches side by side",
    page=Page("html", "The most and the least recycled speeches", "5 Case study"),
)


def stages_of(
    settings: LanguageSettings,
    rendering: Mapping[str, Any],
    tokenizers: Sequence[str],
    embedders: Sequence[str],
) -> list[Stage]:
    """The measures of each shard, those of sessions, and the estimates.

    Parameters
    ----------
    rendering : how debates get their parallel texts, see ``Language.rendering``.
    tokenizers, embedders : by their names, each once.
    """
    return [*_of_shards(rendering, tokenizers, embedders), *_of_all(settings), _SPEECHES]


def _of_shards(
    rendering: Mapping[str, Any], tokenizers: Sequence[str], embedders: Sequence[str]
) -> list[Stage]:
    return [
        Stage(
            f"{_MEASURES}.renderings:render_turns",
            ("seed",),
            computed=rendering,
            named=_RENDERED,
            message="Put the debates of shard {wildcards.shard} into the other languages",
            each_shard=True,
        ),
        Stage(
            f"{_MEASURES}.embed:embed_turns",
            computed={"embedders": embedders},
            named={**_RENDERED, "calls": "embedding_calls.parquet"},
            message="Embed the turns of shard {wildcards.shard}",
            each_shard=True,
            on_node=True,
        ),
        Stage(
            f"{_MEASURES}.block:measure_shard",
            ("measures.repetitions",),
            computed={"tokenizers": tokenizers},
            named=_RENDERED,
            message="Measure the sessions of shard {wildcards.shard}",
            each_shard=True,
            on_node=True,
        ),
    ]


def _of_all(settings: LanguageSettings) -> list[Stage]:
    measures = settings.measures
    return [
        Stage(
            f"{_MEASURES}.homogeneity:measure_sessions",
            ("measures", "reference"),
            name="measure_homogeneity",
            message="Give every session its Homogeneity Index",
        ),
        Stage(
            f"{_INFERENCE}.instrument:measure_instrument",
            _FOUND,
            message="Measure what the instrument makes of parallel texts",
        ),
        Stage(
            f"{_INFERENCE}.effect:estimate_effects",
            _FOUND,
            name="estimate_language_effect",
            named={"effect": "language_effect.parquet"},
            message="Estimate the effect of the language",
        ),
        Stage(
            f"{_INFERENCE}.domain_tests:compare_domains",
            ("inference", "reference"),
            computed={"scales": [measures.primary, measures.paper_scale]},
            name="estimate_domains",
            named={"contrasts": "domain_contrasts.parquet", "tests": "domain_tests.parquet"},
            message="Estimate and compare the domains",
        ),
        Stage(
            f"{_INFERENCE}.diagnostics:diagnose",
            ("panel", "reference", "measures.primary", "inference"),
            name="diagnose_design",
            message="Check randomisation, attrition and compliance",
        ),
        Stage(
            f"{_INFERENCE}.specification:specification_curve",
            _FOUND,
            name="trace_specifications",
            named={
                "curve": "specification_curve.parquet",
                "tests": "specification_tests.parquet",
            },
            message="Estimate the effect under every choice of measure",
        ),
        Stage(
            f"{_INFERENCE}.power:power_table",
            ("diagnosis.effects", "diagnosis.motion_share", "inference.confidence"),
            computed={"planned": settings.draws},
            name="compute_power",
            named={"effect": "language_effect.parquet"},
            message="Compute power and the smallest detectable effect",
        ),
    ]
