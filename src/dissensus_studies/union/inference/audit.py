"""Whether the judges judge: their biases by judge, and how far judges and layers agree.

Every blind seat votes twice on a debate, with the sides in exchanged slots. Every labelled seat
votes twice on the same texts in the same order, with the labels true and exchanged. So a pair of
votes for one slot (one label) follows the slot (the label) and not the speeches.

Where neither slot is favoured, a seat that is unsure follows slot A and slot B equally often,
however close the debate, as long as it votes afresh each time. So the slot-following pairs split
evenly, pair by pair, and an exact sign test is right although pairs of a debate are alike. A
judge's opinion on the motion itself cannot be told from better speeches: the position argued is not
masked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import Row, defined
from dissensus.design.manifest import stream
from dissensus.stats.agreement import bootstrap_agreement, nominal_alpha
from dissensus.stats.balance import clopper_pearson
from dissensus.stats.checks import FloatArray
from dissensus.stats.logistic import Grouped, logistic
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import NAN, Estimate
from dissensus.stats.shares import Split
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, flag, number, share, text

from ..tables import ALL, CONTESTED, LAYERS, SIDES

POSITION, VERBOSITY, SIDE, AGREEMENT = "position", "verbosity", "side", "agreement"

#: The biases that a judge is tested for.
BIASES = (POSITION, VERBOSITY, SIDE)

#: Bias -> what a judge may favour: above the null, below it.
_FAVOURS = {
    POSITION: ("slot A", "slot B"),
    VERBOSITY: ("longer speeches", "shorter speeches"),
    SIDE: ("proposition", "opposition"),
}
_STATISTICS = {POSITION: "share_a", VERBOSITY: "log_odds", SIDE: "share_proposition"}
_NULLS = {POSITION: 0.5, VERBOSITY: 0.0, SIDE: 0.5}
_WORDS = 100.0

JUDGES = Schema(
    name="judges",
    row="judge, all judges or layer of judging, and statistic",
    columns={
        "level": text("What the row is about: a judge, all judges together, or two layers."),
        "judge": text("Name of the judge's model; all; or a layer of judging."),
        "compared": text("Layer that the layer is compared with; empty where there is none."),
        "bias": text("position, verbosity or side; agreement where no bias is tested."),
        "statistic": text(
            "share_a: of pairs that follow the slot, those for slot A. log_odds: of a vote for "
            "slot A, for each 100 words that it is longer. share_proposition: of pairs that follow "
            "the label, those for the proposition. krippendorff_alpha; cohen_kappa."
        ),
        **common("estimate?", "ci_low?", "ci_high?", "p_value?", "p_adjusted?"),
        "named": flag(
            "Whether the adjusted p-value is below the level: a bias; of verbosity an association, "
            "since lengths are not randomised."
        ),
        "favours": text("What a named judge favours, or its votes go with; empty for all others."),
        "followed": share("Share of the pairs of votes that follow the slot, or the label."),
        "followed_low": number("Lower exact limit of that share.", "share, 0 to 1"),
        "followed_high": number("Upper exact limit of that share.", "share, 0 to 1"),
        "pairs": count("Pairs of readable votes of a seat on a debate; 0 where none are formed."),
        **common("n", "n_clusters"),
        "note": text("What the numbers rest on, or why they are missing."),
    },
    key=("level", "judge", "compared", "statistic"),
)


@makes(judges=JUDGES)
def audit_judges(
    votes: pd.DataFrame, verdicts: pd.DataFrame, inference: Mapping[str, Any], seed: int
) -> list[Row]:
    """Every judge's biases, and how far judges and layers agree.

    Parameters
    ----------
    votes : columns of ``votes.parquet``.
    verdicts : columns of ``verdicts.parquet``; the tally's points, and what each layer says.
    inference : settings ``confidence`` and ``resamples``.
    seed : of the bootstrap.

    Returns
    -------
    Rows of :data:`JUDGES`.

    Notes
    -----
    Position and side: of the pairs of votes, the share that follows the slot (the label) with the
    interval of Clopper and Pearson; of these, the share for slot A (the proposition) with the mid-p
    interval and McNemar's mid-p test. The exact test's size would be 3% where it should be 5.

    Verbosity: logistic regression of a vote for slot A on the words by which slot A is longer, with
    the debate as the cluster. The two passes exchange slots, so that the intercept takes the
    position bias, and the side that is in slot A takes what judges see in a side: the speeches of
    one may be longer in most debates, and the better ones, or of the opinion that judges share. But
    longer speeches may be better ones: the regression is adjusted for the points by which the tally
    puts slot A ahead. Lengths are not randomised, and the tally measures quality with error, so
    that a rest of the confounding stays; and points rise with length, so that the adjustment can
    take too much. See :mod:`dissensus.stats.logistic` for test and interval.

    P-values are adjusted by Holm over judges and biases; those of all judges together, over biases.
    A judge is named where the adjusted one is below 1 - confidence.

    Agreement: alpha of the blind votes by debate, of all seats and passes and of each judge with
    itself; kappa of the three-valued verdicts of two layers over the debates that both decide.
    Intervals resample debates.
    """
    confidence, resamples = inference["confidence"], inference["resamples"]
    rows = []
    for level, judge, cast in _judges(votes):
        family = [
            _pair_row(cast, POSITION, confidence),
            _verbosity_row(cast, verdicts, confidence),
            _pair_row(cast, SIDE, confidence),
        ]
        agreement = _alpha_row(cast, level, resamples, _seed(seed, level, judge), confidence)
        rows += [{"level": level, "judge": judge} | row for row in (*family, agreement)]
    for level in ("judge", ALL):
        name_biased([row for row in rows if row["level"] == level], confidence)
    return rows + _layer_rows(verdicts, resamples, seed, confidence)


def name_biased(rows: Sequence[Row], confidence: float) -> None:
    """Adjust the p-values of one family, and name whoever is biased."""
    tested = [row for row in rows if row["bias"] in BIASES]
    raw = [NAN if row["p_value"] is None else row["p_value"] for row in tested]
    for row, adjusted in zip(tested, adjust(raw, "holm"), strict=True):
        named = bool(adjusted < 1.0 - confidence)
        above = named and row["estimate"] > _NULLS[row["bias"]]
        row["p_adjusted"] = defined(float(adjusted))
        row["named"] = named
        row["favours"] = _FAVOURS[row["bias"]][0 if above else 1] if named else ""


def grouped_votes(
    longer: FloatArray, ahead: FloatArray | None, for_a: FloatArray, trials: FloatArray
) -> Grouped:
    """Votes by debate and pass, as the regression on length takes them.

    Parameters
    ----------
    longer : shape (n, 2); words by which slot A is longer, by debate and pass. In the first pass
        slot A is the proposition's.
    ahead : the same of the tally's points; None for no adjustment.
    for_a, trials : votes for slot A, and readable votes.
    """
    # A judge may see more in a side than the tally does, such as in the motion itself; and the
    # speeches of one side may be the longer ones.
    sides = np.tile([1.0, -1.0], len(longer))
    others = [np.ones(longer.size), sides]
    if ahead is not None and (spread := float(ahead[trials > 0].std())) > 0.0:
        others.append(ahead.ravel() / spread)
    debates = np.repeat(np.arange(len(longer)), 2)
    used = trials.ravel() > 0
    return Grouped.of(
        longer.ravel()[used] / _WORDS,
        np.column_stack(others)[used],
        for_a.ravel()[used],
        trials.ravel()[used],
        debates[used],
    )


def _judges(votes: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Level, name and votes of each judge, and of all together."""
    groups = [
        ("judge", str(name), votes[votes["judge"] == name]) for name in sorted(set(votes["judge"]))
    ]
    return [*groups, (ALL, ALL, votes)]


def _row(bias: str, statistic: str, estimated: Estimate, note: str, **more: Any) -> Row:
    """A row of :data:`JUDGES` but for who it is about."""
    numbers = {
        name: defined(getattr(estimated, name)) if np.isfinite(getattr(estimated, name)) else None
        for name in ("estimate", "ci_low", "ci_high", "p_value")
    }
    followed = {"followed": None, "followed_low": None, "followed_high": None, "pairs": 0}
    return {
        "compared": "",
        "bias": bias,
        "statistic": statistic,
        **numbers,
        "p_adjusted": None,
        "named": False,
        "favours": "",
        **followed,
        "n": estimated.n,
        "n_clusters": estimated.n_clusters,
        "note": note,
        **more,
    }


def _pair_row(votes: pd.DataFrame, bias: str, confidence: float) -> Row:
    """Position from the blind panel's slots, side prior from the labelled panel's labels."""
    position = bias == POSITION
    panel, column, first = ("blind", "slot", "A") if position else ("labelled", "label", SIDES[0])
    of_panel = votes[votes["panel"] == panel]
    pairs = _pairs(of_panel, column)
    split = Split.of(*((pairs[number] == first).to_numpy(dtype=bool) for number in (1, 2)))
    more: Row = {"pairs": split.pairs}
    if split.pairs:
        low, high = clopper_pearson(split.same, split.pairs, confidence)
        more |= {"followed": split.same / split.pairs, "followed_low": low, "followed_high": high}
    more["n_clusters"] = int(pairs["session_id"].nunique())
    note = "" if split.same else f"No pair of votes follows the {column}."
    if not split.pairs:
        note = (
            "No seat has two readable votes on a debate." if len(of_panel) else f"No {panel} panel."
        )
    return _row(bias, _STATISTICS[bias], split.estimate(confidence), note, **more)


def _pairs(votes: pd.DataFrame, column: str) -> pd.DataFrame:
    """Pairs of readable votes of a seat on a debate, with the two passes as columns 1 and 2."""
    readable = votes[(votes[column] != "") & votes[column].notna()]
    index = ["session_id", "seat", "judge"]
    wide = readable.pivot(index=index, columns="pass", values=column)
    return wide.reindex(columns=[1, 2]).dropna().reset_index()


def _verbosity_row(votes: pd.DataFrame, verdicts: pd.DataFrame, confidence: float) -> Row:
    statistic = _STATISTICS[VERBOSITY]
    data, note = _lengths(votes, verdicts)
    if data is None:
        return _row(VERBOSITY, statistic, Estimate(NAN), note)
    fit = logistic(data, confidence)
    if np.isnan(fit.estimate):
        note = "Too few debates, or no vote that differs from the others."
    elif np.isinf(fit.ci_low) or np.isinf(fit.ci_high):
        note += " A missing limit is infinite: too few votes go against it."
    return _row(VERBOSITY, statistic, fit, note)


def _lengths(votes: pd.DataFrame, verdicts: pd.DataFrame) -> tuple[Grouped | None, str]:
    """What the regression takes, and a note on it; nothing where it cannot be fitted."""
    readable = votes["slot"].isin(("A", "B")) & votes["words_more"].notna()
    blind = votes[(votes["panel"] == "blind") & readable]
    if blind.empty:
        return None, "No readable vote of a blind panel."
    lead = verdicts.set_index("session_id")
    points = (lead["points_proposition"] - lead["points_opposition"]).astype(float)
    ahead = blind["session_id"].map(points) * np.where(blind["pass"] == 1, 1.0, -1.0)
    adjusted = bool(ahead.notna().any())
    blind = blind.assign(ahead=ahead if adjusted else 0.0, for_a=blind["slot"] == "A")
    blind = blind[blind["ahead"].notna()]
    cells = blind.groupby(["session_id", "pass"]).agg(
        longer=("words_more", "first"),
        ahead=("ahead", "first"),
        for_a=("for_a", "sum"),
        trials=("for_a", "size"),
    )
    if not cells["longer"].any():
        return None, "All speeches are equally long."
    wide = cells.reset_index().pivot(index="session_id", columns="pass")
    names = ["longer", "ahead", "for_a", "trials"]
    filled = wide.reindex(columns=pd.MultiIndex.from_product([names, [1, 2]])).fillna(0.0)
    shaped = filled.to_numpy(dtype=float).reshape(-1, 4, 2).transpose(1, 0, 2)
    note = "Adjusted for the tally's points."
    return grouped_votes(*shaped), note if adjusted else "Not adjusted: no debate has a tally."


def _alpha_row(
    votes: pd.DataFrame, level: str, resamples: int, seed: int, confidence: float
) -> Row:
    blind = votes[(votes["panel"] == "blind") & votes["side"].isin(SIDES)]
    counts = pd.crosstab(blind["session_id"], blind["side"]).reindex(
        columns=list(SIDES), fill_value=0
    )
    alpha = nominal_alpha(counts.to_numpy(dtype=float), resamples, seed, confidence)
    note = "All seats and passes." if level == ALL else "Its seats and passes with each other."
    if np.isnan(alpha.value):
        note = "All votes are for one side." if alpha.n else "No debate has two readable votes."
    limits = alpha.ci_low, alpha.ci_high
    return _agreement_row(alpha.statistic, alpha.value, limits, alpha.n, note)


def _agreement_row(
    statistic: str, value: float, limits: tuple[float, float], n: int, note: str
) -> Row:
    low, high = limits
    # No spread among so few debates is no certainty.
    if not high - low > 1e-12:
        low, high = NAN, NAN
        note += " No interval: resampled debates do not differ." if not np.isnan(value) else ""
    return _row(AGREEMENT, statistic, Estimate(value, NAN, low, high, NAN, n, n), note)


def _layer_rows(verdicts: pd.DataFrame, resamples: int, seed: int, confidence: float) -> list[Row]:
    """Kappa of every two layers."""
    possible = (*SIDES, CONTESTED)
    rows = []
    for layer, other in combinations(LAYERS, 2):
        both = verdicts[verdicts[layer].isin(possible) & verdicts[other].isin(possible)]
        first, second = (
            both[name].map(possible.index).to_numpy(np.int64) for name in (layer, other)
        )
        value, limits, note = NAN, (NAN, NAN), "No debate that both layers decide."
        if len(both):
            layers_seed, categories = _seed(seed, layer, other), range(len(possible))
            agreement = bootstrap_agreement(
                first, second, categories, resamples, layers_seed, confidence
            )
            drawn = agreement["cohen_kappa"]
            value, limits = drawn.value, (drawn.ci_low, drawn.ci_high)
            note = "Both layers give one verdict throughout." if np.isnan(value) else ""
        row = _agreement_row("cohen_kappa", value, limits, len(both), note)
        rows.append({"level": "layers", "judge": layer, **row, "compared": other})
    return rows


def _seed(*key: Any) -> int:
    return int(stream("union", "judges", *key).integers(2**31))
