"""The table of what was imported: files, their digests, and what is not known."""

from __future__ import annotations

from dissensus.report.frames import Column, records, tabulate
from dissensus.report.labels import MISSING, listed, number
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, View


def table_imported(artefacts: Artefacts, view: View) -> Table:
    """A row a file, then what speakers are worth in each arm, in the note."""
    files, worth = artefacts.frames("imported_files", "effective_numbers")
    columns = (
        Column("File", "file"),
        Column("SHA-256", "sha256", lambda digest: str(digest)[:12]),
        Column("Sessions", "sessions"),
        Column("Turns", "turns"),
        Column("Without words", "wordless"),
        Column("Of people", "people", _people),
        Column("Dropped", "dropped", lambda names: listed(names) or MISSING),
    )
    note = (
        "Imported, and not asked for here: prompts and times of the calls are not known; tokens "
        "and cost are, where the files say them. Turns say something; rows without words have a "
        "value alone, or nothing, and are no turns. A dash under people: the file does not say who "
        "is one."
    )
    effective = [
        f"{row['arm']} {number(row['effective_number'])} of {row['seats']}"
        for row in records(worth)
        if row["effective_number"] == row["effective_number"]
    ]
    if effective:
        note += f" Independent speakers, by how alike they err: {listed(effective)}."
    return tabulate("table_imported", "What was imported", columns, records(files), note, view)


def _people(count: float) -> str:
    return MISSING if count != count else f"{int(count):,}"
