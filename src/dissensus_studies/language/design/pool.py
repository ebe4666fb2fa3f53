"""The motion pool: read, checked row by row, coded twice, adjudicated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import flag, text
from dissensus.user_files import read_csv

from ..settings import LanguageCondition, PoolSettings

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
        """The codes of a file.

        Raises
        ------
        ResourceError : a code or a domain is missing, wrong or stands twice.
        """
        domains: dict[int, str] = {}
        for number, row in read_csv(path, ("code", "domain")):
            where = f"{path}, row {number}"
            code, domain = _whole(row, "code", where), row["domain"].strip()
            if not domain:
                raise ResourceError(f"{where}: domain is empty; name the domain of code {code}.")
            if code in domains or domain in domains.values():
                twice = f"code {code}" if code in domains else f"domain {domain!r}"
                raise ResourceError(f"{where}: the {twice} stands twice; keep one row.")
            domains[code] = domain
        return cls(domains)


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
    columns = tuple(dict.fromkeys(c.motion for c in languages.values()))
    motions = _motions(settings.motions, columns)
    motion_ids = {row["motion_id"] for _, row in motions}
    first, second, settled = (
        _codes(file, codebook, settings.motions, motion_ids)
        for file in (settings.coder_a, settings.coder_b, settings.adjudication)
    )
    pool = []
    for number, row in motions:
        name = row["motion_id"]
        for codes, file in ((first, settings.coder_a), (second, settings.coder_b)):
            if name not in codes:
                raise ResourceError(
                    f"{settings.motions}, row {number}: motion {name!r} has no code in {file}; "
                    "add one."
                )
        where = f"{settings.motions}, row {number}"
        coded = first[name], second[name]
        domain = _adjudicated(name, coded, settled, where, settings.adjudication)
        year = _whole(row, "year", where)
        pool.append(
            {
                "motion_id": name,
                "tournament": row["tournament"],
                "year": year,
                "round": row["round"],
                **{column: row[column].strip() for column in columns},
                "coder_a": coded[0],
                "coder_b": coded[1],
                "domain_id": domain,
                "domain": codebook.domains[domain],
                "adjudicated": coded[0] != coded[1],
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


def _adjudicated(
    name: str, coded: tuple[int, int], settled: Mapping[str, int], where: str, adjudication: str
) -> int:
    """The code of a motion: that of both coders, or the one that was settled on.

    Raises
    ------
    ResourceError : the coders disagree and nothing was settled, or agree on another code.
    """
    first, second = coded
    if first != second and name not in settled:
        raise ResourceError(
            f"{where}: the coders gave motion {name!r} the codes {first} and {second}; settle it "
            f"in {adjudication}."
        )
    if first == second and settled.get(name, first) != first:
        raise ResourceError(
            f"{adjudication}: motion {name!r} has the code {settled[name]}, and both coders gave "
            f"it {first}; delete the row, or correct a coding."
        )
    return first if first == second else settled[name]


def _motions(path: str, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    rows = read_csv(path, (*_MOTION_COLUMNS, *columns))
    seen: dict[str, int] = {}
    for number, row in rows:
        name = row["motion_id"]
        if not name.strip():
            raise ResourceError(f"{path}, row {number}: motion_id is empty; give the motion an id.")
        if name in seen:
            raise ResourceError(
                f"{path}, row {number}: motion_id {name!r} stands in row {seen[name]} already; "
                "ids must be unique."
            )
        seen[name] = number
        for column in columns:
            if not row[column].strip():
                raise ResourceError(
                    f"{path}, row {number}: {column} of motion {name!r} is empty; fill in the text."
                )
    return rows


def _codes(
    path: str, codebook: Codebook, motions: str, motion_ids: Collection[str]
) -> dict[str, int]:
    """motion_id -> code: each motion is known and each code in the codebook."""
    codes: dict[str, int] = {}
    for number, row in read_csv(path, ("motion_id", "code")):
        where, name = f"{path}, row {number}", row["motion_id"]
        code = _whole(row, "code", where)
        if name not in motion_ids:
            raise ResourceError(
                f"{where}: {motions} has no motion {name!r}; correct the id, or delete the row."
            )
        if code not in codebook.domains:
            raise ResourceError(
                f"{where}: motion {name!r} has the unknown domain code {code}; the codebook has "
                f"{', '.join(map(str, codebook.domains))}."
            )
        if name in codes:
            raise ResourceError(f"{where}: motion {name!r} is coded twice; keep one row.")
        codes[name] = code
    return codes


def _whole(row: Mapping[str, str], column: str, where: str) -> int:
    """A whole number that artefacts can hold."""
    try:
        number = int(row[column])
    except ValueError:
        number = -1
    if not 0 <= number < 2**31:
        raise ResourceError(
            f"{where}: {column} holds {row[column]!r}; it must be a whole number of 0 or more."
        )
    return number
