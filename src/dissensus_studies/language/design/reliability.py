"""How far the two coders agree, before adjudication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.stats.agreement import bootstrap_agreement, confusion_matrix, per_category_agreement
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, number, text

from ..settings import LanguageCondition, PoolSettings
from .pool import POOL, Codebook, build_pool

#: All motions of the pool.
ALL = "all"

RELIABILITY = Schema(
    name="reliability",
    row="source of motions and statistic",
    columns={
        "source": text("Where the motions come from: a source of the pool, or all of them."),
        "statistic": text("Name of a coefficient, agreement[code], or confusion[first,second]."),
        "value": number("Value of the coefficient or the agreement; a confusion counts motions."),
        **common("ci_low?", "ci_high?", "n"),
        "q": count("How many codes the codebook has."),
    },
    key=("source", "statistic"),
)


def code_pool(settings: Mapping[str, Any], seed: int) -> dict[str, tuple[Schema, list[Any]]]:
    """The motion pool of a run and how far its coders agree; see
    :class:`dissensus.study.study.Source`.
    """
    languages = {name: LanguageCondition(**each) for name, each in settings["languages"].items()}
    pool, codebook = build_pool(PoolSettings(**settings["pool"]), languages)
    resamples = settings["inference.resamples"]
    reliability = measure_reliability(pool, codebook, resamples=resamples, seed=seed)
    return {"pool": (POOL, pool), "reliability": (RELIABILITY, reliability)}


def measure_reliability(
    pool: Sequence[Mapping[str, Any]], codebook: Codebook, *, resamples: int, seed: int
) -> list[dict[str, Any]]:
    """Agreement of the coders over all motions of the pool, with bootstrap intervals over motions.

    Besides the coefficients: ``agreement[c]``, the specific agreement on each code that either
    coder used, and ``confusion[a,b]``, how often the first coder's a met the second's b. ``q`` is
    the number of codes in the codebook, empty ones included, which Gwet's AC1 depends on. Where the
    pool has several sources, the coefficients are given for each of them too: motions of one kind
    may be easier to code.
    """
    rows = _of_source(ALL, pool, codebook, resamples, seed)
    sources = list(dict.fromkeys(str(motion["source"]) for motion in pool))
    for source in sources if len(sources) > 1 else []:
        of_source = [motion for motion in pool if motion["source"] == source]
        measured = _of_source(source, of_source, codebook, resamples, seed)
        rows += [row for row in measured if "[" not in row["statistic"]]
    return rows


def _of_source(
    source: str, pool: Sequence[Mapping[str, Any]], codebook: Codebook, resamples: int, seed: int
) -> list[dict[str, Any]]:
    codes = list(codebook.domains)
    first = np.array([motion["coder_a"] for motion in pool])
    second = np.array([motion["coder_b"] for motion in pool])
    n, q = len(pool), len(codes)

    def row(statistic: str, value: float, low: float = np.nan, high: float = np.nan) -> Any:
        numbers = {"value": value, "ci_low": low, "ci_high": high}
        shown = {name: None if np.isnan(x) else float(x) for name, x in numbers.items()}
        return {"source": source, "statistic": statistic, **shown, "n": n, "q": q}

    agreement = bootstrap_agreement(first, second, codes, resamples=resamples, seed=seed)
    rows = [row(name, a.value, a.ci_low, a.ci_high) for name, a in agreement.items()]
    specific = per_category_agreement(first, second, codes)
    rows += [
        row(f"agreement[{code}]", value)
        for code, value in zip(codes, specific, strict=True)
        if not np.isnan(value)
    ]
    counts = confusion_matrix(first, second, codes)
    rows += [
        row(f"confusion[{codes[i]},{codes[j]}]", float(counts[i, j]))
        for i, j in np.argwhere(counts)
    ]
    return rows
