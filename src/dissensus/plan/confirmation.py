"""For the next model: what a registered run predicts of another one, and what came of it.

The prediction is part of the later run's plan, which is written before its first session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import hypot, isfinite, sqrt
from pathlib import Path
from typing import Any, Literal, get_args

from dissensus.digests import file_digest
from dissensus.errors import ResourceError
from dissensus.plan.deviations import DATA, Deviation, read_plan
from dissensus.plan.registering.models import Models, asked_by
from dissensus.report.labels import interval, number, signed
from dissensus.study.run_settings import ConfirmSettings, EligibleSettings
from dissensus.study.study import Study
from dissensus.tables.artefact import Column, Schema, read
from dissensus.tables.common import common, text

Row = Mapping[str, Any]
Verdict = Literal[
    "confirmed", "another size", "not confirmed", "the other way", "undecided",
    "nothing predicted", "no estimate",
]  # fmt: skip
_SENTENCES: dict[Verdict, str] = {
    "confirmed": "the effect is there, and of the size that was predicted",
    "another size": "the effect is there with its sign, and is outside what was predicted",
    "not confirmed": "the effect does not transfer to this model: the interval has 0 in it, and "
    "the estimate is outside what was predicted",
    "the other way": "the effect is there the other way",
    "undecided": "the interval has 0 in it, and the estimate is within what was predicted",
    "nothing predicted": "the registered interval has 0 in it, so that no effect was predicted",
    "no estimate": "this run has no estimate of it",
}
_UNIT = "of what is estimated"
CONFIRMATION = Schema(
    name="confirmation",
    row="headline of the registered run",
    columns={
        **common("contrast", "outcome"),
        "predicted": Column("float", "Estimate of the registered run.", _UNIT),
        "predicted_n": Column("int?", "How many it rests on, as n has it of this run."),
        "predicted_low": Column("float", "Lower limit of its interval.", _UNIT),
        "predicted_high": Column("float", "Upper limit of its interval.", _UNIT),
        "prediction_low": Column("float", "Lower limit of where the estimate should be.", _UNIT),
        "prediction_high": Column("float", "Upper limit of the same.", _UNIT),
        **common("estimate?", "ci_low?", "ci_high?", "n"),
        "verdict": text(f"One of {', '.join(get_args(Verdict))}."),
        "sentence": text("The verdict with its numbers."),
    },
    key=("contrast", "outcome"),
    paths=("confirmation.parquet",),
)
_NOTE = (
    "The prediction interval is where a second run should come out if its effect is the same: its "
    "half width is the root of the summed squares of the half widths of both runs' intervals, "
    "whatever their sizes are (Patil, Peng and Leek 2016, Perspectives on Psychological Science "
    "11(4)). The plan gives it for the draws that it has, as far as errors go with the root of "
    "these. It ends where nothing larger is possible, such as at -1 and 1 for a "
    "difference of shares. It has no room for models that differ."
)


#: How a sentence begins where both runs asked the same.
THE_SAME = "NOT another model: this run repeats the registered one. "


#: The least and the most that an estimate of a row can be; None where nothing bounds it.
Possible = Callable[[Row], tuple[float, float] | None]


def predictions(path: Path, possible: Possible, ratio: float = 1.0) -> list[dict[str, Any]]:
    """What the headline of a run predicts of another run of the same design.

    Parameters
    ----------
    path : of the artefact that the study's ``headline_rows`` names.
    possible : of the study; a prediction interval ends there.
    ratio : draws of that run to draws of the other: its squared error is expected to be as many
        times as large.

    Returns
    -------
    Of each row of the headline its contrast, outcome, estimate and limits, and the limits of the
    prediction interval, at the level of the interval.

    Raises
    ------
    ResourceError : the run is not finished, or its headline has no interval.
    """
    if not path.is_file():
        run = path.parent.parent.name
        raise ResourceError(f"confirms: {path} is not there; run {run} to its end first.")
    rows = [row for row in read(path).to_pylist() if row["headline"] and _has_interval(row)]
    if not rows:
        raise ResourceError(
            f"confirms: {path} has no headline with an interval, and so nothing to confirm; name "
            "another run."
        )
    return [_predicted(row, possible(row), ratio) for row in rows]


def _has_interval(row: Row) -> bool:
    limits = [row[name] for name in ("estimate", "ci_low", "ci_high")]
    return all(limit is not None and isfinite(limit) for limit in limits)


def _predicted(row: Row, possible: tuple[float, float] | None, ratio: float) -> dict[str, Any]:
    estimate, low, high = row["estimate"], row["ci_low"], row["ci_high"]
    # Both estimates vary.
    more = sqrt(1 + ratio)
    wide = estimate - more * (estimate - low), estimate + more * (high - estimate)
    return {
        "contrast": row["contrast"],
        "outcome": row["outcome"],
        "predicted": estimate,
        "predicted_n": row.get("n"),
        "predicted_low": low,
        "predicted_high": high,
        **_limited(wide, possible),
        "possible": possible and [*possible],
    }


def _limited(limits: tuple[float, float], possible: Sequence[float] | None) -> dict[str, float]:
    # Imported here: it loads SciPy, and the plan is imported wherever Snakemake reads its rules.
    from dissensus.stats.results import cut

    low, high = cut(limits, (possible[0], possible[1]) if possible else None)
    return {"prediction_low": low, "prediction_high": high}


def registered_prediction(
    confirms: ConfirmSettings, study: Study[Any], draws: int = 0
) -> dict[str, Any]:
    """What the plan of a run holds that is to confirm another one, as plain data.

    Parameters
    ----------
    draws : of this run; 0 for as many as the other had.

    Raises
    ------
    ResourceError : that run is not registered, not finished, or without a headline.
    """
    folder = Path("results") / confirms.run / study.name
    if not study.headline_rows:
        raise ResourceError(
            f"confirms: the {study.name} study marks none of its estimates as its headline, and so "
            "has nothing to confirm; leave it out of studies."
        )
    if not (folder / DATA).is_file():
        raise ResourceError(
            f"confirms.run: {folder} has no plan; name a run that was registered before its first "
            "session."
        )
    plan = read_plan(folder)
    condition = plan.get("eligible") or {}
    sizes = [int(plan["draws"]), draws or int(plan["draws"])]
    ratio = sizes[0] / max(sizes[1], 1)
    return {
        "run": confirms.run,
        "plan_sha256": file_digest(folder / DATA),
        "condition": condition,
        "declared": confirms.model_dump(exclude={"run"}),
        "models": asked_by(plan),
        "draws": sizes,
        "rows": predictions(folder / f"{study.headline_rows}.parquet", study.possible, ratio),
    }


#: What the plan says of the limits that it gives.
_OTHER_SIZE = (
    "A run of another size is judged by the errors of both: its half width is the root of the "
    "summed squares of the half widths of both runs' intervals, which are known once it is done."
)


def _sizes(prediction: Mapping[str, Any]) -> str:
    first, second = prediction.get("draws", (1, 1))
    if first == second:
        return (
            "These limits are for a run with as large an error, sqrt(2) times as wide as the "
            "registered interval."
        )
    return (
        f"These limits are for the {second:,} draws of this run, where run {prediction['run']} had "
        f"{first:,}: {sqrt(1 + first / second):.3g} times as wide as the registered interval."
    )


def prediction_words(prediction: Mapping[str, Any]) -> list[str]:
    """The prediction as sentences of a plan."""
    rows = [
        f"{row['outcome']}, {row['contrast']}: {signed(row['predicted'])} "
        f"{interval(row['predicted_low'], row['predicted_high'])} in run {prediction['run']}; this "
        f"run's estimate should be in {interval(row['prediction_low'], row['prediction_high'])}."
        for row in prediction["rows"]
    ]
    return [*rows, f"{_sizes(prediction)} {_OTHER_SIZE}", *eligibility(prediction)]


def eligibility(prediction: Mapping[str, Any], is_same: bool = False) -> Iterator[str]:
    """The condition, what is declared of the model, and whether that meets it.

    Parameters
    ----------
    is_same : whether this run asks no model that the registered one did not.
    """
    condition = EligibleSettings.model_validate(prediction["condition"])
    declared = ConfirmSettings.model_validate({"run": prediction["run"], **prediction["declared"]})
    first = "" if declared.first_of_family else "not "
    yield f"Which models may confirm it, by the plan of run {prediction['run']}: {condition.words}"
    yield (
        f"Declared of this one, and not checked: {declared.model}; released {declared.released}; "
        f"{first}the first of its family."
    )
    unmet = [*declared.unmet(condition), *["it is the model of the registered run"] * is_same]
    yield f"Not eligible: {'; '.join(unmet)}." if unmet else "Eligible by what is declared."


def confirmed(
    prediction: Mapping[str, Any], estimates: Sequence[Row], is_same: bool = False
) -> list[dict[str, Any]]:
    """Rows of :data:`CONFIRMATION`: each prediction beside what a run found.

    Parameters
    ----------
    prediction : from :func:`registered_prediction`.
    estimates : rows of the run's own artefact with the headline.
    is_same : whether the run asks no other model than the registered one did; each sentence says
        it.
    """
    headline = {(row["contrast"], row["outcome"]): row for row in estimates if row["headline"]}
    none = {"estimate": None, "ci_low": None, "ci_high": None, "n": 0}
    made = []
    for row in prediction["rows"]:
        estimate = headline.get((row["contrast"], row["outcome"]), none)
        row = _between_both(row, estimate)
        verdict = verdict_of(row, estimate)
        numbers = {name: estimate[name] for name in none}
        sentence = f"{row['outcome']}, {row['contrast']}: {verdict}: {_SENTENCES[verdict]}"
        if _has_interval(estimate):
            sentence += (
                f" (predicted {signed(row['predicted'])}, within "
                f"{interval(row['prediction_low'], row['prediction_high'])}; found "
                f"{signed(numbers['estimate'])} {interval(numbers['ci_low'], numbers['ci_high'])})"
            )
        row.pop("possible", None)
        sentence = f"{THE_SAME * is_same}{sentence}."
        made.append(
            {"predicted_n": None, **row, **numbers, "verdict": verdict, "sentence": sentence}
        )
    return made


def _between_both(row: Row, estimate: Row) -> dict[str, Any]:
    """A prediction with the limits that both runs' errors give, whatever their sizes are."""
    if not _has_interval(estimate):
        return dict(row)
    below = hypot(
        row["predicted"] - row["predicted_low"], estimate["ci_high"] - estimate["estimate"]
    )
    above = hypot(
        row["predicted_high"] - row["predicted"], estimate["estimate"] - estimate["ci_low"]
    )
    limits = _limited((row["predicted"] - below, row["predicted"] + above), row.get("possible"))
    return {**row, **limits}


def verdict_of(predicted: Row, estimate: Row) -> Verdict:
    """What a run's estimate says of a prediction."""
    if predicted["predicted_low"] <= 0 <= predicted["predicted_high"]:
        return "nothing predicted"
    if not _has_interval(estimate):
        return "no estimate"
    is_within = predicted["prediction_low"] <= estimate["estimate"] <= predicted["prediction_high"]
    if estimate["ci_low"] <= 0 <= estimate["ci_high"]:
        return "undecided" if is_within else "not confirmed"
    if (estimate["estimate"] > 0) != (predicted["predicted"] > 0):
        return "the other way"
    return "confirmed" if is_within else "another size"


def is_same(models: Models | None) -> bool:
    """Whether both runs are known to have asked the same models."""
    return bool(models and models.are_the_same)


def confirmation_page(
    study: str,
    prediction: Mapping[str, Any],
    rows: Sequence[Row],
    differences: Sequence[Deviation],
    simulated: bool,
    models: Models | None = None,
) -> str:
    """The page, in Markdown.

    Parameters
    ----------
    study : its name.
    prediction : as it was registered.
    rows : of :data:`CONFIRMATION`.
    differences : what the run's design differs in from the registered one, besides its model.
    simulated : whether the run's models are.
    models : what was asked in both runs.
    """
    # Imported here: they load pandas, and the plan is imported wherever Snakemake reads its rules.
    from dissensus.report.frames import Column as Shown
    from dissensus.report.markdown import bullets, page, table

    columns = [
        Shown("Outcome", "outcome"),
        Shown("Contrast", "contrast"),
        Shown("Predicted", "predicted", number),
        *(Shown(name, key, number) for name, key in (("from", "prediction_low"),
                                                     ("to", "prediction_high"))),
        Shown("Found", "estimate", number),
        *(Shown(name, key, number) for name, key in (("Low", "ci_low"), ("High", "ci_high"))),
        Shown("n then", "predicted_n"),
        Shown("n now", "n"),
        Shown("Verdict", "verdict"),
    ]  # fmt: skip
    same = "The design is the registered one in all but its model."
    parts = [
        bullets([row["sentence"] for row in rows]),
        table("Predicted, and found", columns, rows, _NOTE),
        "## The model",
        bullets([*(models.sentences if models else ()), *eligibility(prediction, is_same(models))]),
        "## The design",
        bullets(
            [
                f"Registered as run {prediction['run']}, SHA-256 of its plan "
                f"{prediction['plan_sha256']}.",
                *([each.sentence for each in differences] or [same]),
            ]
        ),
    ]
    return page(f"Confirmation: the {study} study", parts, simulated)
