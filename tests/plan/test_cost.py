"""The estimate before a run: turns by hand, prompts against real ones, and what is printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from snakemake.utils import update_config

from dissensus.llm.prices import Price, read_prices
from dissensus.plan import quote
from dissensus.plan.call_plan import call_plans
from dissensus.plan.cost import (
    EMBEDDING,
    Cached,
    Line,
    Prompt,
    Scenario,
    Terms,
    Tokens,
    estimate,
    one_call,
    scenarios,
    terms_of,
)
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.protocol import PLACEHOLDER
from dissensus.study.configuration import load, load_file
from dissensus.study.kind import DEBATING
from dissensus.study.sessions import Sessions
from dissensus.user_files import read_yaml
from dissensus_studies.deliberation.study import Deliberation
from dissensus_studies.language.study import Language
from scripted import ROOT

ROLES = ("P1", "P2", "O1", "O2")
PROTOCOL = {
    "max_tokens": 400,
    "repairs": 2,
    "session_attempts": 3,
    "words_per_sentence": 50,
    "system_message": False,
}
ONCE = {**PROTOCOL, "repairs": 0, "session_attempts": 1}
MOTION = "This House Would tax empty homes"
MOTIONS = {"m": {"motion_en": MOTION, "motion_zh": MOTION}}
CHEAP = Price(1.0, None, 10.0, 0.5, "2026-01-01", "https://example.org")


def sessions(n: int = 1, language: str = "en", **protocol: Any) -> Sessions:
    """Sessions of one motion by the models a to d."""
    study = load_file(ROOT / "config.yaml").language
    study = study.model_copy(
        update={"protocol": study.protocol.model_copy(update={**PROTOCOL, **protocol})}
    )
    cast = dict(zip(ROLES, "abcd", strict=True))
    ids = [f"d{number:03d}" for number in range(1, n + 1)]
    rows = {
        f"{draw}-{language}": {
            "session_id": f"{draw}-{language}",
            "draw_id": draw,
            "language": language,
            "rendered_from": "",
            "motion_id": "m",
            "seed": 1,
            **cast,
        }
        for draw in ids
    }
    return Sessions(Language(study), Path(), rows, MOTIONS, dict.fromkeys("abcd", "0"))


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def paid(**changes: Any) -> dict[tuple[str, str], Terms]:
    terms = Terms("openai", "gpt", CHEAP)
    return {(DEBATING, name): replace(terms, **changes) for name in "abcd"}


def priced(usd: dict[str, float], purpose: str = DEBATING, model: str = "a", **terms: Any) -> Line:
    """A line that costs so many dollars: of a model at a dollar a million tokens."""
    tokens = {name: Tokens(8, 1e6 * value, 0) for name, value in usd.items()}
    price = replace(CHEAP, output_usd=0.0)
    return Line(purpose, model, replace(Terms("openai", "gpt", price), **terms), tokens)


def test_one_call_by_hand() -> None:
    # 120 + 600 / 4 = 270 tokens; a tenth again, with 20 more; all of it 1.02 times.
    found = one_call(Prompt(120, 600, 20, 200), Scenario("x", 0.25, repairs=0.1, reruns=0.02))
    assert found.calls == pytest.approx(1.122)
    assert found.input == pytest.approx((270 + 29) * 1.02)
    assert found.output == pytest.approx(56.1)


def test_the_scenarios() -> None:
    assert scenarios(PROTOCOL) == [
        Scenario("low", 0.25, 0, 0),
        Scenario("expected", 0.5, 0.1, 0.02),
        Scenario("high", 1, 0.2, 0.04),
        Scenario("ceiling", 1, 2, 2),
    ]
    assert {(way.repairs, way.reruns) for way in scenarios(ONCE)} == {(0, 0)}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("system", [False, True])
def test_calls_are_planned_as_they_will_be_sent(language: str, system: bool) -> None:
    """Against a debate with real speeches: the same words but for these."""
    debates = sessions(language=language, system_message=system)
    ((calls, _, n),) = call_plans(debates)
    assert n == 1
    assert [call.prompt.count(PLACEHOLDER) for call in calls] == [0, 2, 3, 4, 5, 6, 7, 8]
    assert [call.model for call in calls] == [*"acbd", *"acbd"]
    speech = "空置的住房应当先给市民居住。" if language == "zh" else "Empty homes house money."
    steps = debates.steps(debates.rows[f"d001-{language}"], PlaceholderInputs())()
    step = next(steps)
    for planned in calls:
        (call,) = step
        sent = "\n".join(message.content for message in call.messages)
        assert planned.prompt.replace(PLACEHOLDER, speech) == sent
        again = "\n".join(message.content for message in call.again(call.format.read("").problems))
        assert planned.again.replace(PLACEHOLDER, speech) == again
        if planned is not calls[-1]:
            step = steps.send([call.turn(speech)])


def test_a_session_by_hand() -> None:
    lines = estimate(sessions(), paid(), ONCE)
    assert [(line.purpose, line.model) for line in lines] == [(DEBATING, name) for name in "abcd"]
    for line in lines:
        assert line.tokens["low"].calls == 2
        assert line.tokens["low"].output == 200
        assert line.tokens["high"] == line.tokens["ceiling"]
    sent = {name: sum(line.tokens[name].input for line in lines) for name in ("low", "high")}
    # Turns show 0, 2, 3, ... 8 speeches, 35 in all, each 300 tokens longer.
    assert sent["high"] - sent["low"] == pytest.approx(35 * 300)
    low = lines[0].tokens["low"]
    assert lines[0].usd("low") == pytest.approx((low.input + 10 * 200) / 1e6)


def test_sessions_add_up_and_repairs_come_on_top() -> None:
    once = estimate(sessions(), paid(), PROTOCOL)
    thrice = estimate(sessions(3), paid(), PROTOCOL)
    for one, three in zip(once, thrice, strict=True):
        for name, tokens in one.tokens.items():
            assert three.tokens[name].calls == pytest.approx(3 * tokens.calls)
            assert three.usd(name) == pytest.approx(3 * one.usd(name))
        assert one.tokens["expected"].calls == pytest.approx(2 * 1.1 * 1.02)
        assert one.tokens["high"].calls == pytest.approx(2 * 1.2 * 1.04)
        # Every repair and every re-run: 2 turns, 3 times, in 3 sessions; 400 tokens each.
        assert one.tokens["ceiling"].calls == 18
        assert one.tokens["ceiling"].output == 7200


def test_turns_are_embedded_once() -> None:
    terms = {**paid(), (EMBEDDING, "openai:large"): Terms("openai", "large", CHEAP)}
    line = estimate(sessions(2), terms, PROTOCOL)[-1]
    assert line.tokens["high"] == line.tokens["ceiling"] == Tokens(16, 16 * 400, 0)
    assert line.usd("expected") == pytest.approx(16 * 200 / 1e6)


def test_batches_cost_half_and_free_is_free() -> None:
    full, half, free = (
        estimate(sessions(), terms, ONCE)[0]
        for terms in (paid(), paid(batch=True), paid(free="simulated"))
    )
    assert half.usd("high") == pytest.approx(full.usd("high") / 2)
    assert free.usd("high") == 0 and not free.has_price


def test_what_each_model_is_paid() -> None:
    models = {
        "sim": {"provider": "simulated"},
        "gpt": {"provider": "openai", "model": "gpt-5.2-2025-12-11"},
        "own": {"provider": "openai", "price": {"input": 3.0, "output": 4.0}},
        "served": {"provider": "rehearsal"},
        "tried": {"provider": "rehearsal", "price": {"input": 3.0, "output": 4.0}},
    }
    openai = {"interface": "openai"}
    providers = {"openai": {**openai, "batch": True}, "rehearsal": {**openai, "simulated": True}}
    table = {("openai", "gpt-5.2"): CHEAP, ("openai", "large"): CHEAP}
    embedders = ["use-multilingual", "openai:large", "openai:other", "sentence-transformers:x"]
    terms = terms_of(models, providers, {DEBATING: list(models)}, embedders, table)
    assert [(of.price is not None, of.batch, of.free) for of in terms.values()] == [
        (False, False, "simulated"),
        (True, True, ""),
        (True, True, ""),
        (False, False, "simulated"),
        (True, False, ""),
        (False, False, "local"),
        (True, False, ""),
        (False, False, ""),
        (False, False, "local"),
    ]


def told(lines: list[Line], counting: str = "") -> str:
    said = quote.describe(
        lines, name="language", protocol=PROTOCOL, prices="p.csv", counting=counting
    )
    return " ".join(said)


USD = {"low": 2.0, "expected": 10.0, "high": 40.0, "ceiling": 200.0}


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        (None, "Budget: none; budget_usd sets one."),
        (4.0, "Budget: $4.00, with which the run would stop at about 40%."),
        (30.0, "Budget: $30.00, which fits; the high estimate would stop at about 75% of the run."),
        (40.0, "Budget: $40.00, which fits, though not the ceiling."),
        (200.0, "Budget: $200.00, which fits, and so does the ceiling."),
    ],
)
def test_the_budget_beside_it(budget: float | None, sentence: str) -> None:
    assert quote.sum_up([[priced(USD)]], budget) == [sentence]


def test_studies_share_the_budget_of_their_run() -> None:
    said = quote.sum_up([[priced(USD)], [priced(USD, "judge", "judge")]], 10.0)
    assert said[0] == "all studies"
    assert [line.split() for line in said[1:5]] == [
        *(["low", "$4.00"], ["expected", "$20.00"], ["high", "$80.00"], ["ceiling", "$400.00"])
    ]
    assert said[5] == "Budget: $10.00, with which the run would stop at about 50%."


def test_what_a_study_counts_otherwise_is_said_of_it_alone() -> None:
    sentence = "Turns that a judge sends back, and what it then says of them, are not counted."
    assert Deliberation.counting == sentence
    assert "judge" not in told([priced(USD)])
    assert told([priced(USD)], sentence).endswith(sentence)


def test_prompts_are_priced_with_a_cache_and_without_one() -> None:
    """A million tokens at a dollar: half read at a tenth, a fifth written at five quarters."""
    price = replace(CHEAP, cached_input_usd=0.1)
    with_one = replace(priced({**USD, "expected": 1.0}, price=price), cached=Cached(5e5, 2e5))
    judge = replace(with_one, purpose="judge", cached=Cached(0.0, 0.0))
    assert with_one.input_usd(cached=False) == 1.0
    assert with_one.input_usd(cached=True) == pytest.approx(0.5 * 0.1 + 0.2 * 1.25 + 0.3)
    assert with_one.usd("expected") == 1.0, "the estimate is without one"
    other = priced({**USD, "expected": 1.0}, model="b", cache=True)
    said = quote.describe([with_one, judge, other], name="n", protocol=PROTOCOL, prices="p.csv")
    rows = [line.split() for line in said]
    at = next(number for number, row in enumerate(rows) if row[:2] == ["input,", "expected"])
    assert rows[at + 1 : at + 4] == [
        ["a", "$2.00", "$1.60", "25%"],
        ["b", "$1.00", "$1.00", "0%"],
        ["all", "models", "$3.00", "$2.60", "17%"],
    ]
    assert said[at + 4] == "cache: true is not set for a."
    assert "what the calls of one session share" in " ".join(said)
    assert "share read" not in told([priced(USD, price=None)])


def test_what_has_no_price_is_said_and_left_out() -> None:
    lines = [
        priced(USD),
        priced(USD, model="b", price=None),
        priced(USD, EMBEDDING, "openai:large", asked="large", price=None),
        priced(USD, model="c", free="simulated"),
    ]
    said = told(lines)
    assert "no price in p.csv; set models.b.price" in said
    assert "no price in p.csv; add a row for openai, large" in said
    assert "The dollars leave out b, openai:large, which have no price." in said
    assert "debate: c (simulated, free)" in said
    assert quote.total_usd(lines, "high") == 40.0


def test_columns_fit_a_terminal() -> None:
    name = "a-model-of-a-rather-long-name"
    lines = [priced({name: 1e5 * n for name, n in USD.items()}, model=name, batch=True)]
    said = quote.describe(lines, name="language", protocol=PROTOCOL, prices="p.csv")
    assert max(map(len, said)) <= 100
    assert "0.5 of that in batches" in " ".join(" ".join(said).split())
    row = next(line for line in said if line.startswith("  expected"))
    assert row.split() == ["expected", "8", "1,000,000,000,000", "0", "$500,000.00"]
    assert "  ceiling" in "\n".join(said)
    assert "replies of 25%, 50% and 100% of the most tokens that each may have" in " ".join(said)
    assert "0%, 10% and 20% of turns" in " ".join(said)


def test_the_paper_s_models_all_have_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    values = read_yaml(Path("config.yaml"))
    update_config(values, read_yaml(Path("config/paper.yaml")))
    settings = load(values, "config/paper.yaml")
    assert not settings.simulated
    assert settings.language.panel == [*("gpt", "claude", "deepseek", "mistral")]
    assert settings.used == [*settings.language.panel, "translator"]
    terms = terms_of(
        {name: model.model_dump() for name, model in settings.models.items()},
        {name: provider.model_dump() for name, provider in settings.providers.items()},
        settings.purposes("language"),
        [settings.language.measures.embedder],
        read_prices("resources/prices.csv"),
    )
    prices = [of.price.input_usd for of in terms.values() if of.price]
    assert prices == [1.75, 3.0, 0.28, 0.5, 0.15, 0.13]


def test_many_short_calls_are_no_long_prompt_and_a_tier_that_is_asked_for_has_its_price() -> None:
    step = replace(CHEAP, input_usd=2.0)
    price = replace(CHEAP, output_usd=0.0, above=((200_000, step),), tiers={"flex": CHEAP})
    terms = Terms("openai", "gpt", price)
    assert terms.cost(Tokens(1_000, 1e6, 0)) == pytest.approx(1.0)
    assert terms.cost(Tokens(2, 1e6, 0)) == pytest.approx(2.0)
    settings = {
        "provider": "p",
        "model": "gpt",
        "parameters": {"service_tier": "flex"},
        "price": {
            "input": 4.0,
            "output": 8.0,
            "service_tiers": {"flex": {"input": 2.0, "output": 4.0}},
        },
    }
    providers = {"p": {"interface": "openai"}}
    found = terms_of({"m": settings}, providers, {DEBATING: ["m"]}, [], {})
    assert found[DEBATING, "m"].cost(Tokens(1, 1e6, 1e6)) == pytest.approx(6.0)
