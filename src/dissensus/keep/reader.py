"""The data of the reader: scripts beside its page, which load where the page is a file.

A page that is opened as a file may load scripts that lie beside it, and nothing else. So each file
calls one function with deflated JSON: an index of every study, and chunks of some sessions each,
their turns in one file (which a search reads) and all else in another.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dissensus.errors import DissensusError
from dissensus.keep.reading import round_of, voice_of
from dissensus.llm.call import Request
from dissensus.llm.journal import NotJournaled
from dissensus.llm.registry import ModelRegistry
from dissensus.report.declared import Details
from dissensus.session.record import rows_of
from dissensus.study.completion import transcript_in
from dissensus.study.kind import Row
from dissensus.study.makes import resolve
from dissensus.study.session_tables import SessionTables
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import provenance_of, read, write_text
from dissensus.tables.provenance import SETTINGS_DIGEST

#: Most sessions of a chunk, and most characters that the models of one were sent.
_SESSIONS, _CHARACTERS = 200, 12_000_000
#: Halves of characters, which no file can hold.
_HALVES = re.compile("[\ud800-\udfff]")
_TURN = ("turn", "speaker", "role", "round_label", "model", "text", "repairs", "compliant")
_CALL = (
    *("session_attempt", "turn", "speaker", "attempt", "role", "purpose", "provider", "model"),
    *("answered_by", "other_model", "input_tokens", "output_tokens", "cost_usd", "latency_s"),
    *("finish_reason", "error", "faults", "faults_said", "request_sha256"),
)


def write_script(path: Path, name: str, data: Any) -> None:
    """Write data as a script that gives them to the reader under a name."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    packed = b64encode(zlib.compress(_HALVES.sub("\ufffd", text).encode(), 6)).decode()
    write_text(path, f'dissensus("{name}","{packed}")\n')


@dataclass(frozen=True)
class Played:
    """What a session left: rows of its artefacts, and its requests where they can be rebuilt."""

    turns: Sequence[Row]
    attempts: Sequence[Row]
    calls: Sequence[Row]
    outcome: Row
    requests: Sequence[Request]


def played(sessions: Sessions, row: Row, registry: ModelRegistry) -> Played:
    """A session as its journal gives it; where that does not, as its files have it."""
    try:
        session = sessions.replayed(row, registry)
    except (NotJournaled, DissensusError):
        name, kept = row["session_id"], SessionTables(sessions.folder)
        path = transcript_in(sessions.folder, name)
        return Played(
            read(path).to_pylist(),
            kept.attempts(name).to_pylist(),
            kept.calls(name).to_pylist(),
            provenance_of(path),
            (),
        )
    made = rows_of(session, {column: row[column] for column in sessions.study.ids})
    requests = [attempt.request for attempt in session.attempts]
    return Played(made.turns, made.attempts, made.calls, made.outcome, requests)


@dataclass
class Chunk:
    """Some sessions, as they are collected.

    What models were sent repeats itself: each line is kept once, and a message is the runs of
    numbers of its lines, first and length of each.
    """

    texts: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, Any] = field(default_factory=dict)
    characters: int = 0
    _lines: dict[str, int] = field(default_factory=dict)
    _messages: dict[tuple[str, str], int] = field(default_factory=dict)
    _runs: list[list[Any]] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether a page could not load more at once."""
        return len(self.texts) >= _SESSIONS or self.characters > _CHARACTERS

    def add(self, name: str, played: Played, details: Mapping[str, Any]) -> None:
        """Add a session."""
        text_of = {(turn["turn"], turn["speaker"]): turn["text"] for turn in played.turns}
        self.texts[name] = [
            [{**turn, **_in_words(turn)}[column] for column in _TURN] for turn in played.turns
        ]
        calls = []
        for number, (attempt, call) in enumerate(zip(played.attempts, played.calls, strict=True)):
            accepted_text = attempt["accepted"] and text_of.get((call["turn"], call["speaker"]))
            text = None if accepted_text == attempt["text"] else attempt["text"]
            rest = [attempt["accepted"], attempt["violations"], text]
            if played.requests:
                rest += self._request(played.requests[number])
            calls.append([call[column] for column in _CALL] + rest)
        self.calls[name] = {
            "calls": calls,
            **{key: value for key, value in details.items() if value},
        }

    def _request(self, request: Request) -> list[Any]:
        """Numbers of its messages, and its other fields as its digest has them."""
        rest = {**request.members, "messages": []}
        frame = json.dumps(rest, ensure_ascii=False, sort_keys=True)
        return [
            [self._message(message.role, message.content) for message in request.messages],
            frame,
        ]

    def _message(self, role: str, content: str) -> int:
        key = role, content
        if key not in self._messages:
            self.characters += len(content)
            self._messages[key] = len(self._runs)
            runs: list[Any] = [role]
            after = -1
            for line in content.split("\n"):
                number = self._lines.setdefault(line, len(self._lines))
                if number == after:
                    runs[-1] += 1
                else:
                    runs += [number, 1]
                after = number + 1
            self._runs.append(runs)
        return self._messages[key]

    def write(self, folder: Path, name: str) -> None:
        """Write both files; ``name``: of the study and the chunk."""
        number = name.rpartition("/")[2]
        write_script(folder / f"{number}-texts.js", f"{name}/texts", self.texts)
        data = {"lines": list(self._lines), "messages": self._runs, "sessions": self.calls}
        write_script(folder / f"{number}-calls.js", f"{name}/calls", data)


def _cast(session: Played) -> str:
    """Who is asked in a session; of one that was imported, who speaks."""
    asked = [call["model"] for call in session.calls] or list(map(voice_of, session.turns))
    return ", ".join(dict.fromkeys(asked))


def _in_words(turn: Row) -> dict[str, str]:
    """What readers are told of a turn where its columns alone do not say it."""
    voice = voice_of(turn)
    role = f"{turn['role']}, {voice}" if turn["role"] and turn.get("person") else turn["role"]
    return {"round_label": round_of(turn), "model": voice, "role": role or voice}


class Writer:
    """Writes the data of one study.

    Parameters
    ----------
    sessions : of the study, all of them ended.
    registry : the run's models, of which none is asked.
    """

    def __init__(self, sessions: Sessions, registry: ModelRegistry) -> None:
        self.sessions = sessions
        self._registry = registry

    def write(self, folder: Path, simulated: bool) -> None:
        """Write index and chunks; ``folder``: of this study in the reader."""
        name = self.sessions.study.name
        entries: list[dict[str, Any]] = []
        chunk, number = Chunk(), 0
        for entry, session, details in self._collected():
            if chunk.is_full:
                chunk.write(folder, f"{name}/{number}")
                chunk, number = Chunk(), number + 1
            chunk.add(entry["id"], session, details)
            entries.append({**entry, "chunk": number})
        chunk.write(folder, f"{name}/{number}")
        write_script(folder / "index.js", f"{name}/index", self._index(entries, simulated))

    @cached_property
    def _rows(self) -> list[Row]:
        """Those of the sessions that were run."""
        rows = self.sessions.rows.values()
        return [row for row in rows if not self.sessions.looks.call_off(row)]

    def _collected(self) -> Iterator[tuple[dict[str, Any], Played, dict[str, Any]]]:
        for row in self._rows:
            name = row["session_id"]
            session = played(self.sessions, row, self._registry)
            costs = [call["cost_usd"] for call in session.calls if call["cost_usd"] is not None]
            failure = session.outcome["failure"]
            rerun = session.outcome["session_attempts"] > 1
            repaired = any(call["attempt"] > 1 for call in session.calls)
            tokens = sum(call["input_tokens"] + call["output_tokens"] for call in session.calls)
            made = provenance_of(transcript_in(self.sessions.folder, name))
            entry = {
                "id": name,
                "status": 3 if failure else 2 if rerun else 1 if repaired else 0,
                "failure": failure,
                "cast": _cast(session),
                "cost": sum(costs) if costs else None,
                "tokens": tokens,
                "commit": made["commit"],
                "settings": made[SETTINGS_DIGEST][:12],
            }
            yield entry, session, self._details(row)

    def _item(self, row: Row) -> Row:
        return self.sessions.items[row[self.sessions.study.source.key]]

    def _details(self, row: Row) -> dict[str, Any]:
        """What is known of a session besides its calls."""
        reader = self.sessions.study.reader
        hidden = {*row, *reader.leaves_out}
        source = {name: value for name, value in self._item(row).items() if name not in hidden}
        details = Details()
        if reader.details:
            read = {name: rows.get(row["session_id"], []) for name, rows in self._read.items()}
            details = resolve(reader.details)(row, self._item(row), read)
        answers = reader.answers(self._item(row))
        return {"row": dict(row), "item": source, "answers": answers, **asdict(details)}

    @cached_property
    def _read(self) -> dict[str, dict[str, list[Row]]]:
        """Artefact -> session_id -> its rows."""
        folder, names = self.sessions.folder, self.sessions.study.reader.artefacts
        return {name: _by_session(folder / f"{name}.parquet") for name in names}

    def _title(self, row: Row) -> str:
        study = self.sessions.study
        return study.reader.debated(self._item(row), str(row[study.arm]))

    def _index(self, entries: Sequence[Row], simulated: bool) -> dict[str, Any]:
        """All that the list shows, by column."""
        study, folder = self.sessions.study, self.sessions.folder
        rows = self._rows
        titles, title = _coded([self._title(row) for row in rows])
        casts, cast = _coded([entry["cast"] for entry in entries])
        commits, commit = _coded([entry["commit"] for entry in entries])
        names = ("id", "status", "failure", "chunk", "cost", "tokens", "settings")
        return {
            "study": study.name,
            "question": study.question,
            "arm": study.arm,
            "aside": list(study.reader.aside),
            "simulated": simulated,
            "run": folder.parent.name,
            **{name: [entry[name] for entry in entries] for name in names},
            "draw": [row["draw_id"] for row in rows],
            "titles": titles,
            "title": title,
            "casts": casts,
            "cast": cast,
            "commits": commits,
            "commit": commit,
            "filters": _filters([{**self._item(row), **row} for row in rows], study.arm),
            "measures": list(self._measures(rows)),
        }

    def _measures(self, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
        for measure in self.sessions.study.reader.measures:
            rows_of = self._read[measure.artefact]
            values = [
                measured[-1].get(measure.column)
                if (measured := rows_of.get(row["session_id"]))
                else None
                for row in rows
            ]
            yield {
                "title": measure.title,
                "most": measure.most,
                "values": [_number(value) for value in values],
            }


#: Columns of a manifest that say which session it is, rather than what.
_NO_FILTERS = {
    *("session_id", "draw_id", "block", "position", "seed", "job", "draw_seed", "opening"),
    *("source", "answer", "truth"),
}
#: A column with more values is no filter.
_MOST_VALUES = 120


def _filters(rows: Sequence[Row], arm: str) -> list[dict[str, Any]]:
    """Columns of manifest and source by which sessions are chosen, the arm first.

    Of columns that divide the sessions alike, such as a domain's name and number, the first stays.
    """
    filters: dict[tuple[int, ...], dict[str, Any]] = {}
    names = [name for name in (rows[0] if rows else {}) if name not in _NO_FILTERS]
    for name in sorted(names, key=lambda column: column != arm):
        if any(isinstance(row[name], list | float) for row in rows):
            continue
        values, codes = _coded([str(row[name]) for row in rows])
        if name == arm or 1 < len(values) <= _MOST_VALUES:
            filters.setdefault(tuple(codes), {"name": name, "values": values, "codes": codes})
    return list(filters.values())


def _coded(values: Sequence[str]) -> tuple[list[str], list[int]]:
    """The values that occur, in the order of their first, and the place of each in these."""
    places: dict[str, int] = {}
    codes = [places.setdefault(value, len(places)) for value in values]
    return list(places), codes


def _by_session(path: Path) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in read(path).to_pylist() if path.exists() else ():
        rows[row["session_id"]].append(row)
    return rows


def _number(value: Any) -> float | None:
    return None if value is None or value != value else round(float(value), 6)
