"""Tables of what a run has spent, beside its estimate, and of how its models behaved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.plan.cost import EMBEDDING, REPAIRED_TURNS, Line
from dissensus.report.labels import MISSING, listed, number, percent, whole
from dissensus.report.tables import Row, Table, make
from dissensus.run.spending import by_model, spent_usd

_RANGE = ("low", "expected", "high")
#: How a purpose is shown; another is shown with a capital.
_PURPOSES = {"debate": "Debates", "judge": "Judges", EMBEDDING: "Embeddings"}
_COUNTS = ("calls", "tries", "input_tokens", "output_tokens")
_USD = ("first_usd", "repairs_usd", "reruns_usd", "faults_usd")
#: The most values that a cell of names shows.
_SHOWN = 4

_MODELS_COLUMNS = (
    *("Purpose", "Model", "Provider", "Asked", "Answered by", "Fingerprint", "Calls"),
    *("Other model", "Failed tries", "Given up", "Finish reason", "Tokens in", "Tokens out"),
)
_MODELS_NOTE = (
    "Each value with the number of the model's calls that had it, for all purposes together. "
    "Answered by, fingerprint: as the provider reports them, empty where it reports none. Other "
    "model: calls that a model answered which the asked name does not stand for; a dated snapshot "
    "of it is no other. "
    "Failed tries: by what became of each. Given up: calls that ended so, after all tries. "
    "Tokens: mean of a call."
)


def table_spending(
    spent: Sequence[Mapping[str, Any]],
    estimate: Sequence[Line],
    budget_usd: float | None,
    simulated: bool,
) -> Table:
    """Dollars by model and purpose, with what repairs, re-runs and failed tries cost.

    Parameters
    ----------
    spent : rows of the spending artefact.
    estimate : what was expected of the same manifest.
    budget_usd : what the run may spend; None for no limit.
    """
    sums = by_model(spent)
    rows: list[Row] = []
    for line in estimate:
        total = sums.get((line.purpose, line.model))
        if total is None and line.terms.free:
            continue
        rows.append(
            (
                _PURPOSES.get(line.purpose, line.purpose.capitalize()),
                line.model,
                *_counts(total),
                *_spent(total, line.has_price),
                *(_dollars(line.usd(name)) if line.has_price else MISSING for name in _RANGE),
            )
        )
    rows.append(_total(sums, estimate))
    columns = (
        *("Purpose", "Model", "Calls", "Tries", "Tokens in", "Tokens out", "First attempts"),
        *("Repairs", "Re-runs", "Failed tries", "Spent", "Low", "Expected", "High"),
    )
    note = (
        "Dollars. Re-runs are the calls of every attempt at a session but its first, repairs those "
        "that ask again for a turn that broke a format rule. Failed tries: what providers charge, "
        "or may, for tries without an answer that can be used; with any, Spent is the most that it "
        "can be. Low to High: the estimate before "
        f"the run, with replies of a quarter, half and all of their tokens ({REPAIRED_TURNS:.0%} "
        "of turns repaired in the expected one, where the settings allow repairs); where sessions "
        "may end early, Low has the fewest calls, the others the most. "
        f"{_budget(sums, estimate, budget_usd)}"
    )
    return make("table_spending", "What the study has spent", columns, rows, note, simulated)


def _counts(total: Mapping[str, Any] | None) -> Row:
    return tuple(str(total[name]) if total else "0" for name in _COUNTS)


def _spent(total: Mapping[str, Any] | None, has_price: bool) -> Row:
    if not has_price:
        return (MISSING,) * 5
    parts = [total[name] if total else 0.0 for name in _USD]
    return tuple(_dollars(usd) for usd in (*parts, sum(parts)))


def _total(sums: Mapping[tuple[str, str], Mapping[str, Any]], estimate: Sequence[Line]) -> Row:
    every = {name: sum(total[name] for total in sums.values()) for name in (*_COUNTS, *_USD)}
    priced = any(line.has_price for line in estimate)
    foreseen = (
        _dollars(sum(line.usd(name) for line in estimate)) if priced else MISSING for name in _RANGE
    )
    return ("All", "", *_counts(every), *_spent(every, priced), *foreseen)


def _budget(
    sums: Mapping[tuple[str, str], Mapping[str, Any]],
    estimate: Sequence[Line],
    budget: float | None,
) -> str:
    sentences = []
    # A model that is asked for several purposes has a line for each.
    free = dict.fromkeys(line.model for line in estimate if line.terms.free)
    unpriced = (line for line in estimate if not (line.has_price or line.terms.free))
    unknown = dict.fromkeys(line.model for line in unpriced)
    if unknown:
        sentences.append(f"Without a price, and so left out: {listed(unknown)}.")
    if free:
        sentences.append(f"Free: {listed(free)}.")
    if budget is None:
        sentences.append("There is no budget.")
    elif budget > 0:
        spent = sum(spent_usd(total) for total in sums.values())
        share = percent(spent / budget)
        at_most = "at most " if any(total["faults_usd"] for total in sums.values()) else ""
        sentences.append(
            f"Budget of the run: {_dollars(budget)}, of which {at_most}{share} is spent here."
        )
    else:
        sentences.append("The budget is nothing.")
    return " ".join(sentences)


def _dollars(usd: float) -> str:
    return number(usd, 2 if usd >= 1 or usd == 0 else 4)


def table_models(
    conduct: Sequence[Mapping[str, Any]],
    spent: Sequence[Mapping[str, Any]],
    estimate: Sequence[Line],
    simulated: bool,
) -> Table:
    """Each model as it was asked and as it answered.

    Parameters
    ----------
    conduct, spent : rows of these artefacts.
    estimate : its lines name the models of the run, and what each is at its provider.
    """
    facts: dict[tuple[str, str], list[str]] = {}
    others: dict[str, int] = {}
    for row in conduct:
        facts.setdefault((row["model"], row["fact"]), []).append(f"{row['value']} {row['count']}")
        if row["fact"] == "other_model":
            others[row["model"]] = others.get(row["model"], 0) + row["count"]
    rows: list[Row] = []
    for (purpose, model), total in by_model(spent).items():
        terms = next(
            (line.terms for line in estimate if (line.purpose, line.model) == (purpose, model)),
            None,
        )
        calls = total["calls"]
        cells = {
            fact: _values(facts.get((model, fact), []))
            for fact in ("answered_by", "fingerprint", "fault", "given_up", "finish_reason")
        }
        means = (
            number(total[name] / calls, 0) if calls else MISSING
            for name in ("input_tokens", "output_tokens")
        )
        rows.append(
            (
                _PURPOSES.get(purpose, purpose.capitalize()),
                model,
                terms.provider if terms else "",
                terms.asked if terms else "",
                cells["answered_by"],
                cells["fingerprint"],
                str(calls),
                str(others.get(model, 0)),
                cells["fault"],
                cells["given_up"],
                cells["finish_reason"],
                *means,
            )
        )
    warned = [model for model, n in others.items() if n]
    another = f" ANOTHER MODEL ANSWERED for {listed(warned)}." if warned else ""
    return make(
        "table_models",
        "The models and their conduct",
        _MODELS_COLUMNS,
        rows,
        _MODELS_NOTE + another,
        simulated,
    )


def _values(values: Sequence[str]) -> str:
    more = len(values) - _SHOWN
    return ", ".join(values[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def table_arm_spending(
    spent: Sequence[Mapping[str, Any]],
    sessions: Mapping[str, tuple[str, str]],
    estimate: Sequence[Line],
    simulated: bool,
) -> Table:
    """What a session of each arm takes: calls, tokens and dollars, mean over sessions.

    Parameters
    ----------
    spent : rows of the spending artefact; what no session of ``sessions`` asked is left out.
    sessions : session_id -> its kind, "" where the study has one, and its arm for readers.
    estimate : says whether models have a price.
    """
    priced = any(line.has_price for line in estimate)
    of_arm: dict[tuple[str, str], dict[str, Mapping[str, float]]] = {}
    for row in spent:
        session = row["session_id"]
        if session not in sessions:
            continue
        told = of_arm.setdefault(sessions[session], {})
        total = told.get(session, dict.fromkeys((*_COUNTS, *_USD), 0.0))
        told[session] = {name: total[name] + row[name] for name in total}
    has_kinds = len({kind for kind, _ in of_arm}) > 1
    rows: list[Row] = []
    for (kind, arm), told in sorted(of_arm.items()):
        mean = {
            name: sum(total[name] for total in told.values()) / len(told)
            for name in (*_COUNTS, *_USD)
        }
        usd = _dollars(sum(mean[name] for name in _USD)) if priced else MISSING
        counts = (number(mean["calls"], 1), whole(round(mean["input_tokens"])))
        rows.append(
            (
                *([kind] if has_kinds else []),
                *(arm, str(len(told)), *counts, whole(round(mean["output_tokens"])), usd),
            )
        )
    columns = (
        *(["Kind"] if has_kinds else []),
        *("Arm", "Sessions", "Calls", "Tokens in", "Tokens out", "Dollars"),
    )
    note = (
        "Means of a session, with its repairs, its re-runs and what its judges were asked. "
        "Dollars are what was paid here. With another model they are the tokens times its price, "
        "as far as its replies are as long; snakemake cost says what a whole run takes."
    )
    title = "What a session of each arm takes"
    return make("table_arm_spending", title, columns, rows, note, simulated)
