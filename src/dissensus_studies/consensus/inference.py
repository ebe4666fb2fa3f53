"""From the measures of a run to its estimates: arms, contrasts, and what the simulation planted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import (
    Options,
    Row,
    adjust_family,
    contrast_row,
    contrasts_schema,
    defined,
    sign_flip,
)
from dissensus.design.declared import Contrasts, Means, strata
from dissensus.design.pairs import Columns, pair_up
from dissensus.design.weights import Contrast
from dissensus.digests import seed_of
from dissensus.llm.providers.behaviours import speech_of
from dissensus.stats.checks import FloatArray
from dissensus.stats.results import NAN, Estimate
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, number, text

from .design import DEBATE
from .measures import match, measure
from .outcomes import OUTCOMES, OWN, PRIMARY
from .scale import middle
from .simulated import SpeechSettings
from .simulated.dynamics import EXPERT, debates, opinion

_DOMAIN = {"domain": text("Name of the domain in the configuration; all for the domains together.")}
_ARM = {"arm": text("Name of the arm in the configuration.")}

ESTIMATES = Schema(
    name="estimates",
    row="domain, arm and outcome",
    columns={
        **_DOMAIN,
        **_ARM,
        **common("outcome", "estimate?", "ci_low?", "ci_high?", "n", "n_clusters"),
    },
    key=("domain", "arm", "outcome"),
)
PLANTED = Schema(
    name="planted",
    row="domain, arm and outcome, where agents are simulated",
    columns={
        **_DOMAIN,
        **_ARM,
        **common("outcome"),
        "true": number("Its mean under the agents' equations, for these very statements."),
        "effect": number("The same minus that of the reference."),
        "effect_se": number("Its standard error at most, from simulating it."),
    },
    key=("domain", "arm", "outcome"),
)
_WITHIN = contrasts_schema("contrasts")
CONTRASTS = Schema(
    _WITHIN.name, f"domain, {_WITHIN.row}", {**_DOMAIN, **_WITHIN.columns}, ("domain", *_WITHIN.key)
)

#: Outcomes that are shares, from none to all.
SHARES = tuple(name for name, outcome in (OUTCOMES | OWN).items() if outcome.is_share)
#: How the outcome begins that says whether a debate had agreed by a round.
BY_ROUND = "consensus_by_"
#: Compares the courses of consensus, with debates that never agreed as censored.
LOG_RANK = "log_rank"
#: Simulated debates of each session of the design, whose mean is the planted value.
_REPLICATES = 400


def estimate_arms(metrics: pd.DataFrame, rounds: int, confidence: float) -> list[Row]:
    """Every measure in every arm, with an interval over statements.

    Parameters
    ----------
    metrics : a row a session, columns of ``metrics.parquet``.
    rounds : the most of a debate.
    confidence : level of the intervals.

    Returns
    -------
    Rows of :data:`ESTIMATES`, for each domain and for all together. ``n`` counts the sessions in
    which the measure is defined. Intervals are Student's with the standard error by statement
    (:func:`~dissensus.design.contrasts.robust_mean`), of shares those of
    :func:`~dissensus.stats.shares.share_limits`; percentiles of a bootstrap cover too rarely with
    the nine statements of a domain. There is none for fewer than two statements, or where all
    came out alike on what is neither none nor all.
    """
    courses = by_round(metrics, rounds)
    means = Means(
        (*OUTCOMES, *OWN, *courses),
        sorted(map(str, pd.unique(metrics["arm"]))),
        cluster="statement_id",
        within="domain",
        shares=(*SHARES, *courses),
    )
    rows = means.rows(pd.concat([metrics, courses], axis=1), Options(confidence, 0, 0))
    return [{name: row[name] for name in ESTIMATES.columns} for row in rows]


def contrast_arms(
    metrics: pd.DataFrame,
    arms: Sequence[str],
    reference: str,
    options: Options,
    again: str | None = None,
) -> list[Row]:
    """Every arm against the reference on the same statements; rows of :data:`CONTRASTS`.

    The headline is the primary outcome over all domains, adjusted over the arms (Holm). The
    log-rank test of the round of consensus stands beside its mean: a debate that never agreed is
    censored at its last round there, while the mean counts it as if it had agreed then. Where the
    arm ``again`` is the reference once more, the others are tested against what it differs by.
    """
    others = [arm for arm in arms if arm != reference]

    def log_ranks(some: pd.DataFrame, options: Options) -> list[Row]:
        tests = [_log_rank(some, arm, reference, options) for arm in others]
        adjust_family(tests)
        return tests

    contrasts = Contrasts(
        (PRIMARY, *(name for name in OUTCOMES if name != PRIMARY)),
        [(arm, reference) for arm in others],
        cluster="statement_id",
        within="domain",
        again=Contrast.of(again, reference) if again else None,
        beside=log_ranks,
    )
    return contrasts.rows(metrics, options)


def by_round(metrics: pd.DataFrame, rounds: int) -> pd.DataFrame:
    """Whether each debate had agreed by each round; missing where it failed."""
    defined_rows = metrics["consensus"].notna().to_numpy()
    reached = metrics["consensus"].eq(True).to_numpy(dtype=bool)
    when = metrics["consensus_round"].to_numpy(dtype=float)
    return pd.DataFrame(
        {
            f"{BY_ROUND}{number}": np.where(defined_rows, reached & (when <= number), np.nan)
            for number in range(1, rounds + 1)
        },
        index=metrics.index,
    )


def planted_values(
    manifest: pd.DataFrame,
    statements: pd.DataFrame,
    speech: Mapping[str, Mapping[str, Any] | None],
    reference: str,
    seed: int,
) -> list[Row]:
    """What each measure of votes is in expectation, where the agents are simulated.

    Parameters
    ----------
    manifest, statements : of the run.
    speech : arm -> the simulated agents' settings; None where the agents are real.
    reference : the arm that effects are against.
    seed : of the simulation.

    Returns
    -------
    Rows of :data:`PLANTED`, none of arms whose agents are real, or where the reference's are. Every
    session of the design is debated 400 times by the equations of
    :mod:`.simulated.dynamics`, without a text.
    """
    manifest = manifest[manifest["kind"] == DEBATE]
    spoken = {arm: settings for arm, settings in speech.items() if settings is not None}
    speech_of_arm = {arm: speech_of(SpeechSettings, settings) for arm, settings in spoken.items()}
    manifest = manifest[manifest["arm"].isin(list(speech_of_arm))]
    if reference not in speech_of_arm or manifest.empty:
        return []
    frames = [
        _planted_sessions(
            of_arm, statements.set_index("statement_id"), speech_of_arm[str(arm)], seed
        )
        for (_, arm), of_arm in manifest.groupby(["domain", "arm"], sort=False)
    ]
    values = pd.concat(frames, ignore_index=True)
    courses = by_round(values, int(manifest["rounds"].max()))
    values = pd.concat([values, courses], axis=1)
    followed = [name for name in (*OUTCOMES, *courses) if name in values]
    rows: list[Row] = []
    for domain, some in strata(values, "domain"):
        means = some.groupby("arm")[followed].mean()
        effects = means - means.loc[reference]
        errors = some.groupby("arm")[followed].sem()
        rows += [
            {
                "domain": domain,
                "arm": str(arm),
                "outcome": outcome,
                "true": defined(float(means.loc[arm, outcome])),
                "effect": defined(float(effects.loc[arm, outcome])),
                "effect_se": _of_difference(errors, str(arm), reference, outcome),
            }
            for arm in means.index
            for outcome in followed
        ]
    return rows


def _of_difference(errors: pd.DataFrame, arm: str, reference: str, outcome: str) -> float | None:
    """The standard error of a difference of two arms; 0 of an arm from itself."""
    if arm == reference:
        return 0.0
    both = errors.loc[[arm, reference], outcome].to_numpy(dtype=float)
    return defined(float(np.sqrt((both**2).sum())))


def _planted_sessions(
    of_arm: pd.DataFrame, statements: pd.DataFrame, settings: SpeechSettings, seed: int
) -> pd.DataFrame:
    """Simulated debates of one domain's sessions in one arm, a row each."""
    first = of_arm.iloc[0]
    debated = statements.loc[of_arm["statement_id"]]
    sentences = debated["statement"].tolist()
    minds = np.array(
        [[opinion(sentence, agent) for agent in sorted(first["order"])] for sentence in sentences]
    )
    low, high = (debated[name].to_numpy() for name in ("truth_low", "truth_high"))
    points = np.array([middle(range(a, b + 1)) for a, b in zip(low, high, strict=True)])
    experts = np.array([opinion(sentence, EXPERT) for sentence in sentences])
    # The same in every arm: where nothing differs, no difference is planted.
    rng = np.random.default_rng(seed_of(seed, "planted", first["domain"]))
    times = _REPLICATES
    votes, lasted = debates(
        np.repeat(points, times),
        np.repeat(minds, times, axis=0),
        settings.traits,
        str(first["strategy"]),
        int(first["rounds"]),
        rng,
        np.repeat(experts, times) if first["strategy"] == "credible" else None,
    )
    values_of = measure(votes, lasted)
    exact, near = match(values_of["mode"], np.repeat(low, times), np.repeat(high, times))
    frame = pd.DataFrame(values_of | {"match": exact, "match_levels": near})
    return frame.assign(domain=first["domain"], arm=first["arm"])


def _log_rank(metrics: pd.DataFrame, arm: str, reference: str, options: Options) -> Row:
    """The log-rank test of the round of consensus, on statements that were debated in both arms.

    The log-rank statistic is the sum, over the debates of an arm, of the event less the cumulated
    hazard of both arms together (Kalbfleisch & Prentice 2002, *The Statistical Analysis of Failure
    Time Data*, section 7.4). Exchanging arms in a statement leaves those scores as they are and
    changes the sign of the statement's difference: the p-value is that of whole statements flipped.
    """
    both = metrics[metrics["complete"].to_numpy(dtype=bool) & metrics["arm"].isin((arm, reference))]
    paired = both[both.groupby("draw_id")["arm"].transform("nunique") == 2]
    scored = paired.assign(score=_log_rank_scores(paired))
    pairs = pair_up(scored, "score", arm, reference, Columns(cluster="statement_id"))
    n, count = len(pairs.differences), len(np.unique(pairs.clusters.astype(str)))
    tested = Estimate(NAN, n=n, n_clusters=count)
    if count > 1 and scored["consensus"].any():
        seed = seed_of(options.seed, LOG_RANK, arm, reference)
        flipped = sign_flip(pairs.differences, pairs.clusters.astype(str), options.flips, seed)
        tested = replace(flipped, estimate=NAN)
    return contrast_row("consensus_round", arm, reference, LOG_RANK, tested, headline=False)


def _log_rank_scores(debates: pd.DataFrame) -> FloatArray:
    """Whether each debate agreed, less the hazard of agreeing that all cumulated until its end."""
    reached = debates["consensus"].to_numpy(dtype=bool)
    rounds = debates["consensus_round"].to_numpy(dtype=float)
    when = np.unique(rounds)
    at_risk = (rounds >= when[:, None]).sum(axis=1)
    agreed = ((rounds == when[:, None]) & reached).sum(axis=1)
    hazard = np.cumsum(agreed / np.maximum(at_risk, 1))
    return np.asarray(reached - hazard[np.searchsorted(when, rounds)], dtype=np.float64)
