"""What each arm changes: paired differences within draws, and whether silence is acceptance.

Every draw (a topic, a cast, a seed) has one session in every arm: fresh conversations of the same
models about the same topic, in random order, so that whatever drifts with time falls on all arms
alike. Arms are fixed conditions and not dealt to draws.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dissensus.design.contrasts import Options, Row, contrasts_schema
from dissensus.design.declared import ALL, Contrasts, Means, estimate
from dissensus.design.looks import judged_by
from dissensus.design.weights import Contrast
from dissensus.study.makes import makes

from ..outcomes import PRIMARY

CONTRASTS = contrasts_schema("contrasts")

#: What else is compared.
SECONDARY = (
    "entropy_last",
    "entropy_drop",
    "density_mean",
    "claim_engagement",
    "rival_coverage",
    "groupthink",
    "silent_share",
    "dominance",
    "ignored_share",
    "sycophancy_per_opportunity",
    "quality_last",
    "agreement_last",
    "correct_last",
    "consistency",
)

#: Defined in arms with a hint alone, each in the draws whose hint is of its kind.
HINTS = ("hint_accepted", "hint_rejected")

#: The one-sample outcome: P(moves | left without answer) - P(moves | engaged), per session.
SILENCE = "silence_effect"

#: Where all arms stand together.
POOLED = ALL


@makes(contrasts=CONTRASTS)
def contrast_arms(
    metrics: pd.DataFrame,
    manifest: pd.DataFrame,
    reference: str,
    confidence: float,
    flips: int,
    seed: int,
    compared: list[str] | None = None,
    looks: Sequence[Row] = (),
    again: str | None = None,
) -> list[Row]:
    """Every arm against the reference, and hints with a judge against hints alone.

    Parameters
    ----------
    metrics : a row a session, columns of ``metrics.parquet``.
    manifest : for the arms that the run was to hold, whatever came of them.
    reference : the arm that the others are compared with.
    confidence : level of the intervals.
    flips : sign patterns of the randomisation test where they are too many to enumerate.
    seed : of the randomisation tests.
    compared : the arms that hold debates; None for all.
    looks : at a study that may stop, which is judged by the last; none at another.
    again : the arm that is the reference once more, where there is one.

    Returns
    -------
    Rows of :data:`CONTRASTS`. Hints are compared only where both arms
    gave any. Rows of the outcome :data:`SILENCE` have no reference: they are means over the
    sessions of an arm, and of all arms with the sessions of a draw as one cluster; their p-values
    are adjusted over the arms.
    """
    if compared is not None:
        manifest = manifest[manifest["arm"].isin(compared)]
    declared = (
        Contrasts(
            (PRIMARY, *SECONDARY),
            comparisons(metrics, manifest, reference),
            cluster="topic_id",
            optional=HINTS,
            again=Contrast.of(again, reference) if again else None,
        ),
        # Whether agents that leave a claim without answer move to it more often than others do.
        Means((SILENCE,), arms_of(manifest, reference), "draw_id", pooled=True, adjusted=True),
    )
    return judged_by(looks, estimate(metrics, declared, Options(confidence, flips, seed)))


def arms_of(manifest: pd.DataFrame, reference: str) -> list[str]:
    """The arms of the run: the reference first, the others in alphabetical order."""
    return [reference, *sorted(set(manifest["arm"]) - {reference})]


def comparisons(
    metrics: pd.DataFrame, manifest: pd.DataFrame, reference: str
) -> list[tuple[str, str]]:
    """Arm and reference of every contrast.

    Arms that give hints and have a judge are compared with the first that gives hints and has
    none too: against the common reference, a judge and a hint cannot be distinguished.
    """
    arms = arms_of(manifest, reference)
    hinted = [arm for arm in arms if _gives_hints(metrics, arm)]
    judged = {arm for arm in hinted if metrics.loc[metrics["arm"] == arm, "judge_calls"].sum() > 0}
    alone = [arm for arm in hinted if arm not in judged and arm != reference]
    beside = [(arm, alone[0]) for arm in hinted if arm in judged] if alone else []
    return [(arm, reference) for arm in arms[1:]] + beside


def _gives_hints(metrics: pd.DataFrame, arm: str) -> bool:
    return bool(metrics.loc[metrics["arm"] == arm, list(HINTS)].notna().any(axis=None))
