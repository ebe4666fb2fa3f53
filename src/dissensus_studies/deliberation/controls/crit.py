"""CRIT, the Critical Reading Inquisitive Template: what a judge's scores of an argument come to.

The judge names the claim, its reasons and the rival reasons, and gives each reason a validity and a
credibility from 1 to 10. It gives no mean: means are computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from dissensus.session.replies import JsonReply, Lenient

#: (validity, credibility), each from 1 to 10.
Scores = tuple[float, float]

_Score = Annotated[float, Field(ge=1, le=10, allow_inf_nan=False)]


@dataclass(frozen=True)
class Assessment:
    """A judge's reading of one turn; no reasons where ``problems`` says why it cannot be read."""

    claim: str
    reasons: tuple[Scores, ...]
    rivals: tuple[Scores, ...]
    problems: tuple[str, ...]


class _Reason(Lenient):
    validity: _Score
    credibility: _Score

    @property
    def scores(self) -> Scores:
        return self.validity, self.credibility


class _Reply(Lenient):
    claim: str
    reasons: Annotated[list[_Reason], Field(min_length=1)]
    rivals: list[_Reason] = Field(default_factory=list)


def parse_assessment(text: str) -> Assessment:
    """Read a judge's reply.

    Parameters
    ----------
    text : prose, then ``{"claim": ..., "reasons": [{"validity": 8, "credibility": 7}], "rivals":
        [...]}``, fenced or bare, with the usual small faults of JSON mended.

    Returns
    -------
    Assessment
        With ``problems`` and no scores where there is no such object, no reason, or a score outside
        1 to 10.
    """
    parsed = JsonReply(_Reply).read(text)
    reply = parsed.value
    if reply is None:
        return Assessment("", (), (), parsed.problems)
    reasons = tuple(reason.scores for reason in reply.reasons)
    return Assessment(reply.claim, reasons, tuple(rival.scores for rival in reply.rivals), ())


def products(scores: tuple[Scores, ...]) -> tuple[float, ...]:
    """Validity times credibility of each reason, both divided by 10: in [.01, 1]."""
    return tuple(validity * credibility / 100 for validity, credibility in scores)


def gamma(assessment: Assessment) -> float | None:
    """CRIT's score, the mean product of validity and credibility over reasons and rival reasons.

    The mean is of (validity / 10)(credibility / 10) over the union of R and R'. A strong
    rival raises it as a strong reason does; see :func:`signed`. None where there is no reason.
    """
    return mean_product(products(assessment.reasons), products(assessment.rivals))


def signed(assessment: Assessment) -> float | None:
    """(S - S') / (S + S'), with S and S' the sums of products of reasons and of rivals.

    In [-1, 1], falling with the strength of the rivals; the project's own. None where there is no
    reason.
    """
    return signed_product(products(assessment.reasons), products(assessment.rivals))


def mean_product(reasons: tuple[float, ...], rivals: tuple[float, ...]) -> float | None:
    """Gamma from products."""
    both = (*reasons, *rivals)
    return sum(both) / len(both) if both else None


def signed_product(reasons: tuple[float, ...], rivals: tuple[float, ...]) -> float | None:
    """The signed score from products."""
    total = sum(reasons) + sum(rivals)
    return (sum(reasons) - sum(rivals)) / total if total else None
