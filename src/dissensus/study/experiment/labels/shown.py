"""Tables of people's labels beside what the judge says."""

from __future__ import annotations

from dissensus.design.weights import BOTH, JUDGE, PEOPLE
from dissensus.report.arms import versus
from dissensus.report.frames import Column, limits, records, tabulate
from dissensus.report.labels import number, p_value, signed
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, View

_METHODS = {
    JUDGE: "judge alone",
    PEOPLE: "people alone",
    BOTH: "people and judge (prediction-powered)",
}
_COEFFICIENTS = {
    "percent_agreement": "share that agrees",
    "cohen_kappa": "Cohen's kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
}


def estimates(artefacts: Artefacts, view: View) -> Table:
    """Contrasts and means by the judge, by people, and by both."""
    columns = (
        Column("Arm or contrast", ("arm", "reference"), versus),
        Column("By", "method", lambda name: _METHODS[name]),
        Column("Estimate", ("estimate", "reference"), lambda x, of: (signed if of else number)(x)),
        limits(view),
        Column("p", "p_value", p_value),
        Column("n", "n"),
        Column("Labels", "labelled"),
        Column("Clusters", "n_clusters"),
        Column("Weight of the judge", "power", number),
    )
    note = (
        f"{view['outcomes'][view['labelled']]}. The judge alone has all draws and its own bias; "
        "people alone have the sessions that they labelled. Prediction-powered: what the judge "
        "says of all sessions, with its mean error among those that people labelled taken off "
        "(Angelopoulos and others 2023), the judge weighted so that the interval is narrowest "
        "(PPI++). Standard errors are clustered, with Student's t by the clusters that have "
        "labels. It holds where the sessions were drawn at random, as dissensus sample draws them, "
        "and people are right. n: draws, of the judge alone; sessions, of the others."
    )
    rows = records(artefacts.frame("labelled_contrasts"))
    return tabulate("table_labels", "Estimates with people's labels", columns, rows, note, view)


def agreement(artefacts: Artefacts, view: View) -> Table:
    """How far the judge agrees with people."""
    columns = (
        Column("Agreement", "statistic", lambda name: _COEFFICIENTS[name]),
        Column("Estimate", "estimate", number),
        limits(view),
        Column("n", "n"),
    )
    note = (
        "What a judge says of turns or sessions that people labelled too. On a scale of numbers "
        "kappa has squared weights and alpha is that of interval data. Intervals: of the "
        f"share Student's over clusters ({view['cluster']}) on the logit scale, of the others "
        "percentiles of resampled clusters."
    )
    rows = records(artefacts.frame("judge_agreement"))
    return tabulate("table_agreement", "The judge beside people", columns, rows, note, view)
