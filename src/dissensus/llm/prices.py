"""The prices of models: a dated table with its sources, or a model's own setting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.llm.call import Usage, is_snapshot
from dissensus.user_files import read_csv

_COLUMNS = (
    *("provider", "model", "input_usd", "cached_input_usd", "output_usd"),
    *("batch_factor", "as_of", "source"),
)
#: Columns that a table may leave out, beside those of a cache's writes.
_TIER, _ABOVE = "service_tier", "above_input_tokens"
_MILLION = 1_000_000
#: What a cache's writes cost where no price says it, as a share of the input's price: Anthropic's,
#: for five minutes and for an hour. Others that count them (OpenAI, Qwen) have the first.
_WRITE, _WRITE_1H = 1.25, 2.0


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens.

    Attributes
    ----------
    input_usd, output_usd : of the prompt and of the reply.
    cached_input_usd : of prompt in the provider's cache; None where that costs the same.
    batch_factor : a batch costs this share of it; None where batches are no cheaper.
    as_of : the date of the price (ISO), "" for a model's own setting.
    source : the page that it was taken from.
    cache_write_usd, cache_write_1h_usd : of prompt that the provider writes to its cache, for
        minutes and for an hour; None for 1.25 and 2 times the input.
    above : tokens of prompt, and the price of a whole call with more than these; the fewest first.
    tiers : tier of service, such as flex or priority -> its price.
    """

    input_usd: float
    cached_input_usd: float | None
    output_usd: float
    batch_factor: float | None
    as_of: str
    source: str
    cache_write_usd: float | None = None
    cache_write_1h_usd: float | None = None
    above: tuple[tuple[int, Price], ...] = ()
    tiers: Mapping[str, Price] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Price:
        """The price of its fields as JSON has them."""
        inner = {
            "above": tuple((tokens, cls.of(price)) for tokens, price in members.get("above", ())),
            "tiers": {name: cls.of(price) for name, price in members.get("tiers", {}).items()},
        }
        return cls(**{**members, **inner})

    def at(self, input_tokens: float) -> Price:
        """The price of a call with so many tokens of prompt, whatever others have."""
        return next((price for over, price in reversed(self.above) if input_tokens > over), self)

    def cost_of(self, usage: Usage, *, batch: bool = False) -> float:
        """Dollars for what an answer used, in its tier or, where that has no price, the usual."""
        return self.tiers.get(usage.service_tier, self).cost(
            usage.input_tokens,
            usage.cached_tokens,
            usage.output_tokens,
            batch,
            written_tokens=usage.written_tokens,
            written_1h_tokens=usage.written_1h_tokens,
        )

    def most(self, usage: Usage, asked_tier: str = "", *, batch: bool = False) -> float:
        """Dollars for a call that uses so much at most, whatever tier answers it.

        Parameters
        ----------
        asked_tier : that the request names, which the provider may leave for the usual one; of any
            other name than those that have a price, all are possible.
        """
        tiers = [asked_tier] if asked_tier in self.tiers else [*self.tiers]
        dearest = 0.0
        for of_tier in (self, *(self.tiers[tier] for tier in tiers)):
            reached = [price for over, price in of_tier.above if over < usage.input_tokens]
            for price in (replace(of_tier, above=()), *reached):
                dearest = max(dearest, price._dearest(usage, batch))
        return dearest

    def _dearest(self, usage: Usage, batch: bool) -> float:
        """Dollars for a call without a cache, or with one that takes in all that it may."""
        # Some providers write to their cache unasked; where a price says what that costs, it may.
        unasked = usage.input_tokens if self.cache_write_usd is not None else 0
        made = [(0, 0), (max(usage.written_tokens, unasked), usage.written_1h_tokens)]
        return max(
            self.cost(
                usage.input_tokens,
                0,
                usage.output_tokens,
                batch,
                written_tokens=written,
                written_1h_tokens=long,
            )
            for written, long in made
        )

    def cost(
        self,
        input_tokens: float,
        cached_tokens: float,
        output_tokens: float,
        batch: bool = False,
        *,
        written_tokens: float = 0,
        written_1h_tokens: float = 0,
    ) -> float:
        """Dollars for a call.

        The tokens read from a cache and those written to it, for an hour among them, are of the
        input.
        """
        step = self.at(input_tokens)
        if step is not self:
            return step.cost(
                input_tokens,
                cached_tokens,
                output_tokens,
                batch,
                written_tokens=written_tokens,
                written_1h_tokens=written_1h_tokens,
            )
        cached = min(cached_tokens, input_tokens)
        written = min(written_tokens, input_tokens - cached)
        long = min(written_1h_tokens, written)
        write_usd, long_usd = self.cache_write_usd, self.cache_write_1h_usd
        write_usd = _WRITE * self.input_usd if write_usd is None else write_usd
        long_usd = _WRITE_1H * self.input_usd if long_usd is None else long_usd
        cached_usd = self.input_usd if self.cached_input_usd is None else self.cached_input_usd
        usd = (
            (input_tokens - cached - written) * self.input_usd
            + (written - long) * write_usd
            + long * long_usd
            + cached * cached_usd
            + output_tokens * self.output_usd
        ) / _MILLION
        return usd * self.batch_factor if batch and self.batch_factor is not None else usd


Table = dict[tuple[str, str], Price]
#: A row of a table: provider, model, tier of service, and the tokens above which it holds.
_Row = tuple[str, str, str, int]


def read_prices(path: str | Path) -> Table:
    """The table of prices as (provider, model) -> price.

    A model has a row for its usual price, and may have more: of a ``service_tier``, and for calls
    with more than ``above_input_tokens`` of prompt.

    Raises
    ------
    ResourceError : the first row that cannot be used, by its number, the header being row 1.
    """
    prices: dict[_Row, Price] = {}
    rows: dict[_Row, int] = {}
    for line, row in read_csv(path, _COLUMNS):
        where = f"{path}, row {line}"
        provider, model = _text(row, "provider", where), _text(row, "model", where)
        key = (provider, model, (row.get(_TIER) or "").strip().lower(), _tokens(row, where))
        if key in rows:
            raise ResourceError(
                f"{where}: model {model!r} of {provider!r} stands in row {rows[key]} already; "
                "keep one row."
            )
        rows[key] = line
        prices[key] = Price(
            input_usd=_dollars(row, "input_usd", where),
            cached_input_usd=_dollars_or_none(row, "cached_input_usd", where),
            output_usd=_dollars(row, "output_usd", where),
            batch_factor=_factor(row, where),
            as_of=_day(row, where),
            source=_text(row, "source", where),
            cache_write_usd=_dollars_or_none(row, "cache_write_usd", where),
            cache_write_1h_usd=_dollars_or_none(row, "cache_write_1h_usd", where),
        )
    for (provider, model, tier, above), line in rows.items():
        if (provider, model, tier, 0) not in rows or (provider, model, "", 0) not in rows:
            raise ResourceError(
                f"{path}, row {line}: model {model!r} of {provider!r} has no row without "
                f"{_ABOVE if above else _TIER}; add one with its usual price."
            )
    return _joined(prices)


def _joined(prices: Mapping[_Row, Price]) -> Table:
    """The prices of models, each with those of its tiers and of its longest calls."""
    table: Table = {}
    for provider, model in dict.fromkeys((key[0], key[1]) for key in prices):
        of_model = {key[2:]: price for key, price in prices.items() if key[:2] == (provider, model)}
        of_tier = {
            tier: replace(usual, above=_steps(of_model, tier))
            for (tier, above), usual in of_model.items()
            if not above
        }
        table[provider, model] = replace(of_tier.pop(""), tiers=of_tier)
    return table


def _steps(prices: Mapping[tuple[str, int], Price], tier: str) -> tuple[tuple[int, Price], ...]:
    steps = ((above, price) for (of, above), price in prices.items() if of == tier and above)
    return tuple(sorted(steps, key=lambda step: step[0]))


def price_of(
    provider: str,
    model: str,
    table: Mapping[tuple[str, str], Price],
    set_price: Mapping[str, Any] | None = None,
) -> Price | None:
    """A model's price; None where it has none.

    Parameters
    ----------
    provider : its name in the configuration.
    model : the provider's name for the model; a snapshot costs what its base name does.
    table : from :func:`read_prices`.
    set_price : the model's own ``price`` setting (input, output, ...), which wins.
    """
    if set_price is not None:
        tiers = set_price.get("service_tiers") or {}
        factor = set_price.get("batch_factor")
        priced = {tier.lower(): _set(price, factor) for tier, price in tiers.items()}
        return replace(_set(set_price, factor), tiers=priced)
    exact = table.get((provider, model))
    if exact is not None:
        return exact
    bases = [
        name for host, name in table if host == provider and is_snapshot(name=model, base=name)
    ]
    # The longest is the nearest: gpt-4-0613 before gpt-4.
    return table[provider, max(bases, key=len)] if bases else None


def _set(price: Mapping[str, Any], factor: float | None) -> Price:
    """A price of the configuration, with those of longer prompts."""
    steps = sorted(price.get("above") or (), key=lambda step: int(step["input_tokens"]))
    return Price(
        float(price["input"] or 0.0),
        price.get("cached_input"),
        float(price["output"] or 0.0),
        factor,
        "",
        "the configuration",
        price.get("cache_write"),
        price.get("cache_write_1h"),
        tuple((int(step["input_tokens"]), _set({**step, "above": ()}, factor)) for step in steps),
    )


def _text(row: Mapping[str, str], column: str, where: str) -> str:
    value = row[column].strip()
    if not value:
        raise ResourceError(f"{where}: {column} is empty; fill it in.")
    return value


def _tokens(row: Mapping[str, str], where: str) -> int:
    """The tokens of prompt above which a row holds; 0 for every call."""
    text = (row.get(_ABOVE) or "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and int(text[:18]) > 0):
        raise ResourceError(
            f"{where}: {_ABOVE} holds {row[_ABOVE]!r}; it must be a whole number of tokens above "
            "0, or empty for every call."
        )
    return int(text[:18])


def _number(row: Mapping[str, str], column: str) -> float:
    try:
        return float(row[column])
    except ValueError:
        return math.nan


def _dollars(row: Mapping[str, str], column: str, where: str) -> float:
    usd = _number(row, column)
    if not 0 <= usd < math.inf:
        raise ResourceError(
            f"{where}: {column} holds {row[column]!r}; it must be dollars for a million tokens, "
            "0 or more."
        )
    return usd


def _dollars_or_none(row: Mapping[str, str], column: str, where: str) -> float | None:
    return _dollars(row, column, where) if (row.get(column) or "").strip() else None


def _factor(row: Mapping[str, str], where: str) -> float | None:
    if not row["batch_factor"].strip():
        return None
    factor = _number(row, "batch_factor")
    if not 0 < factor <= 1:
        raise ResourceError(
            f"{where}: batch_factor holds {row['batch_factor']!r}; it must be above 0 and at most "
            "1, or empty where there are no cheaper batches."
        )
    return factor


def _day(row: Mapping[str, str], where: str) -> str:
    try:
        return date.fromisoformat(row["as_of"].strip()).isoformat()
    except ValueError:
        raise ResourceError(
            f"{where}: as_of holds {row['as_of']!r}; it must be a date such as 2026-02-24."
        ) from None
