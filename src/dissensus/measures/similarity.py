"""How alike the texts of sessions are, and what an arm changes in that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dissensus.design.contrasts import METHODS, Options, compare
from dissensus.design.pairs import Columns, pair_up
from dissensus.stats.anchors import Clips, fit, weighted
from dissensus.text.divergences import plain_similarity
from dissensus.text.embeddings import cosine_matrix, embedder, pair_means
from dissensus.text.tokens import tokenizer

# Each takes a second to load.
_tokenizer, _embedder = cache(tokenizer), cache(embedder)


def lexical_similarity(
    texts: Sequence[str], *, speakers: Sequence[Any] | None = None, tokenizer: str = "tekken"
) -> float:
    """How alike the vocabularies of some texts are: 1 - JSD / log k of their token distributions.

    Parameters
    ----------
    texts : at least two.
    speakers : who said each; the texts of one speaker are put together. None: each for itself.
    tokenizer : a name that :func:`dissensus.text.tokens.tokenizer` knows.

    Returns
    -------
    From 0 (no token in common) to 1 (equal distributions). NaN where a text has no token, or where
    one speaker said all.

    Raises
    ------
    ValueError : ``texts`` is no sequence of texts, or ``speakers`` has another length.
    DissensusError : there is no such tokeniser.

    References
    ----------
    "Language as a Treatment", section on lexical homogeneity; Lin 1991, the generalised divergence.
    """
    as_texts = _as_texts(texts)
    labels = range(len(as_texts)) if speakers is None else _codes(speakers, len(as_texts))
    encode = _tokenizer(tokenizer)
    return plain_similarity(
        [np.asarray(encode(text), dtype=np.int64) for text in as_texts], [*labels]
    )


def semantic_similarity(texts: Sequence[str], *, embedder: str = "use-multilingual") -> float:
    """The mean cosine similarity of every two texts' embeddings.

    Parameters
    ----------
    texts : at least two, none of them empty.
    embedder : a name that :func:`dissensus.text.embeddings.embedder` knows.

    Returns
    -------
    From -1 to 1; 1 where all texts are equal.

    Raises
    ------
    ValueError : ``texts`` is no sequence of texts.
    DissensusError : the embedder is not known or cannot be loaded.
    """
    similarity = cosines(texts, embedder=embedder)
    alone = [str(number) for number in range(len(similarity))]
    return pair_means(similarity, alone, alone).pooled


def cosines(texts: Sequence[str], *, embedder: str = "use-multilingual") -> npt.NDArray[Any]:
    """The cosine similarity of every two texts' embeddings, texts x texts.

    Raises
    ------
    ValueError, DissensusError : see :func:`semantic_similarity`.
    """
    return cosine_matrix(_embedder(embedder).embed(_as_texts(texts)))


def similarities(
    turns: pd.DataFrame,
    *,
    session: str = "session_id",
    text: str = "text",
    speaker: str | None = None,
    tokenizer: str = "tekken",
    embedder: str = "use-multilingual",
) -> pd.DataFrame:
    """Both similarities of every session.

    Parameters
    ----------
    turns : a row a turn.
    session, text : columns that name the session and hold what was said.
    speaker : column of who said it, to put a speaker's turns together before vocabularies are
        compared; None to compare turns.
    tokenizer, embedder : as for the functions of single sessions.

    Returns
    -------
    A row a session, in the order of their first turns: ``session``, ``lexical``, ``semantic``,
    ``turns`` (how many).

    Raises
    ------
    ValueError : there is no such column, or a text is none.
    """
    _check_columns(turns, [session, text, *([speaker] if speaker else [])], "turns")
    rows = [
        {
            session: name,
            "lexical": lexical_similarity(
                group[text].tolist(),
                speakers=group[speaker].tolist() if speaker else None,
                tokenizer=tokenizer,
            ),
            "semantic": semantic_similarity(group[text].tolist(), embedder=embedder),
            "turns": len(group),
        }
        for name, group in turns.groupby(session, sort=False)
    ]
    return pd.DataFrame(rows, columns=[session, "lexical", "semantic", "turns"])


def homogeneity(
    measured: pd.DataFrame,
    reference: npt.ArrayLike,
    *,
    scale: str = "z",
    weights: tuple[float, float] = (0.5, 0.5),
    clips: Clips | None = None,
) -> pd.Series[float]:
    """The Homogeneity Index: both similarities on a scale fitted to a reference, weighted.

    Parameters
    ----------
    measured : a row a session with ``lexical`` and ``semantic``, as :func:`similarities` gives.
    reference : shape (sessions,), true for the sessions that the scale is fitted on.
    scale : z, clipped_z, normal_cdf, ecdf, min_max or clipped_percentile.
    weights : of the lexical and of the semantic similarity.
    clips : where the clipped scales cut; None for three SDs, and percentiles 1 and 99.

    Returns
    -------
    The index of every session, in standard deviations of the reference for z, else from 0 to 1.

    Raises
    ------
    ValueError : a column is missing, or ``reference`` has another length.

    References
    ----------
    "Language as a Treatment", equation 2.
    """
    _check_columns(measured, ["lexical", "semantic"], "measured")
    chosen = np.asarray(reference, dtype=bool)
    if chosen.shape != (len(measured),):
        raise ValueError(
            f"reference has shape {chosen.shape}; pass one truth value per session, "
            f"({len(measured)},)."
        )
    parts = [
        fit(scale, measured[name].to_numpy(float)[chosen], clips or Clips())(measured[name])
        for name in ("lexical", "semantic")
    ]
    return pd.Series(weighted(parts, weights), index=measured.index, name="homogeneity")


def paired_effect(
    metrics: pd.DataFrame,
    outcome: str,
    *,
    arm: str,
    reference: str,
    arms: str = "arm",
    unit: str = "draw_id",
    cluster: str | None = None,
    confidence: float = 0.95,
    flips: int = 10_000,
    seed: int = 0,
) -> pd.DataFrame:
    """The mean paired difference between two arms, by both methods that every study has.

    Parameters
    ----------
    metrics : a row a session; where it has a column ``complete``, rows where that is false count as
        missing.
    outcome : column that is compared.
    arm, reference : what is compared with what, values of the column ``arms``.
    arms, unit : columns of the arm and of what is paired, such as a draw.
    cluster : column of what is independent, such as a motion; None for the unit.
    confidence, flips, seed : level of the interval, sign patterns of the randomisation test, seed.

    Returns
    -------
    A row a method (``cluster_robust``: CR2 with Satterthwaite's t; ``sign_flip``) with
    ``estimate``, ``ci_low``, ``ci_high``, ``se``, ``p_value``, ``n`` pairs and ``n_clusters``.

    Raises
    ------
    ValueError : there is no such column or arm.
    """
    by = cluster or unit
    _check_columns(metrics, [outcome, arms, unit, by], "metrics")
    arm_names = [str(name) for name in pd.unique(metrics[arms])]
    if lost := [name for name in (arm, reference) if name not in arm_names]:
        raise ValueError(f"{arms} has no {lost[0]!r}; it has {', '.join(arm_names)}.")
    ended = metrics if "complete" in metrics else metrics.assign(complete=True)
    pairs = pair_up(ended, outcome, arm, reference, Columns(arms, unit, by))
    estimates = compare(pairs, Options(confidence, flips, seed))
    # Printed in 80 columns, a frame leaves out what stands in its middle: no limit.
    numbers = ("estimate", "ci_low", "ci_high", "se", "p_value", "n", "n_clusters")
    rows = [{name: getattr(estimates[method], name) for name in numbers} for method in METHODS]
    return pd.DataFrame(rows, index=pd.Index(METHODS, name="method"))


def _as_texts(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise ValueError("texts is one text; pass a list of at least two.")
    as_list = list(texts)
    wrong = [number for number, text in enumerate(as_list) if not isinstance(text, str)]
    if wrong:
        kind = type(as_list[wrong[0]]).__name__
        raise ValueError(f"texts[{wrong[0]}] is a {kind}; pass texts alone.")
    if len(as_list) < 2:
        raise ValueError(f"texts has {len(as_list)} entries; at least 2 can be compared.")
    return as_list


def _codes(labels: Sequence[Any], length: int) -> list[int]:
    if len(labels) != length:
        raise ValueError(
            f"speakers has {len(labels)} entries; pass one for each of {length} texts."
        )
    order = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return [order[label] for label in labels]


def _check_columns(frame: pd.DataFrame, names: Sequence[str], what: str) -> None:
    lost = [name for name in names if name not in frame]
    if lost:
        columns = ", ".join(map(str, frame.columns))
        raise ValueError(f"{what} has no column {lost[0]!r}; it has {columns}.")
