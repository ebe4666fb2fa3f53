"""One row a session: raw similarities, and the Homogeneity Index on every anchored scale."""

from __future__ import annotations

import pandas as pd

from dissensus.language.measures.anchors import Clips, fit, homogeneity
from dissensus.language.settings import MeasureSettings
from dissensus.tables.artefact import Schema

METRICS = Schema(
    name="metrics",
    row="session; without measures where it failed for good",
    columns={
        "session_id": "string",
        "draw_id": "string",
        "language": "string",
        "domain_id": "int",
        "motion_id": "string",
        "s_lex": "float?",
        "s_sem": "float?",
        "tokens": "int?",
        "compliant": "bool?",
        "attempts": "int",
        "block": "int",
        "language_order": "string",
        "position": "int",
        "complete": "bool",
        "repairs": "int",
    },
    key=("session_id",),
    open=True,
)

_DESIGN = ["session_id", "draw_id", "language", "domain_id", "motion_id", "block"]
_FURTHER = ["s_sem_cross_side", "s_sem_same_side", "s_sem_same_speaker", "words", "characters"]


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
