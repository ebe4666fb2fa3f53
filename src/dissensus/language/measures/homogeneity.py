"""One row a session: raw similarities, and the Homogeneity Index on every anchored scale."""

from __future__ import annotations

from typing import get_args

import pandas as pd

from dissensus.language.design.manifest import MANIFEST
from dissensus.language.measures.anchors import Clips, fit, homogeneity
from dissensus.language.measures.components import COMPONENTS
from dissensus.language.settings import MeasureSettings, Scale
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, number

_FURTHER = ["s_sem_cross_side", "s_sem_same_side", "s_sem_same_speaker", "words", "characters"]
_SCALE = "standard deviations of the reference language for z, else 0 to 1"

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

_DESIGN = ["session_id", "draw_id", "language", "domain_id", "motion_id", "block"]


def measure_homogeneity(
    manifest: pd.DataFrame,
    outcomes: pd.DataFrame,
    components: pd.DataFrame,
    settings: MeasureSettings,
    reference: str,
) -> pd.DataFrame:
    """The metrics of every session of the manifest.

    Parameters
    ----------
    manifest, outcomes : a row a session.
    components : a row a session, tokeniser and embedder; those of the settings are taken.
    settings : unit, weights and anchors.
    reference : the language that the anchors are fitted on.
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
    raw = chosen.rename(columns=renamed)[["session_id", *renamed.values(), "tokens", *_FURTHER]]
    ended = outcomes[["session_id", "complete", "attempts", "repairs", "compliant"]]
    frame = (
        manifest[[*_DESIGN, "language_order", "position"]]
        .merge(ended, on="session_id", validate="1:1")
        .merge(raw, on="session_id", how="left", validate="1:1")
    )
    counts = ["tokens", "words", "characters"]
    frame[counts] = frame[counts].astype("Int64")
    is_reference = (frame["language"] == reference).to_numpy()
    clips = Clips(settings.clip_z, (settings.clip_percentiles[0], settings.clip_percentiles[1]))
    weights = (settings.weights.lexical, settings.weights.semantic)
    for scale in settings.anchors:
        for short, column in (("lex", "s_lex"), ("sem", "s_sem")):
            values = frame[column].to_numpy(float)
            frame[f"{short}_{scale}"] = fit(scale, values[is_reference], clips)(values)
        frame[f"hi_{scale}"] = homogeneity(
            frame["s_lex"].to_numpy(float),
            frame["s_sem"].to_numpy(float),
            is_reference,
            weights=weights,
            scale=scale,
            clips=clips,
        )
    return frame
