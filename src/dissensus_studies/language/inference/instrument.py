"""The instrument: what every measure makes of parallel texts in two languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import defined
from dissensus.design.weights import contrast_name
from dissensus.digests import seed_of
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, number, text

from ..measures.components import UNITS
from ..settings import InferenceSettings, MeasureSettings
from .index import parts_of
from .net import (
    BACK,
    FORWARD,
    OFFSET,
    Readings,
    Scaling,
    estimate_net,
)
from .pairs import compared_languages
from .readings import read_texts

INSTRUMENT = Schema(
    name="instrument",
    row="contrast, measure, direction of the rendering; none where no debate is rendered",
    columns={
        **common("contrast"),
        "measure": text("Column of the components; or the index, its lexical or semantic part."),
        "unit": Column("string?", "What one token distribution is made of: turn, speaker or side."),
        **common("tokenizer?", "embedder?"),
        "anchor": Column("string?", "Scale of the index; empty for a raw similarity."),
        "direction": text("Language of the debate and of its rendering, as in en>zh; or mean."),
        **common("estimate?", "se?", "ci_low?", "ci_high?", "p_value?"),
        "estimate_d": number(
            "The difference over the spread of the measure in debates in the reference.",
            "standard deviations of a debate in the reference",
        ),
        **common("n", "n_clusters"),
    },
    key=("contrast", "measure", "tokenizer", "embedder", "anchor", "direction"),
)

#: Resamples for each of so many measures; the headline's offset, in language_effect, has all.
_MOST_RESAMPLES = 2_000

_VARIANTS = ("", "_matched", "_excess")
_PAIRS = ("pooled", "cross_side", "same_side", "same_speaker")


@makes(instrument=INSTRUMENT)
def measure_instrument(
    components: pd.DataFrame,
    metrics: pd.DataFrame,
    renderings: pd.DataFrame,
    looks: list[dict[str, Any]],
    reference: str,
    measures: MeasureSettings,
    inference: InferenceSettings,
    seed: int,
) -> list[dict[str, Any]]:
    """The difference between languages on parallel texts, measure by measure.

    Parameters
    ----------
    components : a row a debate or rendering, tokeniser and embedder.
    metrics, renderings : a row a debate, and a row a rendering of one.
    looks : at a study that may stop, whose anchors are fitted once.
    reference : the language that the others are compared with and anchors are fitted on.
    measures : tokeniser, embedder, unit and anchors of the index.
    inference : level and resamples, at most 2,000.
    seed : the study's.

    Returns
    -------
    Rows of :data:`INSTRUMENT`: the text in the language less its parallel in the reference, of
    the reference's debates, of the language's, and the mean of the two. Intervals are clustered on
    motion; those of the index refit its anchors (:mod:`.inference.net`), unless looks fitted them.
    """
    rows: list[dict[str, Any]] = []
    for language in compared_languages(metrics, reference):
        contrast = contrast_name(language, reference)
        directions = {
            FORWARD: f"{reference}>{language}",
            BACK: f"{language}>{reference}",
            OFFSET: "mean",
        }
        for place, readings, scaling in _every(
            components, metrics, renderings, language, reference, measures, bool(looks)
        ):
            stream = seed_of(seed, "instrument", contrast, *map(str, place.values()))
            times = min(inference.resamples, _MOST_RESAMPLES)
            estimates = estimate_net(readings, scaling, inference.confidence, times, stream)
            spread = _spread(readings, scaling)
            rows += [
                {
                    "contrast": contrast,
                    **place,
                    "direction": direction,
                    **{
                        name: defined(getattr(estimates[kind], name))
                        for name in ("estimate", "se", "ci_low", "ci_high", "p_value")
                    },
                    "estimate_d": defined(estimates[kind].estimate / spread),
                    "n": estimates[kind].n,
                    "n_clusters": estimates[kind].n_clusters,
                }
                for kind, direction in directions.items()
                if kind in estimates
            ]
    return rows


def _every(
    components: pd.DataFrame,
    metrics: pd.DataFrame,
    renderings: pd.DataFrame,
    language: str,
    reference: str,
    measures: MeasureSettings,
    is_looked_at: bool,
) -> Iterator[tuple[dict[str, Any], Readings, Scaling]]:
    """Every measure: what it is, its readings, and how its parts are put together."""
    chosen = {"unit": measures.unit, "tokenizer": measures.tokenizer, "embedder": measures.embedder}
    for scale in measures.anchors:
        parts, scaling = parts_of(f"hi_{scale}", measures, is_looked_at)
        index = read_texts(metrics, renderings, parts, language, reference)
        yield {"measure": "hi", **chosen, "anchor": scale}, index, scaling
    drawn = metrics[["draw_id", "language", "motion_id", "complete", "session_id"]]
    rendered = renderings[["draw_id", "language", "rendered_from", "session_id"]]
    names = [f"s_lex_{unit}{variant}" for unit in UNITS for variant in _VARIANTS]
    lexical = components.drop_duplicates(["session_id", "tokenizer"])
    semantic = components.drop_duplicates(["session_id", "embedder"])
    for column, table, measured in (
        ("tokenizer", lexical, names),
        ("embedder", semantic, [f"s_sem_{pairs}" for pairs in _PAIRS]),
    ):
        for name, part in table.groupby(column, sort=False):
            values = part[["session_id", *measured]]
            read = read_texts(
                drawn.merge(values, on="session_id", how="left"),
                rendered.merge(values, on="session_id", how="left"),
                measured,
                language,
                reference,
            )
            for number_, measure in enumerate(measured):
                place = {
                    "measure": measure,
                    "unit": measure.split("_")[2] if column == "tokenizer" else None,
                    "tokenizer": name if column == "tokenizer" else None,
                    "embedder": name if column == "embedder" else None,
                    "anchor": None,
                }
                yield place, read.part(number_), Scaling((1.0,), None)


def _spread(readings: Readings, scaling: Scaling) -> float:
    """Standard deviation of the measure in debates in the reference; 1 on the z scale."""
    if scaling.scale is not None:
        return 1.0 if scaling.scale == "z" else float("nan")
    finite = readings.reference[np.isfinite(readings.reference)]
    return float(finite.std(ddof=1)) if len(finite) > 1 and np.ptp(finite) > 0 else float("nan")
