"""What a run of imported debates draws from: the sessions of its files, and their manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.digests import file_digest
from dissensus.errors import ResourceError
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, number, text, texts

from .turns import (
    ImportedSession,
    ImportedTable,
    read_table,
    says_something,
)

Row = dict[str, Any]

IDS: dict[str, Column] = {
    **common("session_id", "draw_id"),
    "arm": text("Arm of the session, as its file names it."),
    "cluster_id": text("What is independent: the file's cluster, or its item, draw or session."),
    "item": text("What is debated, as the file has it; empty where it does not say."),
    "source_session": text("Name of the session in its file."),
}
_GIVEN = {
    "truth": Column("string?", "Right value as JSON; missing where the file has none."),
    "decision": Column("string?", "What the group decides as JSON; missing where not known."),
    "score": number("Score that the file gives the session; missing where it has none."),
    "scores_json": Column("string?", "All scores that it gives, as JSON; missing for none."),
}
#: Sums over the turns.
_USED = {
    f"session_{name}": Column(
        kind, f"{what} of all turns; missing where the file does not say it of each.", unit
    )
    for name, kind, what, unit in (
        ("input_tokens", "int?", "Tokens that models read", "tokens"),
        ("output_tokens", "int?", "Tokens that models wrote", "tokens"),
        ("cost_usd", "float?", "Cost", "US dollars"),
    )
}

IMPORTED = Schema(
    "imported",
    "session of an imported file",
    {
        **common("session_id"),
        "source_session": IDS["source_session"],
        "file": text("Name of the file that has it."),
        "sha256": text("Digest of that file's bytes."),
        "arm": IDS["arm"],
        "item": IDS["item"],
        "unit": text("What the session shares with those of other arms; unique where nothing."),
        "cluster_id": IDS["cluster_id"],
        **_GIVEN,
        **_USED,
        "turns": texts(
            "Every turn as JSON: turn, speaker, role, round_label, model, person, text, value, "
            "repairs, compliant, input_tokens, output_tokens and cost_usd."
        ),
    },
    key=("session_id",),
)
FILES = Schema(
    "imported_files",
    "imported file",
    {
        "file": text("Name of the file, without its folder."),
        "sha256": text("Digest of its bytes."),
        "made_from": texts("Format, file and digest that it was converted from; none where not."),
        "columns": texts("Field of a turn, and what the file calls it."),
        "always": texts("Field of a turn, and what all turns of the file have."),
        "sessions": count("How many sessions it has."),
        "turns": count("How many turns say something."),
        "wordless": count("How many rows have no words: a value alone, or nothing."),
        "people": Column(
            "int?", "How many turns are of people; missing where the file does not say.", "count"
        ),
        "simulated_turns": count("How many turns the file says are of simulated models."),
        "dropped": texts("What the file has and the run has not: names of people, and times."),
    },
    key=("file", "sha256"),
)
TIMES = Schema(
    "imported_times",
    "turn whose time was kept",
    {
        **common("session_id", "turn", "speaker"),
        "time": text("When it was said, as the file has it."),
    },
    key=("session_id", "turn", "speaker"),
)
MANIFEST = Schema(
    "manifest",
    "session",
    {**common("session_id", "draw_id", "block", "position", "seed"), **IDS, **_GIVEN, **_USED},
    key=("session_id",),
)


def collect(settings: Mapping[str, Any], seed: int) -> dict[str, tuple[Schema, list[Row]]]:
    """The sessions of all files; see :class:`~dissensus.study.study.Source`.

    Raises
    ------
    ResourceError : a row is wrong, by file and row; nothing is taken then.
    """
    sessions: list[ImportedSession] = []
    files: list[Row] = []
    digests: dict[str, Path] = {}
    for given in settings["tables"]:
        path = Path(given["file"])
        table = read_table(path, given["columns"], given["always"], settings["keep"])
        about = _about(path, given, table, settings["keep"])
        if other := digests.get(about["sha256"]):
            raise ResourceError(f"{path} has the same bytes as {other}; leave one out of tables.")
        digests[about["sha256"]] = path
        for session in table.sessions:
            session.sha256 = about["sha256"]
        _check_simulated(path, given, table, settings["simulated"])
        files.append(about)
        sessions += table.sessions
    _check_arms(sessions, settings["arms"])
    width = max(4, len(str(len(sessions))))
    names = [f"s{number:0{width}d}" for number in range(1, len(sessions) + 1)]
    rows = [
        _session_row(name, session, settings["paired_by"])
        for name, session in zip(names, sessions, strict=True)
    ]
    _check_clusters(rows, sessions)
    times = [
        {"session_id": name, "turn": turn.number, "speaker": turn.speaker, "time": turn.time}
        for name, session in zip(names, sessions, strict=True)
        for turn in session.turns
        if turn.time and "times" in settings["keep"]
    ]
    return {
        "imported": (IMPORTED, rows),
        "imported_files": (FILES, files),
        "imported_times": (TIMES, times),
    }


def _about(path: Path, given: Mapping[str, Any], table: ImportedTable, keep: Sequence[str]) -> Row:
    """What is said of a file."""
    turns = [turn for session in table.sessions for turn in session.turns]
    persons = [turn.person for turn in turns if says_something(turn.text)]
    dropped = ["times"] if any(turn.time for turn in turns) and "times" not in keep else []
    if "names" not in keep and any(person is not False for person in persons):
        dropped.append("names of people")
    return {
        "file": path.name,
        "sha256": file_digest(path),
        "made_from": list(given["made_from"]),
        "columns": [f"{name}: {column}" for name, column in table.mapped.items()],
        "always": [f"{name}: {value}" for name, value in given["always"].items()],
        "sessions": len(table.sessions),
        "turns": table.turns,
        "wordless": table.wordless,
        "people": None if None in persons else sum(map(bool, persons)),
        "simulated_turns": table.simulated,
        "dropped": dropped,
    }


def _check_simulated(
    path: Path, given: Mapping[str, Any], table: ImportedTable, simulated: bool
) -> None:
    """Refuse a file whose simulated models the run would pass for others."""
    if table.simulated and not simulated:
        raise ResourceError(
            f"{path} says that simulated models speak in {table.simulated:,} turns, and "
            "debates.simulated is false; set it to true, so that all figures say so."
        )


def _session_row(name: str, session: ImportedSession, paired_by: str) -> Row:
    """A row of :data:`IMPORTED`."""
    fields = session.fields
    shared = fields.get(paired_by)
    if paired_by != "none" and shared is None:
        raise ResourceError(
            f"{session.place}: the session {session.source!r} has no {paired_by}, which "
            "debates.paired_by names; give it one, or set paired_by to none."
        )
    cluster = fields["cluster"] or fields["item"] or shared
    return {
        "session_id": name,
        "source_session": session.source,
        "file": session.file,
        "sha256": session.sha256,
        "arm": fields["arm"],
        "item": fields["item"] or "",
        "unit": name if shared is None else shared,
        "cluster_id": cluster or name,
        **{given: fields[given] for given in _GIVEN},
        **{name: _sum(session, name.removeprefix("session_")) for name in _USED},
        "turns": [turn.as_json() for turn in session.turns],
    }


def _sum(session: ImportedSession, name: str) -> float | None:
    """What the models of a session took; None where the file does not say it of each turn."""
    # Who is a person takes none, and so does a vote without words.
    taken = [getattr(t, name) for t in session.turns if not t.person and says_something(t.text)]
    return None if None in taken or not taken else sum(taken)


def _check_arms(sessions: Sequence[ImportedSession], arms: Sequence[str]) -> None:
    """Take a session without an arm for one of the only arm; refuse others than are declared."""
    for session in sessions:
        arm = session.fields["arm"]
        if arm is None and len(arms) == 1:
            session.fields["arm"] = arms[0]
        elif arm not in arms:
            has = "no arm" if arm is None else f"the arm {arm!r}"
            raise ResourceError(
                f"{session.place}: the session {session.source!r} has {has}; debates.arms has "
                f"{', '.join(arms)}: correct one of them."
            )


def _check_clusters(rows: Sequence[Row], sessions: Sequence[ImportedSession]) -> None:
    """Refuse a unit whose sessions lie in several clusters."""
    first: dict[str, tuple[str, str]] = {}
    for row, session in zip(rows, sessions, strict=True):
        cluster, place = first.setdefault(row["unit"], (row["cluster_id"], session.place))
        if cluster != row["cluster_id"]:
            raise ResourceError(
                f"{session.place}: {row['unit']!r}, by which sessions are paired, is in the "
                f"cluster {row['cluster_id']!r}, and in {cluster!r} in {place}; a pair lies in one."
            )


def draw(
    items: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int
) -> list[Row]:
    """The manifest: nothing is random; see :class:`~dissensus.study.study.Manifest`."""
    units = {unit: n for n, unit in enumerate(dict.fromkeys(row["unit"] for row in items.values()))}
    width = max(4, len(str(len(units))))
    places: dict[str, int] = {}
    rows = []
    for place, row in enumerate(items.values()):
        places[row["unit"]] = places.get(row["unit"], 0) + 1
        rows.append(
            {
                "session_id": row["session_id"],
                "draw_id": f"d{units[row['unit']] + 1:0{width}d}",
                "block": place // settings["block_size"] + 1,
                "position": places[row["unit"]],
                "seed": 0,
                "arm": row["arm"],
                "cluster_id": row["cluster_id"],
                "item": row["item"],
                "source_session": row["source_session"],
                **{given: row[given] for given in (*_GIVEN, *_USED)},
            }
        )
    return rows
