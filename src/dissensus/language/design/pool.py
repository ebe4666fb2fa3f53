"""The motion pool: read, checked row by row, coded twice, adjudicated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.language.settings import LanguageCondition, PoolSettings
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import flag, text
from dissensus.user_files import read_csv

#: The code for a motion on which government does nothing that the classification knows.
NO_FUNCTION = 0

POOL = Schema(
    name="pool",
    row="motion",
    columns={
        "motion_id": text("Name of the motion; see the artefact pool."),
        "tournament": text("Tournament that the motion was debated at."),
        "year": Column("int", "Year of the tournament.", "calendar year"),
        "round": text("Round of the tournament."),
        "coder_a": Column("int", "Code of the domain that the first coder gave."),
        "coder_b": Column("int", "Code of the domain that the second coder gave."),
        "domain_id": Column("int", "Code of the domain; 0 where a motion has none."),
        "domain": text("Name of the domain in the codebook."),
        "adjudicated": flag("Whether the coders disagreed and their codes were settled."),
        "source": text("Collection that the motion was taken from."),
        "drawable": flag("Whether the manifest may draw the motion."),
        "motion_{language}": text("Text of the motion in one language."),
    },
    key=("motion_id",),
    where={"language": r"\w+"},
)


_MOTION_COLUMNS = ("motion_id", "source", "tournament", "year", "round")


@dataclass(frozen=True)
class Codebook:
    """Codes and the domains they stand for; ``0`` is "no function"."""

    domains: Mapping[int, str]

    @classmethod
    def read(cls, path: str | Path) -> Codebook:
        rows = read_csv(path, ("code", "domain"))
        return cls({_whole(row, "code", path, line): row["domain"] for line, row in rows})


def build_pool(
    settings: PoolSettings, languages: Mapping[str, LanguageCondition]
) -> tuple[list[dict[str, Any]], Codebook]:
    """Every motion of the files, coded and adjudicated, in the file's order; and the codebook.

    ``drawable`` is false for a motion that the settings' sources or years leave out or that has
    no domain; those stay in the pool, since both coders saw them.

    Raises
    ------
    ResourceError : the first row that cannot be used, by file and line.
    """
    codebook = Codebook.read(settings.codebook)
    first = _codes(settings.coder_a, codebook)
    second = _codes(settings.coder_b, codebook)
    settled = _codes(settings.adjudication, codebook)
    columns = tuple(dict.fromkeys(c.motion for c in languages.values()))
    pool = []
    for line, row in _motions(settings.motions, columns):
        name = row["motion_id"]
        for codes, file in ((first, settings.coder_a), (second, settings.coder_b)):
            if name not in codes:
                raise ResourceError(
                    f"{settings.motions}, row {line}: motion {name!r} has no code in {file}; "
                    "add one."
                )
        agreed = first[name] == second[name]
        if not agreed and name not in settled:
            raise ResourceError(
                f"{settings.motions}, row {line}: the coders gave motion {name!r} the codes "
                f"{first[name]} and {second[name]}; settle it in {settings.adjudication}."
            )
        domain = first[name] if agreed else settled[name]
        year = _whole(row, "year", settings.motions, line)
        pool.append(
            {
                "motion_id": name,
                "tournament": row["tournament"],
                "year": year,
                "round": row["round"],
                **{column: row[column].strip() for column in columns},
                "coder_a": first[name],
                "coder_b": second[name],
                "domain_id": domain,
                "domain": codebook.domains[domain],
                "adjudicated": not agreed,
                "source": row["source"],
                "drawable": domain != NO_FUNCTION
                and row["source"] in settings.sources
                and year in settings.years,
            }
        )
    if not any(motion["drawable"] for motion in pool):
        raise ResourceError(
            f"{settings.motions}: no motion with a domain is left by language.pool.sources "
            f"({', '.join(settings.sources)}) and language.pool.years; widen them."
        )
    return pool, codebook


def _motions(path: str, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    rows = read_csv(path, (*_MOTION_COLUMNS, *columns))
    seen: dict[str, int] = {}
    for line, row in rows:
        name = row["motion_id"]
        if not name.strip():
            raise ResourceError(f"{path}, row {line}: motion_id is empty; give the motion an id.")
        if name in seen:
            raise ResourceError(
                f"{path}, row {line}: motion_id {name!r} stands in row {seen[name]} already; "
                "ids must be unique."
            )
        seen[name] = line
        for column in columns:
            if not row[column].strip():
                raise ResourceError(
                    f"{path}, row {line}: {column} of motion {name!r} is empty; fill in the text."
                )
    return rows


def _codes(path: str, codebook: Codebook) -> dict[str, int]:
    """motion_id -> code, each one that the codebook knows."""
    codes: dict[str, int] = {}
    for line, row in read_csv(path, ("motion_id", "code")):
        code = _whole(row, "code", path, line)
        name = row["motion_id"]
        if code not in codebook.domains:
            known = ", ".join(map(str, codebook.domains))
            raise ResourceError(
                f"{path}, row {line}: motion {name!r} has the unknown domain code {code}; "
                f"the codebook has {known}."
            )
        if name in codes:
            raise ResourceError(
                f"{path}, row {line}: motion {name!r} is coded twice; keep one row."
            )
        codes[name] = code
    return codes


def _whole(row: Mapping[str, str], column: str, path: str | Path, line: int) -> int:
    try:
        return int(row[column])
    except ValueError:
        raise ResourceError(
            f"{path}, row {line}: {column} holds {row[column]!r}; it must be a whole number."
        ) from None
