"""Small synthetic runs, of any number of draws and languages, to draw and tabulate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dissensus.design.looks import judged_by
from dissensus.report.view import Artefacts, View
from dissensus.stats.anchors import fit, weighted
from dissensus.study.gather import outcomes_schema, turns_schema
from made_frames import frame_of

from ..design.instrument import rendering_id, renderings_of
from ..design.manifest import IDS, MANIFEST
from ..design.pool import POOL
from ..design.reliability import RELIABILITY
from ..inference.diagnostics import DIAGNOSTICS, diagnose_design
from ..inference.domain_tests import DOMAIN_TESTS
from ..inference.domain_tests import test_domains as tests_of_domains
from ..inference.domains import DOMAIN_CONTRASTS, contrast_domains, estimate_domains
from ..inference.domains import DOMAINS as DOMAINS_TABLE
from ..inference.effect import LANGUAGE_EFFECT, estimate_language_effect
from ..inference.instrument import INSTRUMENT
from ..inference.power import POWER, power_table
from ..inference.saturation import SATURATION, measure_saturation
from ..inference.specification import SPECIFICATION_CURVE, SPECIFICATION_TESTS
from ..measures.homogeneity import METRICS, RENDERINGS
from ..measures.reuse import REUSE
from ..settings import InferenceSettings
from .inference_frames import MEASURES

ROLES = ("P1", "P2", "O1", "O2")
PANEL = ("model-a", "model-b", "model-c", "a-model-of-a-longer-name")
DOMAINS = (
    "General Public Services",
    "Defence",
    "Public Order and Safety",
    "Economic Affairs",
    "Housing and Community Amenities",
    "Health",
    "Recreation, Culture and Religion",
    "Education",
    "Social Protection",
)
ANCHORS = ("z", "clipped_z", "normal_cdf", "ecdf", "min_max", "clipped_percentile")
INFERENCE = InferenceSettings(
    confidence=0.95, resamples=100, flips=100, equivalence_margin=0.05, saturation_warning=0.05
)
SETTINGS = {
    "reference": "en",
    "primary": "z",
    "paper_scale": "normal_cdf",
    "confidence": 0.95,
    "draws": 100,
    "saturation_warning": 0.05,
}
VIEW = View("language", SETTINGS, True)
REAL = View("language", SETTINGS, False)
#: Of a study that may stop.
LOOKED_AT = View("language", {**SETTINGS, "stop_alpha": 0.05}, True)

#: Frames that are called otherwise than their artefacts.
_ARTEFACTS = {
    "effect": "language_effect",
    "contrasts": "domain_contrasts",
    "tests": "domain_tests",
    "curve": "specification_curve",
    "curve_tests": "specification_tests",
}


@dataclass(frozen=True)
class Run:
    """Every frame that figures and tables are made from."""

    pool: pd.DataFrame
    manifest: pd.DataFrame
    outcomes: pd.DataFrame
    metrics: pd.DataFrame
    instrument: pd.DataFrame
    reuse: pd.DataFrame
    turns: pd.DataFrame
    effect: pd.DataFrame
    saturation: pd.DataFrame
    domains: pd.DataFrame
    contrasts: pd.DataFrame
    tests: pd.DataFrame
    diagnostics: pd.DataFrame
    power: pd.DataFrame
    curve: pd.DataFrame
    curve_tests: pd.DataFrame
    reliability: pd.DataFrame

    @property
    def artefacts(self) -> Artefacts:
        return Artefacts({}, {_ARTEFACTS.get(name, name): f for name, f in vars(self).items()})


def make_run(draws: int, domains: int, languages: tuple[str, ...], shift: float = 0.8) -> Run:
    """A run whose languages lie ``shift`` apart; the last language of the last draw is lost."""
    rng = np.random.default_rng(draws * 100 + domains)
    pool = _pool(domains)
    manifest = _manifest(draws, pool, languages, rng)
    lost = manifest["session_id"] == manifest["session_id"].iloc[-1]
    outcomes = frame_of(
        outcomes_schema(IDS),
        manifest[[*IDS]].assign(
            complete=~lost,
            attempts=np.where(lost, 3, rng.integers(1, 3, len(manifest))),
            repairs=0,
            compliant=[None if gone else True for gone in lost],
            failure=np.where(lost, "timed out", ""),
        ),
    )
    metrics = _metrics(manifest, outcomes, languages, shift, rng)
    scales = ["hi_z", "hi_normal_cdf"]
    renderings = make_renderings(metrics, languages)
    effect = frame_of(
        LANGUAGE_EFFECT,
        estimate_language_effect(metrics, renderings, "en", INFERENCE, MEASURES, 1),
    )
    curve, curve_tests = _curve(languages, rng)
    reuse, turns = _speeches(manifest[~lost], rng)
    of_all = {"source": "all", "n": 20, "q": 11}
    return Run(
        pool,
        manifest,
        outcomes,
        metrics,
        _instrument(languages),
        reuse,
        turns,
        effect,
        frame_of(SATURATION, measure_saturation(metrics, ANCHORS, INFERENCE)),
        frame_of(DOMAINS_TABLE, estimate_domains(metrics, pool, scales, INFERENCE, 1)),
        frame_of(DOMAIN_CONTRASTS, contrast_domains(metrics, pool, scales, INFERENCE)),
        frame_of(DOMAIN_TESTS, tests_of_domains(metrics, pool, "en", scales, INFERENCE, 1)),
        frame_of(DIAGNOSTICS, diagnose_design(manifest, outcomes, pool, PANEL, "en", INFERENCE, 1)),
        frame_of(POWER, power_table(pool, effect, draws, [0.1, 0.3, 0.5], 0.3, 0.95, 1)),
        curve,
        curve_tests,
        frame_of(
            RELIABILITY,
            [
                {**of_all, "statistic": "cohen_kappa", "value": 0.8, "ci_low": 0.7, "ci_high": 0.9},
                {**of_all, "statistic": "agreement[1]", "value": 0.9},
                {**of_all, "statistic": "confusion[1,2]", "value": 3.0},
            ],
        ),
    )


def looked_at(run: Run) -> Run:
    """The run as of a study that stopped: its headline is that of the last look."""
    looks = [
        {
            **{"block": 1, "outcome": "hi_z", "arm": name.removesuffix("-en"), "reference": "en"},
            **{"contrast": name, "n": 20, "n_clusters": 9, "estimate": 0.6, "e_value": 50.0},
            **{"ci_low": 0.1, "ci_high": 1.1, "p_value": 0.02},
            **{"family_low": 0.05, "family_high": 1.15},
        }
        for name in dict.fromkeys(run.effect["contrast"])
    ]
    effect = frame_of(LANGUAGE_EFFECT, judged_by(looks, run.effect.to_dict("records")))
    return replace(run, effect=effect)


def _pool(domains: int) -> pd.DataFrame:
    rows = [
        {
            "motion_id": f"m{domain}{index}",
            "domain_id": domain + 1,
            "domain": DOMAINS[domain],
            "drawable": True,
            "motion_en": f"This House Would {domain}",
            "motion_zh": f"本院将{domain}",
        }
        for domain in range(domains)
        for index in range(3)
    ]
    none = {**rows[0], "motion_id": "none", "domain_id": 0, "domain": "None", "drawable": False}
    return frame_of(POOL, [*rows, none])


def _manifest(
    draws: int, pool: pd.DataFrame, languages: tuple[str, ...], rng: np.random.Generator
) -> pd.DataFrame:
    motions = pool[pool["drawable"]].reset_index(drop=True)
    rows = []
    for index in range(draws):
        motion = motions.iloc[int(rng.integers(len(motions)))]
        order = [languages[int(i)] for i in rng.permutation(len(languages))]
        cast = [PANEL[int(i)] for i in rng.permutation(4)]
        rows += [
            {
                "session_id": f"d{index + 1:03d}-{language}",
                "draw_id": f"d{index + 1:03d}",
                "block": 1,
                "domain_id": int(motion["domain_id"]),
                "motion_id": motion["motion_id"],
                "language": language,
                "rendered_from": "",
                "language_order": ">".join(order),
                "position": order.index(language) + 1,
                **dict(zip(ROLES, cast, strict=True)),
                "seed": index,
            }
            for language in languages
        ]
    return frame_of(MANIFEST, rows)


def _metrics(
    manifest: pd.DataFrame,
    outcomes: pd.DataFrame,
    languages: tuple[str, ...],
    shift: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    ended = outcomes[["session_id", "complete", "attempts", "repairs", "compliant"]]
    frame = manifest[[n for n in MANIFEST.columns if n in METRICS.columns]].merge(
        ended, on="session_id"
    )
    n = len(frame)
    level = np.array([languages.index(name) for name in frame["language"]])
    for name, middle, spread in (("s_lex", 0.5, 0.05), ("s_sem", 0.6, 0.06)):
        values = middle + spread * (shift * level + rng.standard_normal(n))
        frame[name] = np.where(frame["complete"], values, np.nan)
    for name in ("s_lex_matched", "s_lex_excess"):
        frame[name] = frame["s_lex"] - 0.03 * level
    for name in ("s_sem_cross_side", "s_sem_same_side", "s_sem_same_speaker"):
        frame[name] = frame["s_sem"] + rng.normal(0, 0.01, n)
    frame["tokens"] = np.where(frame["complete"], 1000.0 + 400 * level, np.nan)
    return _on_scales(frame_of(METRICS, frame), frame)


def _on_scales(frame: pd.DataFrame, metrics: pd.DataFrame) -> pd.DataFrame:
    """The frame with its index on every scale, fitted on the English sessions of the metrics."""
    english = metrics[metrics["language"] == "en"]
    for scale in ANCHORS:
        for short, column in (("lex", "s_lex"), ("sem", "s_sem")):
            put = fit(scale, english[column].to_numpy())
            frame[f"{short}_{scale}"] = put(frame[column].to_numpy())
        parts = [frame[f"{short}_{scale}"].to_numpy() for short in ("lex", "sem")]
        frame[f"hi_{scale}"] = weighted(parts, (0.5, 0.5))
    return frame


def make_renderings(metrics: pd.DataFrame, languages: tuple[str, ...]) -> pd.DataFrame:
    """Every debate in English in the others, which reads .02 more there, and these in English."""
    names = [name for name in RENDERINGS.fields if name in metrics]
    parts = []
    for own, into in renderings_of(languages, "en"):
        part = metrics.loc[(metrics["language"] == own) & metrics["complete"], names].copy()
        part["session_id"] = [rendering_id(draw, own, into) for draw in part["draw_id"]]
        part["language"], part["rendered_from"] = into, own
        for name in [name for name in names if name.startswith("s_")]:
            part[name] += 0.02 if own == "en" else -0.02
        parts.append(part)
    return _on_scales(frame_of(RENDERINGS, pd.concat(parts, ignore_index=True)), metrics)


def _instrument(languages: tuple[str, ...]) -> pd.DataFrame:
    return frame_of(
        INSTRUMENT,
        [
            {
                "contrast": f"{language}-en",
                "measure": measure,
                "tokenizer": tokenizer,
                "embedder": None,
                "anchor": anchor,
                "direction": direction,
                "estimate": 0.02,
                "ci_low": 0.01,
                "ci_high": 0.03,
                "estimate_d": None if anchor else 0.4,
                "n": 20,
            }
            for language in languages[1:]
            for measure, tokenizer, anchor in (
                ("hi", "tekken", "z"),
                ("s_lex_turn", "tekken", None),
            )
            for direction in (f"en>{language}", f"{language}>en", "mean")
        ],
    )


def _curve(
    languages: tuple[str, ...], rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    rows, tests = [], []
    for language in languages[1:]:
        own = [
            {
                "weight_lexical": weight,
                "unit": unit,
                "variant": variant,
                "tokenizer": "tekken",
                "pairs": "pooled",
                "embedder": "use-multilingual",
                "anchor": anchor,
                "estimate_d": float(rng.normal(0.2, 0.3)),
                "main": (weight, unit, variant, anchor) == (0.5, "turn", "plain", "z"),
            }
            for weight in (0.25, 0.5)
            for unit in ("turn", "speaker")
            for variant in ("plain", "matched")
            for anchor in ("z", "ecdf")
        ]
        own.sort(key=lambda row: row["estimate_d"])
        for rank, row in enumerate(own, start=1):
            d = row["estimate_d"]
            row |= {
                "contrast": f"{language}-en",
                "specification": rank,
                "estimate": 2 * d,
                "ci_low": 2 * d - 0.4,
                "ci_high": 2 * d + 0.4,
                "p_value": 0.01 if abs(d) > 0.2 else 0.4,
                "n": 20,
            }
        rows += own
        tests += [
            {"contrast": f"{language}-en", "test": "median", "statistic": 0.2, "p_value": 0.03}
        ]
    return frame_of(SPECIFICATION_CURVE, rows), frame_of(SPECIFICATION_TESTS, tests)


def _speeches(
    manifest: pd.DataFrame, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Speeches of which the first draw's P1 repeats itself in English, and nobody else anything."""
    reuse, turns = [], []
    for row in manifest.to_dict("records"):
        for place, speaker in enumerate(("P1", "O1", "P2", "O2"), start=1):
            ids = {"session_id": row["session_id"], "draw_id": row["draw_id"]}
            ids |= {"language": row["language"], "speaker": speaker, "model": row[speaker]}
            repeats = row["draw_id"] == "d001" and row["language"] == "en" and speaker == "P1"
            ratio = 0.9 if repeats else float(rng.uniform(0.1, 0.6))
            reuse.append(
                {**ids, "first_turn": place, "second_turn": place + 4}
                | {"characters": ratio, "tokens": ratio / 2}
            )
            han = row["language"] == "zh"
            first = (
                "空置住房应当先给市民使用。" if han else "Empty homes should house people first."
            )
            second = first if repeats else ("别的话。" if han else "Quite another thing <b>.")
            turns += [
                {
                    **ids,
                    "rendered_from": "",
                    "turn": turn,
                    "round_label": f"Round {turn}",
                    "text": text,
                }
                for turn, text in ((place, first), (place + 4, second))
            ]
    return frame_of(REUSE, reuse), frame_of(turns_schema(IDS), turns)
