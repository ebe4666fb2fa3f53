"""The prices of models: a dated table with its sources, or a model's own setting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from dissensus.errors import ResourceError
from dissensus.llm.call import is_snapshot
from dissensus.user_files import read_csv

_COLUMNS = (
    *("provider", "model", "input_usd", "cached_input_usd", "output_usd"),
    *("batch_factor", "as_of", "source"),
)
#: Columns that a table may leave out.
_WRITES = ("cache_write_usd", "cache_write_1h_usd")
_MILLION = 1_000_000
#: What a cache's writes cost where no price says it, as a share of the input's price: Anthropic's,
#: for five minutes and for an hour. No other provider counts them.
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
    """

    input_usd: float
    cached_input_usd: float | None
    output_usd: float
    batch_factor: float | None
    as_of: str
    source: str
    cache_write_usd: float | None = None
    cache_write_1h_usd: float | None = None

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


def read_prices(path: str | Path) -> Table:
    """The table of prices as (provider, model) -> price.

    Raises
    ------
    ResourceError : the first row that cannot be used, by its number, the header being row 1.
    """
    table: Table = {}
    rows: dict[tuple[str, str], int] = {}
    for line, row in read_csv(path, _COLUMNS):
        where = f"{path}, row {line}"
        key = (_text(row, "provider", where), _text(row, "model", where))
        if key in rows:
            raise ResourceError(
                f"{where}: model {key[1]!r} of {key[0]!r} stands in row {rows[key]} already; "
                "keep one row."
            )
        rows[key] = line
        table[key] = Price(
            input_usd=_dollars(row, "input_usd", where),
            cached_input_usd=_dollars(row, "cached_input_usd", where)
            if row["cached_input_usd"].strip()
            else None,
            output_usd=_dollars(row, "output_usd", where),
            batch_factor=_factor(row, where),
            as_of=_day(row, where),
            source=_text(row, "source", where),
            **{name: _dollars(row, name, where) for name in _WRITES if row.get(name, "").strip()},
        )
    return table


def price_of(
    provider: str,
    model: str,
    table: Mapping[tuple[str, str], Price],
    set_price: Mapping[str, float | None] | None = None,
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
        cached = set_price.get("cached_input")
        usd_in, usd_out = float(set_price["input"] or 0.0), float(set_price["output"] or 0.0)
        writes = set_price.get("cache_write"), set_price.get("cache_write_1h")
        factor = set_price.get("batch_factor")
        return Price(usd_in, cached, usd_out, factor, "", "the configuration", *writes)
    exact = table.get((provider, model))
    if exact is not None:
        return exact
    bases = [
        name for host, name in table if host == provider and is_snapshot(name=model, base=name)
    ]
    # The longest is the nearest: gpt-4-0613 before gpt-4.
    return table[provider, max(bases, key=len)] if bases else None


def _text(row: Mapping[str, str], column: str, where: str) -> str:
    value = row[column].strip()
    if not value:
        raise ResourceError(f"{where}: {column} is empty; fill it in.")
    return value


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
