"""One row a session: raw similarities, and the Homogeneity Index on every anchored scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from dissensus.stats.anchors import Clips, fit, weighted
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, number

from ..design.manifest import MANIFEST
from ..inference.readings import read_texts, texts_in_reference
from ..settings import MeasureSettings, Scale
from .components import COMPONENTS
from .reuse import REUSE

_FURTHER = ["s_sem_cross_side", "s_sem_same_side", "s_sem_same_speaker", "words", "characters"]
#: Short name of a part of the index -> its column.
PARTS = {"lex": "s_lex", "sem": "s_sem"}

_SCALE = "standard deviations of the reference language for z, else 0 to 1"

#: Measured of every text, and its values on the scales.
_MEASURED = ("s_lex", "s_sem", "tokens", "s_lex_matched", "s_lex_excess", *_FURTHER)
_ON_SCALES = ("lex_{scale}", "sem_{scale}", "hi_{scale}")

METRICS = Schema(
    name="metrics",
    row="session; without measures where it failed for good",
    columns={
        **MANIFEST.pick("session_id", "draw_id", "language", "domain_id", "motion_id"),
        "s_lex": number(
            "Lexical similarity of the settings' units: 1 - JSD / log of their number.", "0 to 1"
        ),
        "s_sem": number("Mean cosine similarity of any two turns.", "-1 to 1"),
        **COMPONENTS.pick("tokens?"),
        **common("compliant?", "attempts"),
        **MANIFEST.pick("block", "language_order", "position"),
        **common("complete", "repairs"),
        "s_lex_matched": number(
            "Lexical similarity of the units cut at random to one length.", "0 to 1"
        ),
        "s_lex_excess": number(
            "Lexical similarity of the units less that of shuffled tokens.", "-1 to 1"
        ),
        **COMPONENTS.pick(*(f"{name}?" for name in _FURTHER)),
        "lex_{scale}": number(
            "Lexical similarity on a scale fitted to the reference language.", _SCALE
        ),
        "sem_{scale}": number(
            "Semantic similarity on a scale fitted to the reference language.", _SCALE
        ),
        "hi_{scale}": number(
            "Homogeneity Index: weighted sum of both similarities on that scale.", _SCALE
        ),
    },
    key=("session_id",),
    where={"scale": "|".join(get_args(Scale))},
)

RENDERINGS = Schema(
    name="renderings",
    row="rendering of a debate in another language",
    columns={
        **MANIFEST.pick(
            "session_id", "draw_id", "language", "rendered_from", "domain_id", "motion_id"
        ),
        **{name: METRICS.columns[name] for name in (*_MEASURED, *_ON_SCALES)},
    },
    key=("session_id",),
    where=METRICS.where,
)

_DESIGN = ["session_id", "draw_id", "language", "domain_id", "motion_id", "block"]


@makes(components=COMPONENTS, reuse=REUSE, metrics=METRICS, renderings=RENDERINGS)
def measure_sessions(
    manifest: pd.DataFrame,
    outcomes: pd.DataFrame,
    components: pa.Table,
    reuse: pa.Table,
    looks: list[dict[str, Any]],
    measures: MeasureSettings,
    reference: str,
) -> tuple[pa.Table, pa.Table, pd.DataFrame, pd.DataFrame]:
    """The shards put together, and every session's index on every scale.

    A study that was looked at has the scale of the looks, which the first block gives.
    """
    frame = components.to_pandas(use_threads=False)
    metrics, renderings = measure_homogeneity(
        manifest, outcomes, frame, measures, reference, is_looked_at=bool(looks)
    )
    return components, reuse, metrics, renderings


def measure_homogeneity(
    manifest: pd.DataFrame,
    outcomes: pd.DataFrame,
    components: pd.DataFrame,
    settings: MeasureSettings,
    reference: str,
    is_looked_at: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The metrics of every debate that was run, and of every rendering of one.

    Parameters
    ----------
    manifest, outcomes : a row a session; those without an outcome were not run.
    components : a row a session or rendering, tokeniser and embedder; those of the settings are
        taken.
    settings : unit, weights and anchors.
    reference : the language whose debates the anchors are fitted on.
    is_looked_at : whether the study may stop: then the anchors are fitted on all debates of the
        first block as they read in the reference (:mod:`.inference.paired_readings`).

    Returns
    -------
    Rows of :data:`METRICS`, and of :data:`RENDERINGS`.
    """
    chosen = components[
        (components["tokenizer"] == settings.tokenizer)
        & (components["embedder"] == settings.embedder)
    ]
    lexical = f"s_lex_{settings.unit}"
    renamed = {
        lexical: "s_lex",
        f"{lexical}_matched": "s_lex_matched",
        f"{lexical}_excess": "s_lex_excess",
        "s_sem_pooled": "s_sem",
    }
    raw = chosen.rename(columns=renamed)
    measured = raw[["session_id", *renamed.values(), "tokens", *_FURTHER]]
    ended = outcomes[["session_id", "complete", "attempts", "repairs", "compliant"]]
    debates = manifest[manifest["rendered_from"] == ""]
    frame = (
        debates[[*_DESIGN, "language_order", "position"]]
        .merge(ended, on="session_id", validate="1:1")
        .merge(measured, on="session_id", how="left", validate="1:1")
    )
    draws = debates.drop_duplicates("draw_id")[["draw_id", "domain_id", "motion_id"]]
    named = raw.loc[
        raw["rendered_from"] != "", ["session_id", "draw_id", "language", "rendered_from"]
    ]
    renderings = (
        named.merge(draws, on="draw_id", validate="m:1")
        .merge(measured, on="session_id", validate="1:1")
        .sort_values("session_id", ignore_index=True)
    )
    columns = list(PARTS.values())
    anchors = frame.loc[frame["language"] == reference, columns].to_numpy(float)
    if is_looked_at:
        anchors = _of_first_block(frame, renderings, reference)
    _add_scales([frame, renderings], dict(zip(columns, anchors.T, strict=True)), settings)
    return frame, renderings


def _of_first_block(
    metrics: pd.DataFrame, renderings: pd.DataFrame, reference: str
) -> NDArray[np.float64]:
    """What the scale of a study that may stop is fitted on, a column a part."""
    first = metrics[metrics["block"] == metrics["block"].min()]
    columns = list(PARTS.values())
    contrasts = [
        read_texts(first, renderings, columns, language, reference)
        for language in first["language"].unique()
        if language != reference
    ]
    return texts_in_reference(contrasts) if contrasts else np.empty((0, len(columns)))


def clips_of(settings: MeasureSettings) -> Clips:
    """Where the settings have the clipped scales cut."""
    low, high = settings.clip_percentiles
    return Clips(settings.clip_z, (low, high))


def _add_scales(
    frames: Sequence[pd.DataFrame],
    anchors: Mapping[str, NDArray[np.float64]],
    settings: MeasureSettings,
) -> None:
    """Add both parts and the index on every scale, fitted on each part's own anchors."""
    clips = clips_of(settings)
    weights = (settings.weights.lexical, settings.weights.semantic)
    for scale in settings.anchors:
        fitted = {short: fit(scale, anchors[column], clips) for short, column in PARTS.items()}
        for frame in frames:
            parts = [put(frame[PARTS[short]].to_numpy(float)) for short, put in fitted.items()]
            frame[f"lex_{scale}"], frame[f"sem_{scale}"] = parts
            frame[f"hi_{scale}"] = weighted(parts, weights)
