"""Cards: a finding in one sentence, its picture, and what the same run says against it.

A picture is drawn by the page itself, a row for each estimate, so that it is read by a screen
reader, follows light and dark, and fits a phone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dissensus.report.escaping import html
from dissensus.report.facts import unmarked
from dissensus.report.findings import Bar, Card
from dissensus.report.labels import estimate

#: Rows of a picture; more would make it higher than a card may be.
MOST_BARS = 13
#: How much of the width stays free at each end.
_MARGIN = 0.04


def card_body(card: Card, *, links: str, lost: str) -> Iterator[str]:
    """Finding, picture, objection and links, in HTML.

    Parameters
    ----------
    links, lost : HTML already.
    """
    yield f'<p class="finding"><strong>{html(unmarked(card.finding))}</strong></p>'
    if card.bars:
        yield picture(card.bars, card.axis)
    if card.stopped:
        yield f'<p class="stopped">{html(unmarked(card.stopped))}</p>'
    if card.floor:
        yield f'<p class="floor">{html(unmarked(card.floor))}</p>'
    if card.but:
        yield f'<p class="but">{html(unmarked(card.but))}</p>'
    yield f'<p class="lost">{lost}</p><p class="links">{links}</p>'


def picture(bars: Sequence[Bar], axis: str) -> str:
    """Estimates with their intervals, one below the other, on one axis with its zero."""
    drawn = [bar for bar in bars if not any(map(math.isnan, bar.values))][:MOST_BARS]
    ends = [0.0, *(value for bar in drawn for value in bar.values)]
    scale = _Scale(min(ends), max(ends))
    rows = [
        _row(unmarked(bar.label), bar.values, unmarked(bar.printed), scale, is_null=bar.is_null)
        for bar in drawn
    ]
    more = len(bars) - len(drawn)
    note = f" {more} more in the tables." if more else ""
    has_null = any(bar.is_null for bar in drawn)
    null = " Grey: equal arms, which differ by chance." if has_null else ""
    return (
        f'<figure class="forest">{"".join(rows)}<div class="axis">{_ticks(scale)}</div>'
        f"<figcaption>{html(unmarked(axis))}: estimates with their intervals.{null}{note}"
        "</figcaption></figure>"
    )


def planted(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What was planted and what was found: a row an effect, in standard errors of the estimate.

    Effects that are planted to be none are folded, below how many of them were found.

    Parameters
    ----------
    rows : of :data:`dissensus.report.truth.TRUTH`.
    """
    estimated = [row for row in rows if row["ci_low"] is not None and row["ci_high"] is not None]
    effects = [row for row in estimated if row["planted"] != row["none"]]
    nulls = [row for row in estimated if row["planted"] == row["none"]]
    ends = [0.0, *(value for row in estimated for value in _standardised(row))]
    scale = _Scale(min(ends), max(ends))
    if effects:
        yield f'<p class="group">Planted</p>{_planted_rows(effects, scale)}'
    if nulls:
        found = sum(bool(row["found"]) for row in nulls)
        yield (
            f"<details><summary>Planted to be none: {len(nulls)}, of which {found} found</summary>"
        )
        yield f"{_planted_rows(nulls, scale)}</details>"


def _planted_rows(rows: Sequence[Mapping[str, Any]], scale: _Scale) -> str:
    body = []
    for row in rows:
        low, middle, high, true = _standardised(row)
        told = estimate(row["estimate"], row["ci_low"], row["ci_high"], 2).replace("-", "−")
        words = f"{row['study']}: {row['effect']}"
        value_words = f"planted {row['planted']:.2f}, estimate {told}".replace("-", "−")
        body.append(
            _row(words, (middle, low, high), value_words, scale, planted=true, shown=str(told))
        )
    return (
        f'<figure class="forest wide-names">{"".join(body)}<div class="axis">{_ticks(scale)}</div>'
        "<figcaption>Line: planted. Dot: estimate with its interval, each in standard errors of "
        "the estimate from no effect. Simulated models.</figcaption></figure>"
    )


def _standardised(row: Mapping[str, Any]) -> list[float]:
    """Lower limit, estimate, upper limit and truth in standard errors from no effect."""
    width = (row["ci_high"] - row["ci_low"]) / 2 / 1.96 or 1.0
    names = ("ci_low", "estimate", "ci_high", "planted")
    return [(row[name] - row["none"]) / width for name in names]


class _Scale:
    """From values to shares of the width."""

    def __init__(self, low: float, high: float) -> None:
        room = (high - low) * _MARGIN or 1.0
        self.low, self.high = low - room, high + room

    def at(self, value: float) -> float:
        """Per cent from the left."""
        return 100.0 * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Some three to five round values."""
        span = self.high - self.low
        step = 10.0 ** math.floor(math.log10(span / 3))
        step *= next(by for by in (5, 2, 1) if span / (step * by) >= 2.5)
        first = math.ceil(self.low / step)
        return [step * place for place in range(first, math.floor(self.high / step) + 1)]


def _ticks(scale: _Scale) -> str:
    values = scale.ticks()
    step = values[1] - values[0] if len(values) > 1 else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return "".join(
        f'<span style="left:{scale.at(value):.2f}%">'
        f"{f'{value:.{digits}f}'.replace('-', '−')}</span>"
        for value in (0.0 if abs(value) < step / 2 else value for value in values)
    )


def _row(
    label: str,
    values: tuple[float, float, float],
    value_words: str,
    scale: _Scale,
    *,
    is_null: bool = False,
    planted: float | None = None,
    shown: str = "",
) -> str:
    """A row: its name, its interval and dot on the axis, and its numbers."""
    middle, low, high = values
    truth = "" if planted is None else f'<i class="true" style="left:{scale.at(planted):.2f}%"></i>'
    left, right = scale.at(low), scale.at(high)
    return (
        f'<div class="row{" null" if is_null else ""}" tabindex="0" '
        f'title="{html(f"{label}: {value_words}")}"><span class="name">{html(label)}</span>'
        f'<span class="track" aria-hidden="true"><i class="zero" style="left:{scale.at(0.0):.2f}%">'
        f'</i><i class="ci" style="left:{left:.2f}%;width:{right - left:.2f}%"></i>{truth}'
        f'<i class="dot" style="left:{scale.at(middle):.2f}%"></i></span>'
        f'<span class="value">{html(shown or value_words)}</span></div>'
    )
