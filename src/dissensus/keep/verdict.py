"""The page of an archive that says what to believe of its run, in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from dissensus.digests import file_digest
from dissensus.keep.closing import CLOSING
from dissensus.keep.reply_counts import answers_elsewhere, journals, replies_in, reply_page
from dissensus.llm.journal import Journal
from dissensus.llm.ledger import LEDGER
from dissensus.llm.prices import price_of, read_prices
from dissensus.plan.order import order_of
from dissensus.plan.registering.direction import direction_of
from dissensus.report.frames import Column
from dissensus.report.labels import counted, number
from dissensus.report.markdown import bullets, line, page, table
from dissensus.shipped import home
from dissensus.study.configuration import Configuration
from dissensus.tables.artefact import provenance_of, read
from dissensus.tables.provenance import PLAN_DIGEST, PLAN_FILE

VERDICT = "VERDICT.md"
_CITATION = "CITATION.cff"
#: Whoever deletes all and asks again leaves no trace in what he publishes.
_ONLY_ONE = (
    "Whether replies were asked for before this plan, or again until some pleased, no file of a "
    "run can show."
)


class Creator(NamedTuple):
    """Who made a run; ``kind``: Person or Organization, as schema.org has it."""

    name: str
    orcid: str
    kind: str


def creators(settings: Configuration) -> list[Creator]:
    """Who made a run, by the setting ``creator``; nobody where it is empty."""
    return [Creator(each.name, each.orcid or "", "Person") for each in settings.creator]


def authors() -> list[Creator]:
    """Who made the software, by CITATION.cff."""
    return [_author(each) for each in citation().get("authors", [])]


def citation() -> dict[str, Any]:
    """What CITATION.cff of the project says; its licence alone where there is no such file."""
    # Of the project, or else of the software.
    path = Path(_CITATION) if Path(_CITATION).is_file() else home() / _CITATION
    citation_file: dict[str, Any] = (
        yaml.safe_load(path.read_text("utf-8")) if path.is_file() else {}
    )
    return {"license": "Apache-2.0", **citation_file}


def _author(given: Mapping[str, str]) -> Creator:
    """An author as CITATION.cff has one: an organisation by its name, a person by two."""
    if "name" in given:
        return Creator(given["name"], "", "Organization")
    name = f"{given['given-names']} {given['family-names']}"
    return Creator(name, given.get("orcid", ""), "Person")


def verdict_page(
    settings: Configuration, results: Path, code: str, digest: str, closing: str = ""
) -> str:
    """Registered or not, deviations, losses, prices and digests of a finished run.

    Parameters
    ----------
    settings : of the run.
    results : its folder.
    code : its commit, and its version where it is an installed package.
    digest : SHA-256 of the list of the results' digests.
    closing : SHA-256 of the run's closing; "" where it has none.
    """
    names = ", ".join(each.name for each in creators(settings))
    by = f"{names} (from the setting creator)" if names else "not stated"
    licence = f"Licence of the data: {settings.license or 'not stated'}."
    parts = [bullets([f"Creator: {by}.", licence, f"Code: {code}."])]
    for name in settings.studies:
        parts += [
            f"## {line(name)}",
            bullets([*_of_study(results / name, settings.study(name).headline_rows)]),
        ]
    parts += ["## Replies", reply_page(results), *_elsewhere(results), "## Prices"]
    parts += [
        _prices(settings),
        "## Digests",
        bullets([*_digests(settings, results, digest, closing)]),
    ]
    return page(f"What to believe of run {settings.run}", parts, settings.simulated)


def _elsewhere(results: Path) -> Iterator[str]:
    """What was paid for answers that no journal has; nothing of a panel, whose ledger is of all."""
    ledger = results / LEDGER
    if ledger.is_file():
        replies = [reply for path in journals(results) for reply in replies_in(path)]
        paid = sum((reply.cost_usd or 0.0) + reply.faults_usd for reply in replies)
        if sentence := answers_elsewhere(ledger, paid):
            yield line(sentence)


def _of_study(folder: Path, headline_rows: str) -> Iterator[str]:
    """Whether it was registered, what was done otherwise, and what was lost."""
    listed = folder / "deviations.parquet"
    if listed.is_file():
        order = order_of(folder)
        yield from order.sentences() if order else ()
        rows = read(listed).to_pylist()
        kinds = Counter(row["kind"] for row in rows)
        by_kind = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
        yield counted(len(rows), "deviation") + (f": {by_kind}." if rows else " from its plan.")
        # Which came first is said above.
        yield from (row["sentence"] for row in rows if row["name"] != "order")
        if direction := direction_of(folder, headline_rows):
            yield from direction.sentences()
        yield from _of_origin(folder)
    else:
        yield "Not registered: it had no plan before its first session."
    complete = read(folder / "outcomes.parquet")["complete"].to_pylist()
    yield f"{counted(len(complete), 'session')}, of which {complete.count(False):,} lost for good."


def _of_origin(folder: Path) -> Iterator[str]:
    """What no file of a run can show, and who could tell."""
    replies = [
        reply for path in sorted((folder / "journal").glob("*.jsonl"))
        for reply in Journal(path).replies
    ]  # fmt: skip
    named = sum(bool(reply.request_id) for reply in replies)
    yield _ONLY_ONE
    labelled = folder / "labelled.parquet"
    if labelled.is_file():
        yield (
            f"People labelled {counted(read(labelled).num_rows, 'text')}: whether these are of the "
            "first sample that was drawn, and all of it that was labelled, no file can show."
        )
    if named:
        yield (
            f"{named:,} of {len(replies):,} replies have the id that the "
            "provider gave them: its records, and its bill, can tell when they were made and what "
            "else was asked."
        )


def _prices(settings: Configuration) -> str:
    """What each model costs, and where that is from."""
    prices = read_prices(settings.prices) if settings.prices else {}
    rows = []
    for name in settings.used:
        entry = settings.models[name].model_dump()
        named = str(entry.get("model") or name)
        row: dict[str, Any] = {"model": name, "named": named, "usd_in": None, "usd_out": None}
        if settings.is_simulated(name):
            rows.append({**row, "source": "simulated: nobody is paid"})
            continue
        price = price_of(entry["provider"], named, prices, entry["price"])
        if price is None:
            rows.append({**row, "source": "no price is known"})
            continue
        source = f"{price.source}, {price.as_of}".strip(", ")
        rows.append(
            {**row, "usd_in": price.input_usd, "usd_out": price.output_usd, "source": source}
        )
    columns = [
        Column("Model", "model"),
        Column("Its provider's name for it", "named"),
        Column("In", "usd_in", number),
        Column("Out", "usd_out", number),
        Column("From", "source"),
    ]
    return table("What models cost", columns, rows, "US dollars a million tokens.")


def _digests(settings: Configuration, results: Path, digest: str, closing: str) -> Iterator[str]:
    for name in settings.studies:
        plan = results / name / PLAN_FILE
        if plan.is_file():
            under = provenance_of(results / name / "turns.parquet").get(PLAN_DIGEST)
            made = "made under it" if under == file_digest(plan) else "not made under it"
            yield f"Plan of {name}, SHA-256 {file_digest(plan)}; what was said was {made}."
    if closing:
        yield (
            f"{CLOSING}, which has the digest of each journal, plan and table and of the ledger: "
            f"SHA-256 {closing}. Its author can make all of it anew: compare it with a note that "
            "somebody else has."
        )
    yield f"results.sha256, which has the digest of each result: SHA-256 {digest}."
