"""What a run found, in sentences, with what the same run found against it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.design.weights import BOTH, JUDGE
from dissensus.report.facts import Facts, fact_rows, told
from dissensus.report.floor import Floor
from dissensus.report.labels import (
    MISSING,
    counted,
    interval,
    limits,
    listed,
    number,
    p_clause,
    percent,
    signed,
)
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import text

#: Sessions that a sentence names.
_NAMED = 5
#: Share of turns that could not be read from which a run says so.
_UNREAD = 0.1
_NOT_READ = "compliant == False"
_KINDS = (
    *("unidentified", "headline", "stopped", "floor", "against", "planted", "lost"),
    *("card", "but", "bar"),
)
#: Why an estimate has no interval: in general, and where all draws are of one cluster.
_TOO_FEW = "draws do not differ or are too few"
_ONE_CLUSTER = "all draws are of one cluster"
#: Why a contrast has no estimate.
_IN_NO_DRAW = "no draw has the outcome in both arms"

FINDINGS = Schema(
    name="findings",
    row="sentence",
    columns={
        "place": Column("int", "Place of the sentence, from 1."),
        "kind": text(
            "unidentified: why no effect can be told, said first; headline: what was found; "
            "stopped: when a study that may stop did, and what that saved; "
            "floor: what the reference arm differs by from itself, run again; "
            "against: what speaks against it; planted: what the "
            "simulated models have in them; lost: the sessions that failed for good; card: the "
            "finding of the study's card; but: what is said against it there; bar: a row of the "
            "card's picture."
        ),
        "sentence": text("The sentence, its numbers from this run's artefacts."),
    },
    key=("place",),
)


@dataclass(frozen=True)
class Bar:
    """A row of a card's picture: an estimate with its interval.

    Attributes
    ----------
    label : what is estimated.
    row : with ``estimate``, ``ci_low`` and ``ci_high``.
    times : what these are multiplied by, 100 for per cent.
    digits : decimals.
    is_null : whether nothing can be there, as of an arm that is the reference once more: what it
        comes to is the noise floor.
    is_mean : whether it is no difference, and has no sign.
    """

    label: str
    row: Mapping[str, Any]
    times: float = 1.0
    digits: int = 2
    is_null: bool = False
    is_mean: bool = False

    @property
    def values(self) -> tuple[float, float, float]:
        """Estimate and limits, as they are drawn."""
        estimate, low, high = (self.row[name] for name in ("estimate", "ci_low", "ci_high"))
        return estimate * self.times, low * self.times, high * self.times

    @property
    def printed(self) -> str:
        """Such as "+0.80 [0.51, 1.09]", or that there are too few draws for an interval."""
        estimate, low, high = self.values
        written = (
            number(estimate, self.digits, "−") if self.is_mean else signed(estimate, self.digits)
        )
        limits_shown = interval(low, high, self.digits, "−")
        none = f" (no interval: {no_limits(self.row)})"
        return f"{written}{none if limits_shown == MISSING else f' {limits_shown}'}"


@dataclass(frozen=True)
class Card:
    """A study in one sentence, one picture and one objection.

    Attributes
    ----------
    finding : at most 30 words, with an estimate, its interval and n.
    but : begins with "But": the strongest of what the same run says against it. Of what applies,
        the first of this order: it may be of the other sign, it may be the instrument's or the
        judges', arms lost different shares, smaller effects could not be found.
    bars : the picture, which shows exactly that.
    axis : what the picture's values are.
    floor : the noise floor, where the reference arm is run again.
    stopped : when the study stopped and what that saved, where it may.
    """

    finding: str
    but: str
    bars: Sequence[Bar]
    axis: str
    floor: str = ""
    stopped: str = ""


@dataclass(frozen=True)
class Findings:
    """What a study found, in sentences; each number comes from an artefact.

    Attributes
    ----------
    headlines : estimates with their intervals, the most important first; three at most are shown
        where a run ends.
    against : what the same run found against them: a scale at a bound, attrition, a
        specification curve of the other sign, power.
    planted : what the simulated models have in them; "" for real ones.
    unidentified : why the headlines cannot be told from something else; said before them, which
        then stand in no bold and with no p-value. "" where they can.
    card : the study on the front page; None: made of the first headline.
    """

    headlines: Sequence[str]
    against: Sequence[str] = ()
    planted: str = ""
    unidentified: str = ""
    card: Card | None = None

    @property
    def shown(self) -> Card:
        """The card; without one of its own, what is said first and the first objection."""
        sentences = [self.unidentified, *self.headlines]
        first = next(filter(None, sentences), "This study states no headline.")
        return self.card or Card(first, but(self.against), (), "")


def but(against: Sequence[str]) -> str:
    """The first objection as a sentence that begins with "But"; "" where there is none."""
    if not against:
        return ""
    first = against[0]
    if first.startswith("But "):
        return first
    return f"But {first if first[:2].isupper() else first[:1].lower() + first[1:]}"


def rows(findings: Findings, lost: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of :data:`FINDINGS`, and of :data:`~dissensus.report.facts.FACTS` for their numbers.

    Parameters
    ----------
    lost : from :func:`losses`.
    """
    kinds = (
        [findings.unidentified],
        findings.headlines,
        [findings.shown.stopped],
        [findings.shown.floor],
        findings.against,
        [findings.planted],
        [lost],
        [findings.shown.finding],
        [findings.shown.but],
        [f"{bar.label}: {bar.printed}" for bar in findings.shown.bars],
    )
    stated = [
        (kind, line)
        for kind, sentences in zip(_KINDS, kinds, strict=True)
        for line in sentences
        if line
    ]
    findings_rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    for place, (kind, sentence) in enumerate(stated, start=1):
        plain, numbers = told(sentence)
        findings_rows.append({"place": place, "kind": kind, "sentence": plain})
        facts += fact_rows(f"finding:{place}", numbers)
    return findings_rows, facts


def losses(outcomes: Facts) -> str:
    """How many sessions failed for good, which, and why; "" where none did.

    Parameters
    ----------
    outcomes : with session_id, complete and failure.
    """
    lost = outcomes.rows(complete=False)
    if not lost:
        return ""
    named = [f"{row['session_id']} ({row.words('failure')})" for row in lost[:_NAMED]]
    number = outcomes.over("count", "session_id", complete=False)
    more = ["others"] if len(lost) > len(named) else []
    share = f"{number:,} of {counted(outcomes.over('count', 'session_id'), 'session')}"
    return f"Lost for good: {share}, {listed([*named, *more])}."


def unread(turns: Facts) -> list[str]:
    """A sentence on the roles in which a tenth of the turns or more could not be read.

    By role, since those that cannot go wrong, or speak much, would hide one that does.

    Parameters
    ----------
    turns : with role, and compliant: whether a turn keeps the rules of its format.
    """
    shares = []
    for role in dict.fromkeys(turns.frame["role"]):
        number, of = (turns.over(name, _NOT_READ, role=role) for name in ("sum", "count"))
        if number and number >= _UNREAD * of:
            share = percent(turns.over("mean", _NOT_READ, role=role), 0)
            whose = f" of {role}" if role else ""
            shares.append(f"{number:,} of {counted(of, 'turn')}{whose} ({share})")
    if not shares:
        return []
    return [
        f"{listed(shares)} could not be read: they break a rule of their format after the last "
        "repair. `dissensus replies <run>` counts them."
    ]


def undefined(
    metrics: Facts, titles: Mapping[str, str], optional: Collection[str] = ()
) -> list[str]:
    """A sentence on each outcome that is not defined in all sessions that ran to their end.

    An arm in which no session has it while another arm's have is taken for one that the outcome is
    not about, and is left out of both counts.

    Parameters
    ----------
    metrics : a row a session, with arm and complete; missing where an outcome is not defined.
    titles : outcome -> what tables and figures call it.
    optional : outcomes that no session need have, so that nothing is said where none has one.
    """
    arms_of = dict.fromkeys(metrics.frame["arm"])
    ended = {arm: metrics.over("count", "session_id", complete=True, arm=arm) for arm in arms_of}
    sentences = []
    for name, title in titles.items():
        missing = f"`{name}` != `{name}`"
        by_arm = {arm: metrics.over("sum", missing, complete=True, arm=arm) for arm in arms_of}
        about = [arm for arm, lost in by_arm.items() if lost < ended[arm]]
        if not about and name not in optional:
            about = list(arms_of)
        number = metrics.over("sum", missing, complete=True, arm=about)
        if about and number:
            arms = listed(f"{arm} {by_arm[arm]:,}" for arm in about if by_arm[arm])
            of = metrics.over("count", "session_id", complete=True, arm=about)
            share = f"{number:,} of {counted(of, 'session')}"
            sentences.append(
                f"{title} is not defined in {share} ({arms}), which count in no estimate of it."
            )
    return sentences


def labelled(estimates: Facts, agreement: Facts) -> list[str]:
    """A sentence on the first contrast, or else mean, of an outcome that people labelled too.

    Parameters
    ----------
    estimates, agreement : ``labelled_contrasts`` and ``judge_agreement``.
    """
    with_people = estimates.rows(method=BOTH)[:1]
    shares = agreement.rows(statistic="percent_agreement")
    if not with_people or not shares:
        return []
    (both,), (share,) = with_people, shares
    (kappa,) = agreement.rows(statistic="cohen_kappa")
    agreed = f"Of {counted(share['n'], 'label')} by people the judge agrees with "
    agreed += f"{percent(share['estimate'], 0)} (kappa {number(kappa['estimate'], 2, '−')})"
    by_judge = estimates.rows(method=JUDGE, arm=both["arm"], reference=both["reference"])
    if limits(both) == MISSING or not by_judge:
        return [f"{agreed}; they are too few for an estimate with an interval."]
    written = number if _is_mean(both) else signed
    numbers = [f"{written(row['estimate'])} {limits(row)}" for row in (both, by_judge[0])]
    return [
        f"{agreed}; with their labels {_contrast(both)} is {numbers[0]} (prediction-powered), and "
        f"{numbers[1]} by the judge alone."
    ]


def derived(
    contrasts: Sequence[Mapping[str, Any]],
    titles: Mapping[str, str] | None = None,
    floor: Floor | None = None,
) -> Findings:
    """The findings of a study that states none, from rows of the contrasts that studies share.

    Parameters
    ----------
    titles : outcome -> what tables and figures call it; its name where it has none.
    floor : the noise floor, where there is one.
    """
    main = [row for row in contrasts if row.get("headline")]
    sentences = [_estimate(row, titles or {}) for row in main][:3]
    drawn = [row for row in main if limits(row) != MISSING]
    bars = [Bar(_contrast(row), row, digits=3, is_mean=_is_mean(row)) for row in drawn]
    outcomes = listed(dict.fromkeys((titles or {}).get(r["outcome"], r["outcome"]) for r in drawn))
    if floor and floor.has_limits:
        bars.append(Bar(_contrast(floor.row), floor.row, digits=3, is_null=True))
    noise = floor.sentence if floor else ""
    card = Card(sentences[0], "", bars, outcomes, noise) if sentences else None
    return Findings(sentences, card=card)


def _is_mean(row: Mapping[str, Any]) -> bool:
    """Whether a row is the mean of an arm: of no second arm, and of no level of a factor."""
    return not row.get("reference") and not row.get("factor")


def no_limits(row: Mapping[str, Any]) -> str:
    """Why an estimate has no interval."""
    has_one_cluster = row.get("n_clusters") == 1 and row.get("n", 0) > 1
    return _ONE_CLUSTER if has_one_cluster else _TOO_FEW


def _contrast(row: Mapping[str, Any]) -> str:
    reference = row.get("reference")
    return f"{row['arm']} − {reference}" if reference else str(row["contrast"])


def _estimate(row: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    outcome, contrast = titles.get(row["outcome"], row["outcome"]), _contrast(row)
    if not row["n"]:
        lacking = "no session has the outcome" if _is_mean(row) else _IN_NO_DRAW
        return f"{outcome}, {contrast}: no estimate; {lacking}."
    value = row["estimate"]
    written = number(value, minus="−") if _is_mean(row) else signed(value)
    estimate, interval = f"{outcome}, {contrast}: {written}", limits(row)
    if interval == MISSING:
        return f"{estimate}, n = {row['n']}; no interval, as {no_limits(row)}."
    # A mean that no value is named for is not tested.
    p = "" if _is_mean(row) and _missing(row["p_value"]) else f", {_p_words(row)}"
    return f"{estimate} {interval}{p}, n = {row['n']}."


def _missing(value: float | None) -> bool:
    return value is None or value != value


def _p_words(row: Mapping[str, Any]) -> str:
    """The p-value of an estimate, adjusted where it is one of a family."""
    adjusted = row.get("p_adjusted")
    if _missing(adjusted):
        return p_clause(row["p_value"])
    return f"{p_clause(adjusted)} after Holm"
