"""The estimate of a run's cost as lines of text, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

from dissensus.plan.call_plan import unidentified, warn
from dissensus.plan.cost import (
    EMBEDDING,
    EXPECTED,
    Line,
    Scenario,
    Terms,
    estimate_settings,
    scenarios,
)
from dissensus.plan.described import describe_covered
from dissensus.plan.journalled import covered
from dissensus.plan.priced import price_settings
from dissensus.plan.stopped_early import price_stopping
from dissensus.study.configuration import Configuration
from dissensus.study.makes import makes
from dissensus.study.sessions import Sessions
from dissensus.study.study import Unidentified

_WIDTH = 100
_RANGE = ("low", "expected", "high")


@makes()
def cost(configuration: Configuration) -> Iterator[str]:
    """What the calls of each study will cost, and of all together."""
    studies: list[list[Line]] = []
    yield from quoted(configuration, studies)
    yield from sum_up(studies, configuration.budget_usd)


def quoted(configuration: Configuration, studies: list[list[Line]]) -> Iterator[str]:
    """What the calls of each study will cost; its estimate is added to ``studies``."""
    for name in configuration.studies:
        given = price_settings(configuration, name)
        sessions = Sessions.read(configuration, configuration.results / name)
        lines = estimate_settings(given, sessions)
        studies.append(lines)
        told = {"protocol": given["protocol"], "prices": given["prices"]}
        yield from describe(lines, name=name, **told, counting=sessions.study.counting)
        yield from price_stopping(configuration, sessions, given, lines)
        journals = covered(sessions, configuration.registry(configuration.results, "cost"))
        yield from describe_covered(sessions, journals)
        if journals and any(line.has_price for line in lines):
            rest = estimate_settings(given, replace(sessions, rows=journals.left))
            usd = [dollars(total_usd(rest, way)) for way in _RANGE]
            yield "the sessions that are left: {1}, from {0} to {2}".format(*usd)
        if gap := unidentified(configuration, sessions):
            yield from warn(gap)
            yield from price_remedies(gap, sessions, given, lines)


def price_remedies(
    gap: Unidentified, sessions: Sessions, given: Mapping[str, Any], today: Sequence[Line]
) -> Iterator[str]:
    """What each model would add to the cost that could give the missing estimand, as lines.

    Parameters
    ----------
    gap : with the study as it would be with each.
    sessions : of the study as it is.
    given : its settings of prices (:func:`~dissensus.run.rules.price_settings`).
    today : the estimate of the study as it is.
    """
    for model, (study, rows) in gap.remedies.items():
        added = {row["session_id"]: row for row in rows}
        asked = {
            use.purpose: [model] for use in study.models() if use.purpose not in given["asked"]
        }
        lines = estimate_settings(
            {**given, "asked": {**given["asked"], **asked}},
            replace(sessions, study=study, rows={**sessions.rows, **added}),
        )
        calls = sum(line.tokens["expected"].calls for line in lines if line.purpose in asked)
        more = [dollars(total_usd(lines, name) - total_usd(today, name)) for name in _RANGE]
        is_priced = all(line.has_price for line in lines if line.purpose in asked)
        price = "{1}, from {0} to {2}".format(*more) if is_priced else "no price is known"
        yield f"  with {model}: {len(rows):,} sessions more, {calls:,.0f} calls, {price}"


def describe(
    lines: Sequence[Line],
    *,
    name: str,
    protocol: Mapping[str, Any],
    prices: str | None,
    counting: str = "",
) -> list[str]:
    """Lines of at most 100 letters: by stage and model, in all, and what was assumed.

    Parameters
    ----------
    lines : the estimate of a study.
    name : the study's.
    protocol : settings of the debate, for the assumptions.
    prices : the setting of this name.
    counting : what the study's estimate leaves out, or counts at most.
    """
    lines_of_quote = [_row(name, "calls", "input tokens", "output tokens", "dollars")]
    for line in lines:
        lines_of_quote += _wrapped(
            f"{line.purpose}: {line.model} ({_paid(line, prices)})", indent="    "
        )
        for name in _RANGE:
            tokens = line.tokens[name]
            usd = dollars(line.usd(name)) if line.has_price else "-"
            lines_of_quote.append(
                _row(name, *map(_count, (tokens.calls, tokens.input, tokens.output)), usd)
            )
    lines_of_quote += ["all stages and models", *_total(lines), *_cached(lines)]
    return (
        lines_of_quote + _wrapped(_left_out(lines)) + _wrapped(_assumed(protocol, lines, counting))
    )


def _cached(lines: Sequence[Line]) -> list[str]:
    """What the prompts of each model cost without a cache of prompts, and with one."""
    models: dict[str, list[Line]] = {}
    for line in lines:
        if line.has_price and line.purpose != EMBEDDING:
            models.setdefault(line.model, []).append(line)
    if not models:
        return []
    table = [_row(f"input, {EXPECTED}", "without a cache", "with one", "share read")]
    everything = [line for of in models.values() for line in of]
    for name, of in (*models.items(), ("all models", everything)):
        usd = [
            dollars(sum(line.input_usd(cached=cached) for line in of)) for cached in (False, True)
        ]
        sent = sum(line.tokens[EXPECTED].input for line in of)
        read = sum(line.cached.read for line in of) / sent if sent else 0.0
        table.append(_row(name, *usd, f"{read:.0%}"))
    unset = [name for name, of in models.items() if not of[0].terms.cache]
    return table + _wrapped(f"cache: true is not set for {', '.join(unset)}." if unset else "")


def sum_up(
    studies: Sequence[Sequence[Line]], budget_usd: float | None, title: str = "all studies"
) -> list[str]:
    """What all studies of a run come to, since they share its budget; in such lines, too.

    Parameters
    ----------
    studies : the estimate of each.
    budget_usd : the setting of this name.
    title : what all together are called.
    """
    lines = [line for study in studies for line in study]
    lines_of_sum = [title, *_total(lines)] if len(studies) > 1 else []
    return lines_of_sum + _wrapped(_budget(lines, budget_usd))


def dollars(usd: float) -> str:
    """Such as "$1,234.50"; four decimals below a dollar."""
    return f"${usd:,.2f}" if usd >= 1 or usd == 0 else f"${usd:.4f}"


def total_usd(lines: Sequence[Line], scenario: str) -> float:
    """Dollars of all lines that have a price."""
    return sum(line.usd(scenario) for line in lines)


def _row(name: str, *cells: str) -> str:
    return "  ".join([f"  {name:<10}", *(f"{cell:>16}" for cell in cells)]).rstrip()


def _count(n: float) -> str:
    return f"{round(n):,}"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return wrap(
        text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _paid(line: Line, prices: str | None) -> str:
    terms = line.terms
    if terms.free:
        return f"{terms.free}, free"
    named = line.model in (terms.asked, f"{terms.provider}:{terms.asked}")
    name = "" if named else f"{terms.asked} of "
    if terms.price is None:
        return f"{name}{terms.provider}: {no_price(line, prices)}"
    price = terms.price
    rates = f"{_rate(price.input_usd)} in"
    rates += "" if line.purpose == EMBEDDING else f", {_rate(price.output_usd)} out"
    return f"{name}{terms.provider}, {rates} for a million tokens{_batch(terms)}, {_since(terms)}"


def _rate(usd: float) -> str:
    return f"${usd:.2f}" if usd == round(usd, 2) else f"${usd:g}"


def no_price(line: Line, prices: str | None) -> str:
    """That a model has no price, and where one may be put."""
    where = f"no price in {prices}" if prices else "there is no table of prices"
    if line.purpose == EMBEDDING:
        return f"{where}; add a row for {line.terms.provider}, {line.terms.asked}"
    return f"{where}; set models.{line.model}.price"


def _batch(terms: Terms) -> str:
    factor = terms.price.batch_factor if terms.price else None
    if not terms.batch:
        return ""
    return f", {factor:g} of that in batches" if factor else ", with no cheaper batches"


def _since(terms: Terms) -> str:
    assert terms.price is not None
    return ", ".join(filter(None, (terms.price.as_of, terms.price.source)))


def _total(lines: Sequence[Line]) -> list[str]:
    if not any(line.has_price for line in lines):
        return ["  nothing that has a price"]
    return [
        _row(name, "", "", "", dollars(total_usd(lines, name))) for name in (*_RANGE, "ceiling")
    ]


def _left_out(lines: Sequence[Line]) -> str:
    names = [line.model for line in lines if not line.has_price and not line.terms.free]
    return f"The dollars leave out {', '.join(names)}, which have no price." if names else ""


def _budget(lines: Sequence[Line], budget: float | None) -> str:
    if budget is None:
        return "Budget: none; budget_usd sets one."
    usd = {name: total_usd(lines, name) for name in (*_RANGE, "ceiling")}
    sentence = f"Budget: {dollars(budget)}, "
    if usd["expected"] > budget:
        return f"{sentence}with which the run would stop at about {budget / usd['expected']:.0%}."
    if usd["high"] > budget:
        share = budget / usd["high"]
        return (
            f"{sentence}which fits; the high estimate would stop at about {share:.0%} of the run."
        )
    rest = "and so does the ceiling" if usd["ceiling"] <= budget else "though not the ceiling"
    return f"{sentence}which fits, {rest}."


def _assumed(protocol: Mapping[str, Any], lines: Sequence[Line], counting: str) -> str:
    ways = scenarios(protocol)
    first = ways[:-1]
    sentence = (
        f"Assumed, from low to high: replies of {_series(f'{way.reply:.0%}' for way in first)} of "
        "the most tokens that each may have; "
        f"{_series(f'{way.repairs:.0%}' for way in first)} of turns asked for again once; "
        f"{_series(f'{way.reruns:.0%}' for way in first)} of sessions run again. The ceiling is "
        f"the longest replies with every repair ({ways[-1].repairs:g} a turn) and every re-run "
        f"({ways[-1].reruns:g} a session). Prompts are those that will be sent, counted with the "
        "tekken tokeniser; each model's own counts differently. Not counted: tries that fail there "
        "and are charged all the same. Dollars are without a cache of prompts, where not said "
        "otherwise."
    )
    if any(line.cached.read for line in lines if line.has_price):
        sentence += (
            " With one, by its documentation: what the calls of one session share, each sent once "
            "the one before it is answered and within minutes; what sessions share comes on top."
        )
    if any(_ends_early(line, ways[-1]) for line in lines):
        sentence += (
            " Sessions may end early, as replies have it: low counts the calls that they make at "
            "least, the others those that they make at most."
        )
    if counting:
        sentence += f" {counting}"
    if any(line.purpose == EMBEDDING for line in lines):
        sentence += f" The calls of {EMBEDDING} are texts, of which one request takes many."
    return sentence


def _ends_early(line: Line, most: Scenario) -> bool:
    """Whether the low estimate, without a repair, has fewer calls than the ceiling has turns."""
    if line.purpose == EMBEDDING:
        return False
    turns = line.tokens[most.name].calls / ((1 + most.repairs) * (1 + most.reruns))
    return line.tokens["low"].calls < turns - 0.5


def _series(words: Any) -> str:
    *others, last = list(words)
    return f"{', '.join(others)} and {last}"
