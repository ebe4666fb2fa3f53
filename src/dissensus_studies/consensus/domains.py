"""The domains: who debates, on which statements, and what the public prefers.

A domain is a folder with two files, ``agents.yaml`` and ``statements.csv``;
``resources/stakeholders/README.md`` says what they hold.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from dissensus.errors import ResourceError, SettingError
from dissensus.setting_faults import Faults, fault
from dissensus.settings import Line, Settings, Spelled, Text, validate
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import text
from dissensus.user_files import YamlFile, read_csv

from .scale import LABELS, read_truth

SPLITS = ("train", "held_out")
AGENTS, STATEMENTS_FILE = "agents.yaml", "statements.csv"

STATEMENTS = Schema(
    name="statements",
    row="statement",
    columns={
        "statement_id": text("Name of the statement: its domain and its id in the domain's file."),
        "domain": text("Name of the domain in the configuration."),
        "split": text("train or held_out."),
        "statement": text("What agents vote on, as the prompts state it."),
        "truth": text("What the public prefers: one label of the scale, or two ends of a set."),
        "truth_low": Column("int", "Lowest point of what the public prefers, 0 to 4."),
        "truth_high": Column("int", "Highest point of what the public prefers, 0 to 4."),
        "truth_source": text("Where the preference comes from."),
        "source": text("File that the statement was read from."),
    },
    key=("statement_id",),
)
_NEEDED = ("statement_id", "split", "statement", "truth", "truth_source")

_Name = Annotated[
    str,
    Spelled(
        r"^[^\W\d_][\w-]{0,39}$",
        "it may have letters, digits, - and _, a letter first, and 40 characters at most",
    ),
]


class Pair(Settings):
    question: Text
    answer: Text


class Agent(Settings):
    """A stakeholder: a system prompt, and what it said in an interview."""

    id: _Name
    """Its name in the debate, such as ngo."""
    system: Text
    interview: Annotated[list[Pair], Field(min_length=1)]


class Domain(Settings):
    """Who debates in a domain, and where."""

    where: Line
    """What experts know, such as: the city of Port Alder."""
    place: Line
    """The same in short, such as: Port Alder."""
    agents: Annotated[list[Agent], Field(min_length=2)]

    @model_validator(mode="after")
    def _named_once(self) -> Domain:
        names = [agent.id for agent in self.agents]
        for number, name in enumerate(names):
            if name in names[:number]:
                may = "another agent has that id; give each its own"
                raise Faults(fault(f"agents.{number}.id", name, may))
        return self

    @property
    def names(self) -> list[str]:
        """Of the agents, in the file's order."""
        return [agent.id for agent in self.agents]


def read_domain(folder: str | Path) -> Domain:
    """Who debates, from a domain's ``agents.yaml``.

    Raises
    ------
    ResourceError : a line for each fault, with the file, its line and the mend.
    """
    file = YamlFile.read(Path(folder) / AGENTS)
    try:
        return validate(Domain, file.value, file.place)
    except SettingError as error:
        raise ResourceError(str(error)) from None


def read_statements(domain: str, folder: str | Path) -> list[dict[str, Any]]:
    """The statements of a domain, in the order of its ``statements.csv``.

    Parameters
    ----------
    domain : its name in the configuration.
    folder : with its files.

    Returns
    -------
    Rows of :data:`STATEMENTS`.

    Raises
    ------
    ResourceError : with the file, the row and the mend.
    """
    path = Path(folder) / STATEMENTS_FILE
    rows: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for number, cells in read_csv(path, _NEEDED):
        where = f"{path}, row {number}"
        cells = {name: " ".join(cell.split()) for name, cell in cells.items()}
        empty = [name for name in _NEEDED if not cells[name]]
        if empty:
            raise ResourceError(f"{where}: {empty[0]} is empty; fill it in.")
        _check_once(where, cells, seen, number)
        if cells["split"] not in SPLITS:
            may = f"it may be {' or '.join(SPLITS)}"
            raise ResourceError(f"{where}: {fault('split', cells['split'], may)}")
        truth = read_truth(cells["truth"])
        if not truth:
            may = f"it may be one of {', '.join(LABELS)}, or a set such as Neutral to Agree"
            raise ResourceError(f"{where}: {fault('truth', cells['truth'], may)}")
        rows.append(
            {
                "statement_id": f"{domain}-{cells['statement_id']}",
                "domain": domain,
                "split": cells["split"],
                "statement": cells["statement"],
                "truth": cells["truth"],
                "truth_low": truth[0],
                "truth_high": truth[-1],
                "truth_source": cells["truth_source"],
                "source": str(path),
            }
        )
    if not rows:
        raise ResourceError(f"{path} holds no statements; give it at least one row.")
    return rows


def _check_once(where: str, cells: Mapping[str, str], seen: dict[str, int], number: int) -> None:
    """Refuse an id that no file can be named by, and whatever stands twice, in any split."""
    name = cells["statement_id"]
    if not (name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
        may = "it may have plain letters, digits, - and _ only"
        raise ResourceError(f"{where}: {fault('statement_id', name, may)}")
    for column in ("statement_id", "statement"):
        key = f"{column} {_wording(cells[column])}"
        if key in seen:
            raise ResourceError(
                f"{where}: its {column} stands in row {seen[key]} already; leave one out, since "
                "train and held-out statements must differ."
            )
        seen[key] = number


def _wording(statement: str) -> str:
    """What makes two statements the same: their letters and digits."""
    folded = unicodedata.normalize("NFKC", statement).casefold()
    return "".join(character for character in folded if character.isalnum())


def _check_apart(rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a held-out statement of one domain that is another's training statement.

    Agents that learn from another domain would have learned from what they are tested on.
    """
    trained = {_wording(row["statement"]): row for row in rows if row["split"] == "train"}
    for row in rows:
        other = trained.get(_wording(row["statement"])) if row["split"] != "train" else None
        if other:
            raise ResourceError(
                f"{row['source']}: {row['statement_id']} is held_out, and {other['source']} has "
                f"the same statement as {other['statement_id']} in train; leave one out, since "
                "agents may learn from another domain."
            )


def collect(settings: Mapping[str, Any], seed: int) -> dict[str, tuple[Schema, list[Any]]]:
    """The statements of a run; see :class:`dissensus.study.study.Source`."""
    rows = [
        row
        for domain, folder in settings["domains"].items()
        for row in read_statements(domain, folder)
    ]
    _check_apart(rows)
    return {"statements": (STATEMENTS, rows)}
