"""The tables of the judges: their biases, and the agreement of judges and layers."""

from __future__ import annotations

from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import Record, records
from dissensus.report.labels import MISSING, interval, number, p_value, percent
from dissensus.report.tables import Table, make
from dissensus.report.view import View
from dissensus.union.figures.frames import ALL, BIASES, LAYERS, UNBIASED, footnotes

_STATISTICS = {
    "share_a": "share for slot A",
    "log_odds": "log odds per 100 words",
    "share_proposition": "share for “proposition”",
    "krippendorff_alpha": "Krippendorff’s alpha",
    "cohen_kappa": "Cohen’s kappa",
}


def table_judges(artefacts: Artefacts, view: View) -> Table:
    """Every judge's biases."""
    judges = artefacts.frame("judges")
    biased = records(judges[judges["bias"].isin(list(BIASES))])
    for row in biased:
        row["note"] = " ".join(filter(None, (row["note"], _by_itself(row, view.confidence))))
    marks, notes = footnotes(row["note"] for row in biased)
    rows = [
        (
            _judge(row["judge"]),
            BIASES[row["bias"]],
            _STATISTICS[row["statistic"]],
            number(row["estimate"]),
            interval(row["ci_low"], row["ci_high"]),
            p_value(row["p_value"]),
            p_value(row["p_adjusted"]),
            row["favours"] or MISSING,
            percent(row["followed"]),
            _percents(row["followed_low"], row["followed_high"]),
            str(row["pairs"]) if row["pairs"] else MISSING,
            str(row["n"]),
            marks[row["note"]],
        )
        for row in biased
    ]
    columns = (
        *("Judge", "Bias", "Statistic", "Estimate", f"{view.level} CI", "p", "p (Holm)"),
        *("Named: favours", "Follows", "CI (follows)", "Pairs", "N", "Note"),
    )
    note = (
        "Follows: share of the pairs of votes that follow the slot (position) or the label (side), "
        "with the exact binomial interval. Of these pairs (N), the share for slot A or for the "
        "label “proposition”, with a mid-p interval and McNemar’s mid-p test; an unbiased judge "
        "has .5. Length: logistic regression of votes for slot A on the difference in words, "
        "adjusted for the difference in the tally, clustered by debate; an unbiased judge has 0, "
        "and quality that the tally does not see still confounds it. N of Length: debates, once "
        "for each pass. Holm: over judges and biases; a judge is named where the adjusted p is "
        f"below {1.0 - view.confidence:.2g}.{notes}"
    )
    return make("table_judges", "The judges’ biases", columns, rows, note, view.simulated)


def _by_itself(row: Record, confidence: float) -> str:
    """A word on an interval that leaves out the value of an unbiased judge who is not named."""
    unbiased = UNBIASED[row["bias"]]
    if row["favours"] or row["ci_low"] <= unbiased <= row["ci_high"]:
        return ""
    if not row["p_adjusted"] >= 1.0 - confidence:
        return ""
    return (
        f"By itself the interval leaves out {unbiased:g}; among all judges and biases (Holm) that "
        "may be chance, so that the judge is not named."
    )


def table_layers(artefacts: Artefacts, view: View) -> Table:
    """Agreement of judges with each other and themselves, and of every two layers."""
    judges = artefacts.frame("judges")
    rows, agreeing = [], records(judges[judges["bias"] == "agreement"])
    marks, notes = footnotes(row["note"] for row in agreeing)
    for row in agreeing:
        layers = row["level"] == "layers"
        rows.append(
            (
                LAYERS[row["judge"]] if layers else _judge(row["judge"]),
                LAYERS[row["compared"]] if layers else MISSING,
                _STATISTICS[row["statistic"]],
                number(row["estimate"]),
                interval(row["ci_low"], row["ci_high"]),
                str(row["n"]),
                marks[row["note"]],
            )
        )
    columns = (
        *("Judge or layer", "With", "Statistic", "Estimate", f"{view.level} CI", "Debates", "Note"),
    )
    note = (
        "Alpha: of the blind votes, by debate, over all seats and passes, or of one judge’s own. "
        "Kappa: of the verdicts (a side, or contested) of two layers, over the debates that both "
        "decide. Intervals resample debates. 0 is agreement by chance, 1 is full agreement."
        f"{notes}"
    )
    return make("table_layers", "Agreement", columns, rows, note, view.simulated)


def _judge(name: str) -> str:
    return "all judges" if name == ALL else name


def _percents(low: float, high: float) -> str:
    return interval(100 * low, 100 * high, 1)
