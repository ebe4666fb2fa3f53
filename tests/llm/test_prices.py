"""Prices: dollars by hand, a table read strictly, and which row is a model's."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.llm.call import Usage
from dissensus.llm.prices import Price, price_of, read_prices
from scripted import ROOT

PRICE = Price(1.75, 0.175, 14.0, 0.5, "2026-08-16", "https://example.org")
HEADER = "provider,model,input_usd,cached_input_usd,output_usd,batch_factor,as_of,source\n"
ROW = "openai,gpt-5.2,1.75,0.175,14.00,0.5,2026-08-16,https://example.org\n"


def table(tmp_path: Path, *rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text(header + "".join(rows), encoding="utf-8")
    return path


def test_a_call_by_hand() -> None:
    # 6,000 at 1.75, 4,000 from the cache at 0.175, 2,000 at 14: 10,500 + 700 + 28,000 millionths.
    assert PRICE.cost(10_000, 4_000, 2_000) == pytest.approx(0.0392)
    assert PRICE.cost(10_000, 4_000, 2_000, batch=True) == pytest.approx(0.0196)


def test_what_a_provider_has_no_price_for_costs_what_all_else_does() -> None:
    plain = Price(1.0, None, 2.0, None, "2026-01-01", "https://example.org")
    assert plain.cost(1_000_000, 500_000, 0) == pytest.approx(1.0)
    assert plain.cost(0, 0, 1_000_000, batch=True) == pytest.approx(2.0)
    # More from the cache than was sent: a provider's slip is no discount on nothing.
    assert PRICE.cost(1_000, 9_000, 0) == pytest.approx(0.000175)


def test_a_table_is_read_as_it_stands(tmp_path: Path) -> None:
    mistral = "mistral,large,0.5,,1.5,,2026-08-06,https://example.org\n"
    assert read_prices(table(tmp_path, ROW, mistral)) == {
        ("openai", "gpt-5.2"): PRICE,
        ("mistral", "large"): Price(0.5, None, 1.5, None, "2026-08-06", "https://example.org"),
    }


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (ROW, "row 3: model 'gpt-5.2' of 'openai' stands in row 2 already; keep one row."),
        ("a,b,-1,,2,,2026-01-01,s\n", "row 3: input_usd holds '-1'; it must be dollars"),
        ("a,b,1,,two,,2026-01-01,s\n", "row 3: output_usd holds 'two'; it must be dollars"),
        ("a,b,nan,,2,,2026-01-01,s\n", "row 3: input_usd holds 'nan'; it must be dollars"),
        ("a,b,inf,,2,,2026-01-01,s\n", "row 3: input_usd holds 'inf'; it must be dollars"),
        ("a,b,,,2,,2026-01-01,s\n", "row 3: input_usd holds ''; it must be dollars"),
        ("a,b,1,x,2,,2026-01-01,s\n", "row 3: cached_input_usd holds 'x'; it must be dollars"),
        ("a,b,1,,2,0,2026-01-01,s\n", "row 3: batch_factor holds '0'; it must be above 0"),
        ("a,b,1,,2,50%,2026-01-01,s\n", "row 3: batch_factor holds '50%'; it must be above 0"),
        ("a,b,1,,2,,1/2/2026,s\n", "row 3: as_of holds '1/2/2026'; it must be a date such as"),
        ("a,b,1,,2,,2026-02-30,s\n", "row 3: as_of holds '2026-02-30'; it must be a date"),
        ("a,b,1,,2,,2026-01-01,\n", "row 3: source is empty; fill it in."),
        (",b,1,,2,,2026-01-01,s\n", "row 3: provider is empty; fill it in."),
        ("a,b,1,2\n", "row 3: it has 4 instead of 8 cells"),
    ],
)
def test_a_row_that_cannot_be_used_is_a_sentence(tmp_path: Path, row: str, sentence: str) -> None:
    with pytest.raises(ResourceError) as caught:
        read_prices(table(tmp_path, ROW, row))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


#: With the columns that a table may have beside.
MORE = HEADER.rstrip("\n") + ",service_tier,above_input_tokens,cache_write_usd\n"
END = ",0.5,2026-08-16,https://example.org"


def test_a_table_says_tiers_of_service_and_prices_of_long_prompts(tmp_path: Path) -> None:
    rows = (
        f"a,b,2,0.2,10{END},,,2.5\n",
        f"a,b,1,,5{END},flex,,\n",
        f"a,b,4,0.4,15{END},,272000,5\n",
        f"a,b,3,0.3,12{END},,128000,\n",
        f"a,b,2.5,,7{END},Flex,272000,\n",
    )
    price = read_prices(table(tmp_path, *rows, header=MORE))["a", "b"]
    for tokens, usd in ((128_000, 2.0), (128_001, 3.0), (272_000, 3.0), (272_001, 4.0)):
        assert price.cost_of(Usage(tokens)) == pytest.approx(tokens * usd / 1e6)
    assert price.cost_of(Usage(200_000, service_tier="flex")) == pytest.approx(0.2)
    assert price.cost_of(Usage(300_000, 0, 1_000, 0, 0, "flex"), batch=True) == pytest.approx(
        (0.75 + 0.007) / 2
    )
    assert price.cost_of(Usage(1_000, 0, 0, 1_000)) == pytest.approx(0.0025)
    # What stands in the plan of a batch.
    assert Price.of(json.loads(json.dumps(asdict(price)))) == price


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([f"a,b,1,,5{END},flex,,\n"], "row 2: model 'b' of 'a' has no row without service_tier"),
        ([f"a,b,1,,5{END},,9,\n"], "row 2: model 'b' of 'a' has no row without above_input_tokens"),
        (
            [f"a,b,1,,5{END},,,\n", f"a,b,1,,5{END},flex,9,\n"],
            "row 3: model 'b' of 'a' has no row without above_input_tokens",
        ),
        ([f"a,b,1,,5{END},,,\n"] * 2, "row 3: model 'b' of 'a' stands in row 2 already"),
        ([f"a,b,1,,5{END},,2e5,\n"], "row 2: above_input_tokens holds '2e5'; it must be a whole"),
        ([f"a,b,1,,5{END},,-1,\n"], "row 2: above_input_tokens holds '-1'"),
    ],
)
def test_a_row_without_the_usual_price_is_a_sentence(
    tmp_path: Path, rows: list[str], sentence: str
) -> None:
    with pytest.raises(ResourceError) as caught:
        read_prices(table(tmp_path, *rows, header=MORE))
    assert sentence in str(caught.value)


def test_a_file_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="row 1: the column 'batch_factor' is missing"):
        read_prices(table(tmp_path, header=HEADER.replace("batch_factor,", "")))
    with pytest.raises(ResourceError, match=r"none\.csv cannot be read"):
        read_prices(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(HEADER.encode() + "ä".encode("latin-1"))
    with pytest.raises(ResourceError, match="is not UTF-8"):
        read_prices(tmp_path / "latin.csv")


def test_whose_price_it_is() -> None:
    short = Price(9.0, None, 9.0, None, "2026-01-01", "s")
    prices = {("openai", "gpt-4-0613"): short, ("openai", "gpt-5.2"): PRICE}
    assert price_of("openai", "gpt-5.2", prices) is PRICE
    assert price_of("openai", "gpt-5.2-2025-12-11", prices) is PRICE
    assert price_of("openai", "gpt-5.2-mini", prices) is None
    assert price_of("azure", "gpt-5.2", prices) is None
    # What one snapshot costs says nothing of the name that moves on to the next.
    assert price_of("openai", "gpt-4", prices) is None


def test_a_model_s_own_price_wins() -> None:
    own = {"input": 1.0, "output": 2.0, "cached_input": None}
    found = price_of("openai", "gpt-5.2", {("openai", "gpt-5.2"): PRICE}, own)
    assert found == Price(1.0, None, 2.0, None, "", "the configuration")
    free = price_of("openai", "gpt-5.2", {}, {"input": 0.0, "output": 0.0})
    assert free is not None and free.cost(1e6, 0, 1e6) == 0


def test_the_table_that_ships() -> None:
    prices = read_prices(ROOT / "resources/prices.csv")
    assert len(prices) == 11
    for (provider, model), price in prices.items():
        assert price.source.startswith("https://"), (provider, model)
        assert date(2025, 1, 1) <= date.fromisoformat(price.as_of)
        assert price.cached_input_usd is None or price.cached_input_usd <= price.input_usd
    gpt = prices["openai", "gpt-5.2"]
    assert (gpt.input_usd, gpt.cached_input_usd, gpt.output_usd) == (1.75, 0.175, 14.0)
