"""Did the randomisation come out as designed, who was lost, and do the languages comply equally."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.weights import contrast_name
from dissensus.digests import seed_of
from dissensus.stats.balance import (
    clopper_pearson,
    order_balance,
    paired_proportion_equivalence,
    permutation_balance,
    uniformity,
)
from dissensus.stats.results import NAN
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, number, text

from ..settings import ROLES, InferenceSettings
from .conduct import diagnose_conduct
from .domains import domain_names, drawable_domains
from .pairs import Array, compared_languages, languages_of

DIAGNOSTICS = Schema(
    name="diagnostics",
    row="check, group and statistic",
    columns={
        "check": text("What is checked, such as attrition or language_order."),
        "group": text("Part of the design that the row speaks of; all for the whole."),
        "statistic": text("What the value is, such as draws, share_lost or chi_square."),
        "value": number("A count, a share from 0 to 1, or a test statistic."),
        **common("df?", "p_value?", "ci_low?", "ci_high?", "n"),
        "note": text("The test and its counts, in words."),
    },
    key=("check", "group", "statistic"),
)

#: The whole, where other rows of a check speak of parts.
ALL = "all"

_MOST_REDRAWS = 10_000
_CELLS = 2_000_000


@makes(diagnostics=DIAGNOSTICS)
def diagnose(
    manifest: pd.DataFrame,
    outcomes: pd.DataFrame,
    pool: pd.DataFrame,
    metrics: pd.DataFrame,
    turns: pd.DataFrame,
    panel: list[str],
    reference: str,
    primary: str,
    inference: InferenceSettings,
    seed: int,
) -> list[dict[str, Any]]:
    """Randomisation, attrition and compliance as they came out, and the debaters' conduct."""
    design = diagnose_design(manifest, outcomes, pool, panel, reference, inference, seed)
    conduct = turns[["session_id", "repairs", "compliant"]]
    outcome = f"hi_{primary}"
    return design + diagnose_conduct(metrics, conduct, outcome, reference, inference, seed)


def diagnose_design(
    manifest: pd.DataFrame,
    outcomes: pd.DataFrame,
    pool: pd.DataFrame,
    panel: Sequence[str],
    reference: str,
    settings: InferenceSettings,
    seed: int,
) -> list[dict[str, Any]]:
    """Diagnose the randomisation and the conduct of a run.

    Parameters
    ----------
    manifest : a row a session, as drawn.
    outcomes : a row a session that was run: complete, attempts and compliant.
    pool : a row a motion; its drawable domains are what a draw could have had.
    panel : the models that could be cast.
    reference : the language that the others are compared with.
    settings : level, equivalence margin and repetitions.
    seed : the study's.

    Returns
    -------
    Rows of :data:`DIAGNOSTICS`, for the checks domain_assignment, language_order, model_by_role,
    attempts, attrition, compliance and compliance_equivalence. Tests of assignment take every
    draw, lost ones too: randomisation came before loss.
    """
    manifest = manifest[manifest["rendered_from"] == ""]
    ended = outcomes[["session_id", "complete", "attempts", "compliant"]]
    sessions = manifest.merge(ended, on="session_id", validate="1:1")
    draws = sessions.drop_duplicates("draw_id")
    return [
        *_domains(draws, pool),
        *_orders(sessions, settings.confidence),
        *_casting(draws, panel, settings, seed),
        *_attempts(sessions),
        *_attrition(sessions, reference, settings),
        *_compliance(sessions, reference, settings),
    ]


def _row(
    check: str,
    group: str,
    statistic: str,
    value: float,
    n: int,
    *,
    df: float = NAN,
    p_value: float = NAN,
    ci: tuple[float, float] = (NAN, NAN),
    note: str = "",
) -> dict[str, Any]:
    return {
        "check": check,
        "group": group,
        "statistic": statistic,
        "value": float(value),
        "df": df,
        "p_value": p_value,
        "ci_low": ci[0],
        "ci_high": ci[1],
        "n": n,
        "note": note,
    }


def _domains(draws: pd.DataFrame, pool: pd.DataFrame) -> list[dict[str, Any]]:
    """Draws by domain that could be drawn, and whether they are uniform (Pearson 1900)."""
    check, names, n = "domain_assignment", domain_names(pool), len(draws)
    seen = draws["domain_id"].value_counts()
    counts = {domain: int(seen.get(domain, 0)) for domain in drawable_domains(pool)}
    rows = [
        _row(check, str(domain), "draws", count, n, note=names[domain])
        for domain, count in counts.items()
    ]
    return [*rows, *_uniform(check, list(counts.values()))]


def _uniform(check: str, counts: Sequence[int]) -> list[dict[str, Any]]:
    """One row for the test of equal counts; none where there is one category alone."""
    if len(counts) < 2 or sum(counts) == 0:
        return []
    test = uniformity(counts)
    note = "Pearson's chi-square of equal counts"
    if test.n < 5 * len(counts):
        note += "; fewer than 5 expected in each, so that p is rough"
    n, df, p_value = test.n, test.df, test.p_value
    return [_row(check, ALL, "chi_square", test.statistic, n, df=df, p_value=p_value, note=note)]


def _orders(manifest: pd.DataFrame, confidence: float) -> list[dict[str, Any]]:
    """Draws in which each language came first, exact binomial; for three or more, every order."""
    check, languages = "language_order", languages_of(manifest)
    orders = manifest.drop_duplicates("draw_id")["language_order"]
    n, rows = len(orders), []
    for language in languages:
        k, share = int(orders.str.split(">").str[0].eq(language).sum()), 1.0 / len(languages)
        balance = order_balance(k, n, confidence, expected=share)
        rows += [
            _row(check, language, "draws_first", k, n),
            _row(
                check,
                language,
                "share_first",
                balance.estimate,
                n,
                p_value=balance.p_value,
                ci=(balance.ci_low, balance.ci_high),
                note=f"exact binomial against {share:.3g}; Clopper-Pearson",
            ),
        ]
    if len(languages) > 2:
        every = [">".join(order) for order in permutations(languages)]
        counts = [int((orders == order).sum()) for order in every]
        rows += [_row(check, o, "draws", k, n) for o, k in zip(every, counts, strict=True)]
        rows += _uniform(check, counts)
    return rows


def _casting(
    draws: pd.DataFrame, panel: Sequence[str], settings: InferenceSettings, seed: int
) -> list[dict[str, Any]]:
    """How often each model took each role, against random assignments of distinct models.

    With as many models as roles, Anderson's Q (1959, Biometrics 15:582-590). With a longer panel
    the assignments are partial permutations, for which Q has no closed form: the sum of squared
    deviations from S/K is then held against as many draws of as many partial permutations.
    """
    check, n = "model_by_role", len(draws)
    if len(set(panel)) == 1:
        note = "one model has all roles in every draw"
        counts = [_row(check, f"{role}: {panel[0]}", "draws", n, n) for role in ROLES]
        return [*counts, _row(check, ALL, "sum_squares", 0.0, n, note=note)]
    table = np.array([[int((draws[role] == model).sum()) for role in ROLES] for model in panel])
    rows = [
        _row(check, f"{role}: {model}", "draws", table[i, j], n)
        for j, role in enumerate(ROLES)
        for i, model in enumerate(panel)
    ]
    if len(panel) == len(ROLES):
        test = permutation_balance(table)
        rows.append(
            _row(check, ALL, "sum_squares", test.sum_squares, n, note="of deviations from n/4")
        )
        note = "Anderson's Q for random permutations"
        return [
            *rows,
            _row(check, ALL, "q", test.statistic, n, df=test.df, p_value=test.p_value, note=note),
        ]
    squares = float(((table - n / len(panel)) ** 2).sum())
    times = min(settings.flips, _MOST_REDRAWS)
    rng = np.random.default_rng(seed_of(seed, check))
    null = _partial_permutations(len(panel), n, times, rng)
    p_value = (int((null >= squares - 1e-9).sum()) + 1) / (times + 1)
    note = f"deviations from n/{len(panel)}; Monte Carlo over {times} sets of partial permutations"
    return [*rows, _row(check, ALL, "sum_squares", squares, n, p_value=p_value, note=note)]


def _partial_permutations(models: int, n: int, times: int, rng: np.random.Generator) -> Array:
    """Sums of squared deviations of model-by-role counts in `times` re-drawn sets of n casts."""
    statistics, step, width = np.empty(times), max(1, _CELLS // (n * models)), len(ROLES)
    for start in range(0, times, step):
        size = min(step, times - start)
        casts = rng.random((size, n, models)).argsort(axis=2)[:, :, :width]
        cells = casts * width + np.arange(width) + np.arange(size)[:, None, None] * models * width
        counts = np.bincount(cells.ravel(), minlength=size * models * width)
        statistics[start : start + size] = ((counts.reshape(size, -1) - n / models) ** 2).sum(
            axis=1
        )
    return statistics


def _attempts(sessions: pd.DataFrame) -> list[dict[str, Any]]:
    """Sessions by the attempts they took, over all languages and in each."""
    parts = {ALL: sessions} | {
        language: sessions[sessions["language"] == language] for language in languages_of(sessions)
    }
    rows = []
    for group, part in parts.items():
        attempts = part["attempts"].dropna().to_numpy(dtype=np.int64)
        n = len(attempts)
        for times in range(1, int(sessions["attempts"].max()) + 1 if n else 1):
            name, count = f"{group}: {times}", int((attempts == times).sum())
            rows += [
                _row("attempts", name, "sessions", count, n),
                _row("attempts", name, "share", count / n, n),
                _row("attempts", name, "cumulative_share", float((attempts <= times).mean()), n),
            ]
    return rows


def _flags(sessions: pd.DataFrame, column: str) -> pd.DataFrame:
    """A yes-or-no column as 1.0, 0.0 and NaN, a row a draw and a column a language."""
    values = sessions[column].astype("boolean").to_numpy(dtype=float, na_value=np.nan)
    frame = sessions[["draw_id", "language"]].assign(value=values)
    return frame.pivot(index="draw_id", columns="language", values="value")


def _share(
    check: str, group: str, statistic: str, flags: pd.Series[Any], confidence: float
) -> dict[str, Any]:
    """A share with its exact interval; NaN of nothing."""
    defined = flags.dropna()
    n, k = len(defined), int(defined.sum())
    if n == 0:
        return _row(check, group, statistic, NAN, 0)
    ci = clopper_pearson(k, n, confidence)
    return _row(check, group, statistic, k / n, n, ci=ci, note=f"{k} of {n}; Clopper-Pearson")


def _attrition(
    sessions: pd.DataFrame, reference: str, settings: InferenceSettings
) -> list[dict[str, Any]]:
    """Share of sessions lost for good in each language, of draws not complete, and McNemar."""
    check, complete = "attrition", _flags(sessions, "complete").fillna(0.0)
    lost = 1.0 - complete
    rows = [
        _share(check, language, "share_lost", lost[language], settings.confidence)
        for language in languages_of(sessions)
    ]
    rows.append(_share(check, ALL, "share_of_draws_lost", lost.max(axis=1), settings.confidence))
    for language in compared_languages(sessions, reference):
        rows += _paired(check, lost, language, reference, settings)[-1:]
    return rows


def _compliance(
    sessions: pd.DataFrame, reference: str, settings: InferenceSettings
) -> list[dict[str, Any]]:
    """Share of complete sessions whose every turn keeps the format rules, and its equivalence."""
    languages = languages_of(sessions)
    flags = _flags(sessions[sessions["complete"].eq(True)], "compliant").reindex(columns=languages)
    rows = [
        _share("compliance", language, "share_compliant", flags[language], settings.confidence)
        for language in languages
    ]
    for language in compared_languages(sessions, reference):
        rows += _paired("compliance_equivalence", flags, language, reference, settings)
    return rows


def _paired(
    check: str, flags: pd.DataFrame, language: str, reference: str, settings: InferenceSettings
) -> list[dict[str, Any]]:
    """Difference of two paired shares with Tango's test of equivalence, and McNemar's exact test.

    The first says whether the difference is small, the second only whether it is detected.
    """
    group, both = contrast_name(language, reference), flags[[language, reference]].dropna()
    n, alpha = len(both), 1.0 - settings.confidence
    if n < 2 or not alpha < 0.5:
        return [_row(check, group, name, NAN, n) for name in ("difference", "mcnemar")]
    test = paired_proportion_equivalence(
        both[language].to_numpy(), both[reference].to_numpy(), settings.equivalence_margin, alpha
    )
    note = (
        f"Tango's score test of a difference of {settings.equivalence_margin:g} or more: a small p "
        f"speaks for equivalence; interval at {1 - 2 * alpha:.3g}"
    )
    discordant = test.only_a + test.only_b
    split = f"discordant draws: {test.only_a} in {language} alone, {test.only_b} in {reference}"
    return [
        _row(
            check,
            group,
            "difference",
            test.difference,
            n,
            p_value=test.p_equivalence,
            ci=(test.ci_low, test.ci_high),
            note=note,
        ),
        _row(
            check,
            group,
            "mcnemar",
            discordant,
            n,
            p_value=test.p_mcnemar,
            note=split,
        ),
    ]
