"""What a study can find, and for how much, as its diagnosis says where there is one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import wrap
from typing import Any

from dissensus.digests import digest, file_digest
from dissensus.llm.prices import price_of
from dissensus.plan.cost import EXPECTED, priced_by, terms_in
from dissensus.plan.priced import price_settings
from dissensus.report.labels import listed
from dissensus.shipped import command
from dissensus.study.configuration import Configuration
from dissensus.study.given import diagnosis_settings, stage_files
from dissensus.study.sessions import Sessions
from dissensus.study.study import Study
from dissensus.tables.artefact import provenance_of, read

#: In the metadata of a diagnosis: each setting that it was made with -> digest.
DESIGN = "design_sha256"
#: Settings of a diagnosis that say nothing of the design: what is simulated, and by whom.
_NO_DESIGN = ("diagnosis", "models", "identities")


_DIAGNOSIS = "design_diagnosis.parquet"


def design_digests(configuration: Configuration, study: Study[Any]) -> dict[str, str]:
    """What a diagnosis rests on -> digest: settings, files, the study's own, and its models."""
    assert study.diagnosis is not None
    settings = diagnosis_settings(configuration, study)
    design = {name: value for name, value in settings.items() if name not in _NO_DESIGN}
    digests = {name: digest(value) for name, value in design.items()}
    digests["seed"] = digest(configuration.seed)
    files = [
        *stage_files(study, study.diagnosis),
        str(sys.modules[type(study).__module__].__file__),
    ]
    digests |= {Path(file).name: file_digest(Path(file)) for file in files}
    identities = settings.get("identities", {})
    return digests | {f"models.{name}": value for name, value in identities.items()}


def expected_usd(configuration: Configuration, sessions: Sessions) -> float | None:
    """What a study is expected to cost; None where a price is missing.

    Models that are simulated cost nothing. Where ``diagnosis.prices`` has one for each of them, it
    is what those cost that they stand for.
    """
    given = price_settings(configuration, sessions.study.name)
    prices = _prices(sessions.study)
    terms = {
        (purpose, model): replace(of, free="", price=price_of("", model, {}, prices[model]))
        if of.free and model in prices
        else of
        for (purpose, model), of in terms_in(given).items()
    }
    lines = priced_by(terms, given, sessions)
    is_priced = bool(lines) and all(line.has_price for line in lines)
    return sum(line.usd(EXPECTED) for line in lines) if is_priced else None


def _prices(study: Study[Any]) -> dict[str, dict[str, float | None]]:
    diagnosis = getattr(study.settings, "diagnosis", None)
    prices = getattr(diagnosis, "prices", {})
    return {name: price.model_dump() for name, price in prices.items()}


def describe_smallest(configuration: Configuration, sessions: Sessions) -> list[str]:
    """The smallest differences that are found with 80% power, and the price, as lines.

    They are those that ``snakemake diagnosis`` has found for the number of items that is set, and
    for others; no line without it, and one alone where it is of other settings.
    """
    path, items = sessions.folder / _DIAGNOSIS, len(sessions.items)
    diagnosis = sessions.study.diagnosis
    if not diagnosis or not diagnosis.models or not path.is_file():
        return []
    if others := _other_settings(configuration, sessions.study, provenance_of(path)):
        return wrap(
            f"{path} is of another design: {listed(others)} changed since; "
            f"{command('diagnosis', cores=0)} makes it anew",
            100,
        )
    smallest: dict[int, dict[str, float]] = {}
    for row in diagnosed(configuration, sessions):
        # A null is played by the reference alone, and says nothing of what the arms vary by.
        if row["items"] and row["smallest"] is not None and row["true_se"]:
            of_size = smallest.setdefault(row["items"], {})
            of_size[row["world"].split(", ", 1)[1]] = row["smallest"]
    usd = expected_usd(configuration, sessions)
    sentences = list(_sentences(smallest, items, usd and usd / items))
    return wrap("; ".join(sentences), 100) if sentences else []


def diagnosed(configuration: Configuration, sessions: Sessions) -> list[dict[str, Any]]:
    """Rows of a study's diagnosis; none without one, or where it is of other settings."""
    from dissensus.design.diagnosis import DIAGNOSIS

    path = sessions.folder / _DIAGNOSIS
    if not sessions.study.diagnosis or not path.is_file():
        return []
    if _other_settings(configuration, sessions.study, provenance_of(path)):
        return []
    rows: list[dict[str, Any]] = read(path, DIAGNOSIS).to_pylist()
    return rows


def _sentences(
    smallest: Mapping[int, Mapping[str, float]], items: int, usd_of_item: float | None
) -> Iterator[str]:
    """What is found with the number of items that is set, and then with each other number."""
    first = items if items in smallest else next(iter(smallest), 0)
    for size in sorted(smallest, key=lambda each: (each != first, each)):
        differences = listed(f"{value:.3f} ({name})" for name, value in smallest[size].items())
        price = "" if usd_of_item is None else f", for ${usd_of_item * size:,.2f}"
        if size == first:
            yield (
                f"with {size:,} items the smallest difference found with 80% power is {differences}"
                f"{price}, as simulated models say ({command('diagnosis', cores=0)})"
            )
        else:
            yield f"with {size:,} items it is {differences}{price}"


def _other_settings(
    configuration: Configuration, study: Study[Any], made_with: Mapping[str, Any]
) -> list[str]:
    """The settings that are not those of a diagnosis; real models are none of its."""
    now = design_digests(configuration, study)
    then: Mapping[str, str] = made_with.get(DESIGN, {})
    every = [*now, *(name for name in then if name not in now)]
    return [
        name
        for name in every
        if now.get(name) != then.get(name)
        and (configuration.simulated or not name.startswith("models."))
    ]
