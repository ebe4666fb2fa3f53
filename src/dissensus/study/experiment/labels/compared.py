"""From people's labels to a judge's agreement with them, and to prediction-powered estimates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from dissensus.design.contrasts import HEADLINE, defined
from dissensus.design.weights import BOTH, JUDGE, PEOPLE
from dissensus.digests import seed_of
from dissensus.errors import ResourceError
from dissensus.setting_faults import show
from dissensus.stats.agreement import clustered_agreement
from dissensus.stats.prediction_powered import Powered, prediction_powered
from dissensus.stats.shares import unless_certain
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.design import ExperimentDesign
from dissensus.study.experiment.labels.people import Label, Place, judged_places, read_labels
from dissensus.study.experiment.measures import measure_sessions, turns_by_session, value_of
from dissensus.study.makes import makes, resolve
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, share, text

Row = dict[str, Any]

_RESAMPLES = 10_000

LABELLED = Schema(
    "labelled",
    "labelled turn or session",
    {
        "id": text("Name under which people labelled it, which says nothing of the arm."),
        **common("session_id"),
        "judge_turn": Column("int", "Turn that is labelled; 0 for a whole session."),
        "judge_speaker": text("Who speaks in it; empty for a whole session."),
        "judge": text(
            "What the judge, or the outcome as it was measured, says; empty for nothing."
        ),
        "people": text("What people say."),
    },
    key=("id",),
)

AGREEMENT = Schema(
    "judge_agreement",
    "coefficient of a judge's agreement with people",
    {
        "statistic": text(
            "percent_agreement; cohen_kappa, with squared weights on a scale of numbers; or "
            "krippendorff_alpha, nominal or for interval data. Limits: of the first Student's over "
            "clusters, on the logit scale; of the others percentiles over clusters."
        ),
        **common("estimate?", "ci_low?", "ci_high?", "n"),
    },
    key=("statistic",),
)

ESTIMATES = Schema(
    "labelled_contrasts",
    "arm, reference and method of an outcome that people labelled too",
    {
        **common("contrast", "outcome", "method", "estimate?", "se?", "ci_low?", "ci_high?"),
        **common("p_value?", "n", "n_clusters"),
        "arm": text("Arm, or weighted sum of arms."),
        "reference": text("What it is compared with; empty for the mean of one arm."),
        "labelled": count("Sessions with labels by people that the row rests on."),
        "power": share("How much the judge counts, beside people's labels."),
    },
    key=("arm", "reference", "method"),
)


@makes(labelled=LABELLED, judge_agreement=AGREEMENT, labelled_contrasts=ESTIMATES)
def compare_with_people(
    turns: list[dict[str, Any]],
    outcomes: list[dict[str, Any]],
    pool: list[dict[str, Any]],
    metrics: pd.DataFrame,
    contrasts: pd.DataFrame,
    labels: Path,
    declared: str,
    block: dict[str, Any],
    seed: int,
) -> tuple[list[Row], list[Row], list[Row]]:
    """Labels beside what the judge says, its agreement, and estimates by judge, people and both.

    Parameters
    ----------
    labels : the table of people's labels.
    declared : ``module:name`` of the study's class.
    block : all of the study's settings.
    """
    cls: type[ExperimentDesign] = resolve(declared)
    study = cls(cls.Settings.model_validate(block))
    settings, outcome = study.label_settings, study.labelled_outcome
    arms = {*metrics["arm"]}
    played = [turn for turn in turns if turn["arm"] in arms]
    given = read_labels(labels, settings, study.name, judged_places(played, settings))
    measured = metrics.assign(judge=metrics[outcome].where(metrics["complete"].to_numpy(bool)))
    if settings.judge:
        judge = _said_by_judge(study, played, given)
        people = _measured_by_people(study, played, outcomes, pool, given)
    else:
        values = measured.set_index("session_id")["judge"].astype(object)
        judge = {place: values[place.session_id] for place in given}
        people = {place.session_id: float(label) for place, label in given.items()}
    measured["people"] = measured["session_id"].map(people).astype(float)
    clusters = dict(zip(metrics["session_id"], metrics[study.cluster], strict=True))
    read = [place for place in given if not pd.isna(judge[place])]
    confidence = study.settings.inference.confidence
    agreement = _agreement(
        [judge[place] for place in read],
        [given[place] for place in read],
        [clusters[place.session_id] for place in read],
        confidence,
        seed,
    )
    design = Compared.of(cls, study.settings.again)
    return (
        [_labelled(place, study.name, judge[place], label) for place, label in given.items()],
        agreement,
        [*estimates(measured, contrasts, outcome, design, confidence)],
    )


def _labelled(place: Place, study: str, judge: Any, people: Label) -> Row:
    """A row of :data:`LABELLED`."""
    return {
        "id": place.id(study),
        "session_id": place.session_id,
        "judge_turn": place.turn,
        "judge_speaker": place.speaker,
        "judge": _written(judge),
        "people": _written(people),
    }


def _said_by_judge(
    study: ExperimentDesign, turns: Sequence[Row], given: Mapping[Place, Label]
) -> dict[Place, Any]:
    """What the judge says in the turns that people labelled; None where it could not be read.

    Raises
    ------
    ResourceError : it says something that is not on the scale.
    """
    judged: dict[Place, Any] = {}
    for turn in turns:
        place = Place(turn["session_id"], turn["turn"], turn["speaker"])
        if place not in given:
            continue
        value = judged[place] = value_of(turn)
        if value is not None and value not in study.label_settings.scale:
            raise ResourceError(
                f"{study.name}.labels.scale lacks {show(value)}, which the judge "
                f"{place.speaker} says in turn {place.turn} of {place.session_id}; add it, since "
                "people must be able to say what the judge can."
            )
    return judged


def _measured_by_people(
    study: ExperimentDesign,
    turns: Sequence[Row],
    outcomes: Sequence[Row],
    pool: Sequence[Row],
    given: Mapping[Place, Label],
) -> dict[str, float | None]:
    """session_id -> the outcome by people, of sessions whose judge's turns they all labelled.

    The study's own ``measure`` is given their labels in place of what the judge says.
    """
    relabelled, lacking = [], set()
    for turn in turns:
        if turn["speaker"] == study.label_settings.judge:
            label = given.get(Place(turn["session_id"], turn["turn"], turn["speaker"]))
            if label is None:
                lacking.add(turn["session_id"])
            whole = isinstance(label, float) and label.is_integer()
            value = json.dumps(int(label) if whole and label is not None else label)
            turn = {**turn, "value": value, "compliant": True}
        relabelled.append(turn)
    whole_sessions = {place.session_id for place in given} - lacking
    measured, _ = measure_sessions(
        study,
        turns_by_session(
            [turn for turn in relabelled if turn["session_id"] in whole_sessions], study.levels()
        ),
        [row for row in outcomes if row["session_id"] in whole_sessions],
        {item["item_id"]: item for item in pool},
    )
    return {row["session_id"]: row[study.labelled_outcome] for row in measured}


def _agreement(
    judge: Sequence[Any],
    people: Sequence[Label],
    clusters: Sequence[Any],
    confidence: float,
    seed: int,
) -> list[Row]:
    """Rows of :data:`AGREEMENT`; none where nothing was read of what the judge said."""
    if not judge:
        return []
    agreement = clustered_agreement(
        judge,
        people,
        clusters,
        resamples=_RESAMPLES,
        seed=seed_of(seed, "agreement"),
        confidence=confidence,
    )
    return [
        {
            "statistic": name,
            "estimate": defined(each.value),
            "ci_low": defined(each.ci_low),
            "ci_high": defined(each.ci_high),
            "n": each.n,
        }
        for name, each in agreement.items()
    ]


def estimates(
    measured: pd.DataFrame,
    contrasts: pd.DataFrame,
    outcome: str,
    design: Compared,
    confidence: float,
) -> Iterator[Row]:
    """Every contrast of arms and every mean, by the judge, by people, and by both.

    Parameters
    ----------
    measured : a row a session, with ``arm``, ``draw_id``, the cluster, and the outcome as the judge
        has it (``judge``) and as people have it (``people``); NaN for none.
    contrasts : of the study; the judge's rows are those of its headline's method.
    outcome : that is labelled.
    """
    rows = contrasts[(contrasts["outcome"] == outcome) & (contrasts["method"] == HEADLINE)]
    rows = rows[rows["factor"] == ""]
    judged = measured[measured["judge"].notna()]
    wanted = [(each.name, each.arm, each.reference, each.weights) for each in design.compared]
    wanted += [(arm, arm, "", {arm: 1.0}) for arm in design.arms]
    for name, arm, reference, weights in wanted:
        by_judge = rows[(rows["arm"] == arm) & (rows["reference"] == reference)]
        names = {"contrast": name, "outcome": outcome, "arm": arm, "reference": reference}
        columns = [column for column in ESTIMATES.columns if column in rows]
        for row in by_judge[columns].to_dict("records"):
            told = {str(key): None if pd.isna(value) else value for key, value in row.items()}
            yield {**told, **names, "method": JUDGE, "labelled": 0, "power": 1.0}
        sessions = _of_whole_draws(judged, list(weights))
        null = None if reference else design.outcomes[outcome].null
        is_share = design.outcomes[outcome].is_share and not reference
        for method, power in ((PEOPLE, 0.0), (BOTH, None)):
            powered = _powered(sessions, weights, design.cluster, confidence, power, null)
            powered = _as_share(powered, confidence) if is_share else powered
            is_tested = bool(reference) or null is not None
            yield {**names, "method": method, **_numbers(powered, is_tested)}


def _of_whole_draws(judged: pd.DataFrame, arms: Sequence[str]) -> pd.DataFrame:
    """The sessions of some arms, of draws that have the outcome in all of them."""
    of_arms = judged[judged["arm"].isin(arms)]
    return of_arms[of_arms.groupby("draw_id")["arm"].transform("nunique") == len(arms)]


def _powered(
    sessions: pd.DataFrame,
    weights: Mapping[str, float],
    cluster: str,
    confidence: float,
    power: float | None,
    null: float | None,
) -> Powered:
    """An estimate; the p-value of a mean is against its null, from which it is counted."""
    if sessions.empty:
        return Powered(np.nan)
    shift = null or 0.0
    powered = prediction_powered(
        sessions["people"].to_numpy(float) - shift,
        sessions["judge"].to_numpy(float) - shift,
        sessions["arm"].to_numpy(),
        weights,
        sessions[cluster].to_numpy(),
        confidence,
        power,
    )
    return replace(
        powered,
        estimate=powered.estimate + shift,
        ci_low=powered.ci_low + shift,
        ci_high=powered.ci_high + shift,
    )


def _as_share(powered: Powered, confidence: float) -> Powered:
    """The same from 0 to 1, which the sum of labels and predictions may leave.

    Labels that are all no, or all yes, have exact limits, with a case a cluster.
    """
    if np.isnan(powered.ci_low):
        return cast(Powered, unless_certain(powered, confidence))
    estimate, low, high = np.clip([powered.estimate, powered.ci_low, powered.ci_high], 0, 1)
    return replace(powered, estimate=float(estimate), ci_low=float(low), ci_high=float(high))


def _numbers(powered: Powered, is_tested: bool) -> Row:
    return {
        **{
            name: defined(getattr(powered, name))
            for name in ("estimate", "se", "ci_low", "ci_high")
        },
        "p_value": defined(powered.p_value) if is_tested else None,
        "n": powered.n if powered.power else powered.labelled,
        "n_clusters": powered.n_clusters,
        "labelled": powered.labelled,
        "power": defined(powered.power),
    }


def _written(value: Any) -> str:
    """A label as text; "" for none."""
    if pd.isna(value):
        return ""
    return f"{value:g}" if isinstance(value, int | float) else str(value)
