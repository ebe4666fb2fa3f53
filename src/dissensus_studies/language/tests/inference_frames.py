"""Small made-up studies, as the stages before inference would leave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.again import again_of
from dissensus.study.gather import outcomes_schema
from dissensus.tables.artefact import Schema, read, write
from made_frames import frame_of
from scripted import default_configuration

from ..design.instrument import rendering_id, renderings_of
from ..design.manifest import IDS, Drawing, draw_manifest
from ..design.pool import POOL
from ..inference.effect import estimate_language_effect
from ..measures.components import COMPONENTS
from ..measures.homogeneity import RENDERINGS, measure_homogeneity
from ..settings import InferenceSettings, MeasureSettings

ANCHORS = ["z", "clipped_z", "normal_cdf", "ecdf", "min_max", "clipped_percentile"]
EMBEDDER = "use-multilingual"
CONFIG = default_configuration()
INFERENCE = InferenceSettings(
    **{**CONFIG["language"]["inference"], "confidence": 0.95, "resamples": 400, "flips": 500}
)
MEASURES = MeasureSettings(
    **{
        **CONFIG["language"]["measures"],
        "tokenizer": "tekken",
        "embedder": EMBEDDER,
        "anchors": ANCHORS,
        "weights": {"lexical": 0.5, "semantic": 0.5},
        "unit": "turn",
        "primary": "z",
        "paper_scale": "normal_cdf",
    }
)


class Letters:
    """Stands for an embedder where meaning is not asked for: the chain is that of the words."""

    name, dimensions = "letters", 26

    def embed(self, texts: Sequence[str]) -> Any:
        counts = np.array(
            [[text.lower().count(chr(97 + i)) + 1 for i in range(26)] for text in texts]
        )
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


@dataclass(frozen=True)
class Study:
    pool: pd.DataFrame
    manifest: pd.DataFrame
    outcomes: pd.DataFrame
    components: pd.DataFrame
    metrics: pd.DataFrame
    renderings: pd.DataFrame


def make_pool(domains: int = 4, motions: int = 3) -> pd.DataFrame:
    """Motions by domain, and one that cannot be drawn, in a domain of its own."""
    rows = [
        {
            "motion_id": f"m{domain}{motion}",
            "domain_id": domain,
            "domain": f"Domain {domain}",
            "drawable": True,
        }
        for domain in range(1, domains + 1)
        for motion in range(motions)
    ]
    idle = {"motion_id": "idle", "domain_id": 99, "domain": "Idle", "drawable": False}
    return frame_of(POOL, [*rows, idle])


def make_study(
    draws: int,
    *,
    languages: Sequence[str] = ("en", "zh"),
    effect: float = 0.05,
    spread: float = 0.05,
    lost: Sequence[str] = (),
    domains: int = 4,
    motions: int = 3,
    panel: Sequence[str] = ("a", "b", "c", "d"),
    tokenizers: Sequence[str] = ("tekken",),
    seed: int = 1,
    offset: float | None = None,
) -> Study:
    """A study whose languages after the first differ from it by ``effect`` in both parts.

    With an offset, its debates are rendered, and what is in another language reads that much more.
    """
    pool = make_pool(domains, motions)
    drawing = Drawing(seed, draws, 25, languages, panel)
    manifest = pd.DataFrame(draw_manifest(pool.to_dict("records"), drawing))
    rng = np.random.default_rng(seed)
    complete = ~manifest["session_id"].isin(lost)
    outcomes = frame_of(
        outcomes_schema(IDS),
        manifest[[*IDS]].assign(
            complete=complete,
            attempts=np.where(complete, 1 + (rng.random(len(manifest)) < 0.1), 3),
            repairs=0,
            compliant=pd.Series(np.where(complete, rng.random(len(manifest)) < 0.98, None)),
        ),
    )
    parts = [
        _components(
            manifest[complete], languages[0], tokenizer, (effect, offset or 0.0), spread, rng
        )
        for tokenizer in tokenizers
    ]
    if offset is not None:
        parts += [_rendered(part, languages, offset) for part in parts]
    components = pd.concat(parts, ignore_index=True)
    metrics, renderings = measure_homogeneity(
        manifest, outcomes, components, MEASURES, languages[0]
    )
    return Study(pool, manifest, outcomes, components, metrics, renderings)


def _rendered(debates: pd.DataFrame, languages: Sequence[str], offset: float) -> pd.DataFrame:
    """Every debate in the reference rendered in the others, and these in the reference."""
    parts = []
    for own, into in renderings_of(languages, languages[0]):
        part = debates[debates["language"] == own].copy()
        part["session_id"] = [rendering_id(draw, own, into) for draw in part["draw_id"]]
        part["language"], part["rendered_from"] = into, own
        read = [name for name in part if name.startswith("s_")]
        part[read] += offset if own == languages[0] else -offset
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _components(
    sessions: pd.DataFrame,
    reference: str,
    tokenizer: str,
    shifts: tuple[float, float],
    spread: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    effect, offset = shifts
    language = sessions["language"]
    shift = effect * ~language.isin([reference, again_of([reference])]).to_numpy()
    shift = shift + offset * (language != reference).to_numpy()
    frame = sessions[["session_id", "draw_id", "language", "rendered_from"]].assign(
        tokenizer=tokenizer, embedder=EMBEDDER, tokens=900, types=400, words=800, characters=4000
    )
    for name in COMPONENTS.columns:
        if name.startswith("s_"):
            frame[name] = 0.5 + shift + spread * rng.standard_normal(len(sessions))
    return frame_of(COMPONENTS, frame)


#: Of a study that measured no parallel text.
NO_RENDERINGS = frame_of(RENDERINGS, [])


def effect_of(
    metrics: pd.DataFrame,
    settings: InferenceSettings = INFERENCE,
    seed: int = 1,
    renderings: pd.DataFrame = NO_RENDERINGS,
) -> list[dict[str, Any]]:
    """The rows of the language effect."""
    return estimate_language_effect(metrics, renderings, "en", settings, MEASURES, seed)


def checked(rows: list[dict[str, Any]], schema: Schema, folder: Path) -> pd.DataFrame:
    """The rows as their artefact gives them back: written, read, and so checked."""
    path = folder / f"{schema.name}.parquet"
    write(path, schema, rows, {})
    return read(path, schema).to_pandas()
