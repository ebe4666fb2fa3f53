"""How many questions an identity bias needs, from how much the run's own questions vary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import special

from dissensus.stats.checks import FloatArray, check_level
from dissensus.stats.results import NAN
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import chance, count, number, text

from ..design.manifest import MANIFEST
from ..terms import CONDITIONS, POOLED
from .tallies import columns

POWER = Schema(
    name="power",
    row="quantity of a team in a bank: 'power' at an IBC and a number of questions, 'needed' "
    "questions for an IBC, 'detectable' IBC at a number of questions",
    columns={
        **MANIFEST.pick("team", "bank"),
        "quantity": text("Which column is computed from the others: power, needed or detectable."),
        "ibc": Column(
            "float",
            "Identity bias: conformity less obstinacy, vanilla less anonymized.",
            "share, -2 to 2",
        ),
        "questions": count("How many questions are debated under both conditions."),
        "power": chance("Power that is reached, or that is asked for."),
        "sd": number(
            "Standard deviation that one question gives the IBC; over root n its error.",
            "share, -2 to 2",
        ),
    },
    key=("team", "bank", "quantity", "ibc", "questions", "power"),
)

#: The biases whose power is given.
BIASES = (0.05, 0.1, 0.15, 0.2, 0.3)
#: The numbers of questions at which it is given, besides the run's own.
QUESTIONS = (25, 50, 75, 100, 150, 200, 272, 300, 400, 500, 750, 1000, 1500, 2000)
#: The power that is asked for where questions or biases are the answer.
TARGETS = (0.8, 0.9)
#: The questions of the paper's bank that |IBC| < 0.10 is said of.
PAPER = 272
#: The round of the headline, which is the paper's.
ROUND = 1


def linearised_sd(differences: npt.ArrayLike, disagreements: npt.ArrayLike) -> float:
    """What one question adds to the standard error of the IBC.

    Parameters
    ----------
    differences : shape (M, 2); transitions that conformed less those that stayed, by question,
        vanilla and anonymised.
    disagreements : shape (M, 2); transitions under disagreement.

    Returns
    -------
    s, such that the IBC of M questions has a standard error of about s / sqrt(M). NaN for fewer
    than 2 questions or without disagreement under either condition.

    Notes
    -----
    The IBC is a difference of two ratios of sums, IBC = A_v/D_v - A_a/D_a. To first order question
    q moves it by u_q/M with u_q = M [(A_vq - Delta_v D_vq)/D_v - (A_aq - Delta_a D_aq)/D_a], and
    s^2 is the variance of u over questions (Cochran 1977, section 6.3; both conditions of a
    question stay together, which is what the bootstrap over questions does as well).
    """
    above, below = np.asarray(differences, np.float64), np.asarray(disagreements, np.float64)
    count, total = len(above), below.sum(axis=0)
    if count < 2 or not total.all():
        return NAN
    influence = count * (above - below * (above.sum(axis=0) / total)) / total
    return float((influence[:, 0] - influence[:, 1]).std(ddof=1))


def power_of(
    ibc: npt.ArrayLike, questions: npt.ArrayLike, sd: float, confidence: float = 0.95
) -> FloatArray:
    """Power of the two-sided z test of no identity bias.

    Parameters
    ----------
    ibc : true bias, of any sign.
    questions : broadcast against `ibc`.
    sd : from :func:`linearised_sd`.
    confidence : one minus the level.

    Returns
    -------
    Phi(-z + d) + Phi(-z - d) with d = |IBC| sqrt(M) / s; NaN where `sd` is not above 0.
    """
    check_level(confidence, "confidence")
    effects, counts = np.asarray(ibc, np.float64), np.asarray(questions, np.float64)
    if not sd > 0.0:
        return np.full(np.broadcast_shapes(effects.shape, counts.shape), np.nan)
    return _power(np.abs(effects) * np.sqrt(counts) / sd, confidence)


def needed_questions(ibc: float, sd: float, power: float, confidence: float = 0.95) -> int:
    """The smallest number of questions at which a bias is found with the given power.

    Raises
    ------
    ValueError : a bias of 0, an `sd` not above 0 or a power not above the level.
    """
    if ibc == 0.0 or not sd > 0.0:
        raise ValueError(
            f"ibc is {ibc} and sd is {sd}; pass a bias other than 0 and an sd above 0."
        )
    # A hair less, so that rounding up does not add one where the number is whole.
    return max(1, int(np.ceil((_shift(power, confidence) * sd / ibc) ** 2 * (1.0 - 1e-12))))


def detectable_ibc(questions: int, sd: float, power: float, confidence: float = 0.95) -> float:
    """The smallest bias that so many questions find with the given power.

    Raises
    ------
    ValueError : a power not above the level.
    """
    return float(_shift(power, confidence) * sd / np.sqrt(questions))


@makes(power=POWER)
def power_rows(metrics: pa.Table, confidence: float) -> list[dict[str, Any]]:
    """Power, needed questions and detectable biases of every team in every bank.

    Parameters
    ----------
    metrics : a row a debate and round.
    confidence : one minus the two-sided level.

    Returns
    -------
    Rows of :data:`POWER`, from the first round after the opening, all numbers of peers together,
    unparsable answers dropped, and questions complete under both conditions. ``power`` is that
    reached at a quantity of 'power' and that asked for otherwise. Where the run does not tell how
    questions vary, its 'power' rows have neither ``power`` nor ``sd`` and there are no others.
    """
    rows = columns(metrics)
    chosen = (rows["round"] == ROUND) & np.isin(rows["condition"], CONDITIONS)
    rows = {name: values[chosen] for name, values in rows.items()}
    powers = []
    for team in dict.fromkeys(rows["team"]):
        banks = dict.fromkeys(rows["bank"][rows["team"] == team])
        for bank in (*banks, POOLED):
            of_bank = np.array([bank in (of_row, POOLED) for of_row in rows["bank"]])
            of_team = (rows["team"] == team) & of_bank
            counts = _by_question({name: values[of_team] for name, values in rows.items()})
            sd = linearised_sd(counts[..., 0], counts[..., 1])
            named = {"team": str(team), "bank": str(bank), "sd": sd if sd > 0.0 else None}
            powers += [named | row for row in _of_sd(sd, len(counts), confidence)]
    return powers


def _by_question(rows: dict[str, npt.NDArray[Any]]) -> FloatArray:
    """(M, 2, 2): by question and condition, conformed less stayed, and disagreeing."""
    questions: dict[str, FloatArray] = {}
    for place, question in enumerate(rows["question_id"]):
        counts = questions.setdefault(str(question), np.full((2, 2), np.nan))
        counts[CONDITIONS.index(rows["condition"][place])] = (
            rows["conformed"][place] - rows["stayed"][place],
            rows["disagreeing"][place],
        )
    # A debate that failed has no counts.
    both = [counts for counts in questions.values() if not np.isnan(counts).any()]
    return np.array(both).reshape(-1, 2, 2)


def _of_sd(sd: float, asked: int, confidence: float) -> Iterator[dict[str, Any]]:
    sizes = sorted({*QUESTIONS, asked} - {0})
    for ibc in BIASES:
        for size, power in zip(sizes, power_of(ibc, sizes, sd, confidence), strict=True):
            reached = None if np.isnan(power) else float(power)
            yield {"quantity": "power", "ibc": ibc, "questions": size, "power": reached}
    if not sd > 0.0:
        return
    for target in TARGETS:
        for ibc in BIASES:
            needed = needed_questions(ibc, sd, target, confidence)
            yield {"quantity": "needed", "ibc": ibc, "questions": needed, "power": target}
        for size in sorted({asked, PAPER}):
            ibc = detectable_ibc(size, sd, target, confidence)
            yield {"quantity": "detectable", "ibc": ibc, "questions": size, "power": target}


def _power(shift: npt.ArrayLike, confidence: float) -> FloatArray:
    critical = special.ndtri((1.0 + confidence) / 2.0)
    power = special.ndtr(-critical + np.asarray(shift)) + special.ndtr(
        -critical - np.asarray(shift)
    )
    return np.asarray(power, dtype=np.float64)


def _shift(power: float, confidence: float) -> float:
    """How many standard errors a bias must be from 0; by halving, as power rises with it."""
    check_level(confidence, "confidence")
    if not 1.0 - confidence < power < 1.0:
        raise ValueError(
            f"power is {power}; pass one above the level, {1.0 - confidence:.3g}, and below 1."
        )
    low, high = 0.0, 40.0
    while high - low > 1e-13 * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if _power(middle, confidence) >= power else (middle, high)
    return high
