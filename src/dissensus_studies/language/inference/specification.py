"""The specification curve: the language effect under every defensible way to measure it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import HEADLINE
from dissensus.design.weights import contrast_name
from dissensus.digests import seed_of
from dissensus.stats.anchors import Clips, fit, weighted
from dissensus.stats.multiplicity import joint_permutation
from dissensus.stats.results import NAN
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, flag, number, text

from ..settings import InferenceSettings, MeasureSettings
from .estimators import Options, estimate
from .pairs import Array, Labels, Pairs, compared_languages, pair_up

SPECIFICATION_CURVE = Schema(
    name="specification_curve",
    row="contrast and specification, in ascending order of the standardised estimate",
    columns={
        **common("contrast"),
        "specification": Column("int", "Rank of the standardised estimate, from 1."),
        "weight_lexical": Column(
            "float", "Weight of the lexical similarity in the index.", "share, 0 to 1"
        ),
        "unit": Column("string?", "What one token distribution is made of: turn, speaker or side."),
        "variant": Column("string?", "Which lexical similarity: plain, matched or excess."),
        **common("tokenizer?"),
        "pairs": Column("string?", "Which turns are compared in meaning: pooled or cross_side."),
        **common("embedder?"),
        "anchor": text("Name of the scale that both similarities are put on."),
        **common("estimate?", "ci_low?", "ci_high?", "p_value?"),
        "estimate_d": number(
            "Mean of the paired differences over their standard deviation.",
            "standard deviations of a paired difference",
        ),
        **common("n"),
        "main": flag("Whether the primary outcome is measured this way."),
    },
    key=("contrast", "specification"),
)

SPECIFICATION_TESTS = Schema(
    name="specification_tests",
    row="contrast and joint test",
    columns={
        **common("contrast", "test"),
        "statistic": number("Value of the test statistic."),
        **common("p_value?"),
        "n_specifications": count("How many specifications take part in the test."),
        **common("n"),
    },
    key=("contrast", "test"),
)

#: What each joint test is, in a sentence for tables.
TESTS = {
    "median": "Median over specifications of mean difference over root mean square; two-sided.",
    "share_significant": "Share of specifications significantly above zero; one-sided.",
    "stouffer": "Sum of the specifications' z over the root of their number; two-sided.",
}

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
UNITS = ("turn", "speaker", "side")
#: Name of a lexical variant -> ending of its column.
VARIANTS = {"plain": "", "matched": "_matched", "excess": "_excess"}
PAIRS = ("pooled", "cross_side")

_MOST_FLIPS = 10_000


@dataclass(frozen=True)
class Specification:
    """One way to measure; None for a choice that a weight of zero leaves without effect."""

    weight_lexical: float
    unit: str | None
    variant: str | None
    tokenizer: str | None
    pairs: str | None
    embedder: str | None
    anchor: str


def specifications(
    tokenizers: Sequence[str], embedders: Sequence[str], anchors: Sequence[str]
) -> Iterator[Specification]:
    """Every distinct specification: choices about a part of no weight are not multiplied out."""
    lexical = list(product(UNITS, VARIANTS, tokenizers))
    semantic = list(product(PAIRS, embedders))
    for weight in WEIGHTS:
        by_words = lexical if weight > 0 else [(None, None, None)]
        by_meaning = semantic if weight < 1 else [(None, None)]
        for words, meaning, anchor in product(by_words, by_meaning, anchors):
            yield Specification(weight, *words, *meaning, anchor)


@makes(curve=SPECIFICATION_CURVE, tests=SPECIFICATION_TESTS)
def specification_curve(
    components: pd.DataFrame,
    metrics: pd.DataFrame,
    renderings: pd.DataFrame,
    reference: str,
    measures: MeasureSettings,
    inference: InferenceSettings,
    seed: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The curve of every contrast, and its joint tests.

    Parameters
    ----------
    components : a row a debate or rendering, tokeniser and embedder, with the raw similarities.
    metrics : a row a debate; says which draw, motion and language it is and whether complete.
    renderings : a row a rendering of a debate; with some, every difference is net of what the
        specification's own instrument does, and of the draws with all four texts.
    reference : the language that anchors are fitted on and others compared with.
    measures : anchors, and the choices of the main specification.
    inference : level and flips, at most 10,000.
    seed : the study's.

    Returns
    -------
    Rows of :data:`SPECIFICATION_CURVE` and of :data:`SPECIFICATION_TESTS`. ``estimate``, interval
    and p are the headline estimator's; ``estimate_d`` is mean over SD of the differences, which
    alone compares over anchors. A specification whose differences are too few or do not vary (an
    anchor that cannot be fitted, say) keeps its row with NaN and takes no part in the tests.

    Notes
    -----
    Simonsohn, Simmons & Nelson (2020), Nature Human Behaviour 4:1208-1214: whole motions change
    sign together, so that the dependence of draws and of specifications is kept. For the median,
    each is divided by its root mean square, sqrt(mean(d^2)), which no flip changes, and not by its
    SD. The null is that language changes no motion's debates on any measure, or as often one way as
    the other.
    """
    choices = _choices(components, measures)
    low, high = measures.clip_percentiles
    texts = _texts(metrics, renderings)
    index = _index(components, texts, reference, Clips(measures.clip_z, (low, high)))
    curve: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    for language in compared_languages(metrics, reference):
        contrast = contrast_name(language, reference)
        pair = _pairing(texts, language, reference)
        rows = [
            _row(contrast, choice, pair(index(choice)), measures, inference.confidence)
            for choice in choices
        ]
        # Indices are computed again rather than kept: only one matrix of them fits in memory.
        varying = [
            c for c, row in zip(choices, rows, strict=True) if np.isfinite(row["estimate_d"])
        ]
        columns = map(pair, map(index, varying))
        n = max(row["n"] for row in rows)
        stream = seed_of(seed, "specification_curve", contrast)
        tests += _joint(contrast, columns, (n, len(varying)), inference, stream)
        curve += _ranked(rows)
    return curve, tests


def _choices(components: pd.DataFrame, measures: MeasureSettings) -> list[Specification]:
    """Every specification of what the components were measured with."""
    return list(
        specifications(
            _present(components, "tokenizer", measures.tokenizer),
            _present(components, "embedder", measures.embedder),
            measures.anchors,
        )
    )


def _ranked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows by effect size, numbered; NaN sorts last, and ties keep the order of the choices."""
    rows = sorted(rows, key=lambda row: (np.isnan(row["estimate_d"]), row["estimate_d"]))
    return [{**row, "specification": rank} for rank, row in enumerate(rows, start=1)]


def _present(components: pd.DataFrame, column: str, main: str) -> list[str]:
    """What the components were measured with, the main choice first; it alone if with nothing."""
    return sorted(set(components[column]), key=lambda name: (name != main, name)) or [main]


def _texts(metrics: pd.DataFrame, renderings: pd.DataFrame) -> pd.DataFrame:
    """Debates, then renderings; of one contrast, all the texts of a draw."""
    shared = ["session_id", "draw_id", "language", "motion_id", "domain_id"]
    spoken = metrics[[*shared, "complete", "position"]].assign(rendered_from="")
    rendered = renderings[[*shared, "rendered_from"]].assign(complete=True, position=0)
    return pd.concat([spoken, rendered], ignore_index=True) if len(rendered) else spoken


def _index(
    components: pd.DataFrame, texts: pd.DataFrame, reference: str, clips: Clips
) -> Callable[[Specification], Array]:
    """From a choice to the Homogeneity Index of every text, in their order."""
    is_reference = ((texts["language"] == reference) & (texts["rendered_from"] == "")).to_numpy()
    complete = texts["complete"].to_numpy(dtype=bool)
    tables = {
        (str(names[0]), str(names[1])): part.set_index("session_id").reindex(texts["session_id"])
        for names, part in components.groupby(["tokenizer", "embedder"])
    }
    first = next(iter(tables), ("", ""))

    @cache
    def scaled(tokenizer: str, embedder: str, name: str, scale: str) -> Array:
        table = tables.get((tokenizer, embedder))
        if table is None:  # measured in no session
            return np.full(len(texts), np.nan)
        values = table[name].to_numpy(dtype=float, na_value=np.nan)
        values = np.where(complete, values, np.nan)
        return fit(scale, values[is_reference], clips)(values)

    def index(choice: Specification) -> Array:
        # A part of no weight still needs numbers: any will do.
        measured = (choice.tokenizer or first[0], choice.embedder or first[1])
        names = (
            f"s_lex_{choice.unit or 'turn'}{VARIANTS[choice.variant or 'plain']}",
            f"s_sem_{choice.pairs or 'pooled'}",
        )
        parts = [scaled(*measured, name, choice.anchor) for name in names]
        return weighted(parts, (choice.weight_lexical, 1.0 - choice.weight_lexical))

    return index


def _pairing(texts: pd.DataFrame, language: str, reference: str) -> Callable[[Array], Pairs]:
    """From values by text to pairs: the frame is pivoted once, for the numbers of the texts.

    With renderings, the two sides of a pair are the means of what each debate reads by both rulers.
    """
    numbered = texts.assign(session=np.arange(len(texts)), complete=True)
    spoken = numbered[numbered["rendered_from"] == ""]
    places = pair_up(spoken, "session", language, reference)
    # Numbers in the order of the names: sorting names anew would take most of a specification.
    motions = np.unique(places.clusters.astype(str), return_inverse=True)[1]
    draws = np.sort(spoken["draw_id"].unique())

    def rendered(into: str, spoken: str) -> Array:
        chosen = (numbered["language"] == into) & (numbered["rendered_from"] == spoken)
        rows = numbered[chosen].set_index("draw_id")["session"].reindex(draws)
        return rows.to_numpy(dtype=float)

    sides = [
        (places.treated, rendered(reference, language)),
        (places.reference, rendered(language, reference)),
    ]
    nets = all(np.isfinite(parallel).any() for _, parallel in sides)

    def taken(values: Array, side: Array) -> Array:
        read = np.full(len(side), np.nan)
        there = np.isfinite(side)
        read[there] = values[side[there].astype(np.int64)]
        return read

    def pair(values: Array) -> Pairs:
        means = []
        for side, parallel in sides:
            plain = taken(values, side)
            other = taken(values, parallel) if nets else plain
            means.append((plain + other) / 2.0)
        return Pairs(means[0], means[1], motions, places.domains, places.first)

    return pair


def _row(
    contrast: str,
    choice: Specification,
    pairs: Pairs,
    measures: MeasureSettings,
    confidence: float,
) -> dict[str, Any]:
    sample = pairs.sample()
    estimated = estimate(HEADLINE, sample, Options(confidence, 2, 1, 0))
    varies = len(sample.differences) > 1 and np.ptp(sample.differences) > 0
    d = float(sample.differences.mean() / sample.differences.std(ddof=1)) if varies else NAN
    return {
        "contrast": contrast,
        **asdict(choice),
        "estimate": estimated.estimate,
        "ci_low": estimated.ci_low,
        "ci_high": estimated.ci_high,
        "p_value": estimated.p_value,
        "estimate_d": d,
        "n": estimated.n,
        "main": choice == _main(measures),
    }


def _main(measures: MeasureSettings) -> Specification:
    """The specification that the metrics' primary outcome is measured by."""
    weight, none = measures.weights.lexical, (None, None, None)
    unit, variant, tokenizer = (measures.unit, "plain", measures.tokenizer) if weight > 0 else none
    pairs, embedder = ("pooled", measures.embedder) if weight < 1 else none[:2]
    return Specification(weight, unit, variant, tokenizer, pairs, embedder, measures.primary)


def _joint(
    contrast: str,
    columns: Iterator[Pairs],
    shape: tuple[int, int],
    settings: InferenceSettings,
    seed: int,
) -> list[dict[str, Any]]:
    matrix, motions = _in_rms(columns, shape[1]) if shape[1] else (np.empty(shape), np.empty(0))
    n, k = matrix.shape
    tested: dict[str, tuple[float, float]] = dict.fromkeys(TESTS, (NAN, NAN))
    if len(np.unique(motions)) > 1:
        test = joint_permutation(
            matrix,
            motions,
            alpha=1.0 - settings.confidence,
            flips=min(settings.flips, _MOST_FLIPS),
            seed=seed,
        )
        tested = {
            "median": (test.median, test.p_median),
            "share_significant": (test.share_significant, test.p_share),
            "stouffer": (test.stouffer, test.p_stouffer),
        }
    return [
        {
            "contrast": contrast,
            "test": name,
            "statistic": statistic,
            "p_value": p_value,
            "n_specifications": k,
            "n": n,
        }
        for name, (statistic, p_value) in tested.items()
    ]


def _in_rms(columns: Iterator[Pairs], k: int) -> tuple[Array, Labels]:
    """Differences by draw of k specifications, over their root mean squares; no lost draws.

    With the motion of each draw.
    """
    first = next(columns)
    matrix = np.empty((len(first.differences), k))
    for index, column in enumerate(chain([first], columns)):
        differences = column.differences
        matrix[:, index] = differences / np.sqrt(np.nanmean(differences**2))
    defined = ~np.isnan(matrix).all(axis=1)
    kept = matrix if defined.all() else matrix[defined]
    return kept, first.clusters[defined]
