"""``dissensus import``: checks a file of turns, and writes the configuration that measures it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from dissensus.errors import ResourceError, SettingError
from dissensus.session.turn_fields import TURN_FIELDS
from dissensus.settings import Settings, validate
from dissensus.shipped import command
from dissensus.study.configuration import RunName
from dissensus.tables.artefact import write_text
from dissensus.user_files import read_settings

from .formats import converted
from .outcomes import LEXICAL, OUTCOMES, TRUTH_BASED
from .settings import DebatesSettings
from .turns import ImportedSession, read_table

#: What may pair sessions, the surest first.
_PAIRING = ("pair", "draw", "item")


class _Named(Settings):
    run: RunName


@dataclass(frozen=True)
class Import:
    """What is asked for.

    Attributes
    ----------
    file : that is imported.
    run : name of the run.
    format : of the file; "turns" for a table.
    columns, always : as in :class:`~.settings.TableSettings`; for another format, where its files
        have a field.
    keep : "names" and "times", which are dropped otherwise.
    adds : whether the file joins those that the run has already.
    embedder : name; None leaves semantic measures out; "" the default.
    """

    file: Path
    run: str
    format: str = "turns"
    columns: dict[str, str | None] = field(default_factory=dict)
    always: dict[str, str] = field(default_factory=dict)
    keep: Sequence[str] = ()
    adds: bool = False
    embedder: str | None = ""


def named_pairs(given: Iterable[str], option: str) -> dict[str, str | None]:
    """Field -> what it is, from texts such as ``speaker=who``; None for ``speaker=``.

    Raises
    ------
    SettingError : one has another form, or names no field.
    """
    pairs: dict[str, str | None] = {}
    for each in given:
        name, is_pair, value = each.partition("=")
        if not is_pair or name not in TURN_FIELDS:
            raise SettingError(
                f"{option} {each!r} must be FIELD=NAME, such as speaker=who; fields are "
                f"{', '.join(TURN_FIELDS)}."
            )
        if name in pairs:
            raise SettingError(f"{option} names {name} twice; leave one out.")
        pairs[name] = value or None
    return pairs


def run(chosen: Namespace) -> list[str]:
    """The command as it was typed; the sentences of :func:`import_file`."""
    return import_file(
        Import(
            chosen.file,
            chosen.run,
            chosen.format,
            named_pairs(chosen.column, "--column"),
            _values(named_pairs(chosen.always, "--always")),
            chosen.keep,
            chosen.add,
            None if chosen.embedder == "none" else chosen.embedder,
        )
    )


def _values(pairs: Mapping[str, str | None]) -> dict[str, str]:
    """Fields that all turns have alike, each of which has a value."""
    if empty := [name for name, value in pairs.items() if value is None]:
        raise SettingError(f"--always {empty[0]}= has no value; give it one, or leave it out.")
    return {name: value for name, value in pairs.items() if value is not None}


def import_file(asked: Import) -> list[str]:
    """Check all of a file, and write the configuration of its run beside the project's.

    Returns
    -------
    Sentences on what was found, the last one with the command that measures it.

    Raises
    ------
    DissensusError : something in the file is wrong, by its row; nothing is written then.
    """
    _check_run(asked.run)
    path = Path(f"{asked.run}.yaml")
    block = _block(asked, path)
    table: dict[str, Any] = {"columns": asked.columns, "always": asked.always}
    made = None
    if asked.format != "turns":
        made = converted(asked.file, asked.format, asked.columns)
        target = Path(f"{asked.run}-{asked.file.stem}.jsonl")
        if target.exists():
            raise SettingError(
                f"{target} is there already, and the converted file would be called so; rename "
                f"{asked.file.name}, or give --run another name."
            )
        table["columns"] = {}
        table["file"] = str(target)
        table["made_from"] = [asked.format, asked.file.name, made.sha256, *_places(asked.columns)]
        write_text(target, made.text)
    else:
        table["file"] = _shortest(asked.file)
    block["tables"].append({name: value for name, value in table.items() if value})
    try:
        lines = _completed(block, asked)
        validate(DebatesSettings, block, str(path), "debates.")
    except Exception:
        if made:
            Path(table["file"]).unlink(missing_ok=True)
        raise
    if made and made.without_turns:
        names = made.without_turns
        more = "" if len(names) < 4 else f" and {len(names) - 3:,} more"
        lines.append(f"Sessions without a turn are left out: {', '.join(names[:3])}{more}.")
    settings = {"run": asked.run, "studies": ["debates"], "debates": block}
    write_text(path, yaml.safe_dump(settings, sort_keys=False, allow_unicode=True))
    lines.append(f"{path} has the settings. Measure it with:")
    return [*lines, f"  {command(f'--configfile {path}', cores=2)}"]


def _check_run(name: str) -> None:
    """Refuse what is no name of a run, before anything is written."""
    validate(_Named, {"run": name}, "", "--")


def _places(columns: Mapping[str, str | None]) -> list[str]:
    """Where in the files of another tool fields were read, if it was said."""
    return [f"{name}={place or ''}" for name, place in columns.items()]


def _block(asked: Import, path: Path) -> dict[str, Any]:
    """The settings that the run has already, or none yet."""
    results = Path("results") / asked.run
    if not path.exists():
        if results.exists():
            raise SettingError(
                f"{results} is there already, and {path} is not; give --run another name."
            )
        return {"tables": []}
    if not asked.adds:
        raise SettingError(
            f"{path} is there already; give --run another name, or add this file to that run with "
            "--add."
        )
    block: dict[str, Any] = read_settings(path).get("debates") or {}
    if "tables" not in block:
        raise SettingError(f"{path} has no imported debates; give --run another name.")
    return block


def _shortest(path: Path) -> str:
    """The path from this folder, where the file is below it."""
    here, full = Path.cwd(), path.resolve()
    return str(full.relative_to(here)) if full.is_relative_to(here) else str(full)


def _completed(block: dict[str, Any], asked: Import) -> list[str]:
    """Read all tables, and set what follows from them; sentences on what was found."""
    keep = list(dict.fromkeys([*block.get("keep", []), *asked.keep]))
    sessions: list[ImportedSession] = []
    twice: list[tuple[str, str]] = []
    turns = simulated = 0
    for given in block["tables"]:
        table = read_table(given["file"], given.get("columns", {}), given.get("always", {}), keep)
        sessions += table.sessions
        twice += table.twice
        turns, simulated = turns + table.turns, simulated + table.simulated
    arms = list(dict.fromkeys(each.fields["arm"] for each in sessions))
    if len(arms) > 1 and None in arms:
        place = next(each.place for each in sessions if each.fields["arm"] is None)
        raise ResourceError(
            f"{place}: this session has no arm, and others have {', '.join(filter(None, arms))}; "
            "name its column with --column arm=..., or its arm with --always arm=...."
        )
    named = [arm for arm in arms if arm is not None]
    kept = [arm for arm in block.get("arms", []) if arm in named]
    block["arms"] = kept + [arm for arm in named if arm not in kept] or ["debates"]
    block["paired_by"] = next(_pairs(sessions), "none")
    if block.get("primary", LEXICAL) in (LEXICAL, *TRUTH_BASED):
        block["primary"] = _primary(sessions)
    block["simulated"] = bool(simulated)
    if keep:
        block["keep"] = keep
    if asked.embedder != "":
        block["embedder"] = asked.embedder
    people = {turn.person for each in sessions for turn in each.turns}
    return [*_found(len(sessions), turns, block), *_on_twice(twice), *_on_people(people, keep)]


def _pairs(sessions: Sequence[ImportedSession]) -> Iterator[str]:
    """The fields by which sessions of different arms can be paired."""
    for name in _PAIRING:
        arms: dict[str | None, set[str | None]] = {}
        for each in sessions:
            arms.setdefault(each.fields[name], set()).add(each.fields["arm"])
        if None not in arms and any(len(some) > 1 for some in arms.values()):
            yield name


def _primary(sessions: Sequence[ImportedSession]) -> str:
    """The outcome that is based on the truth, where every arm has one; else the lexical one."""
    arms = {each.fields["arm"] for each in sessions}
    known = [each for each in sessions if each.fields["truth"] is not None]
    valued = {s.fields["arm"] for s in known if any(turn.value for turn in s.turns)}
    decided = {s.fields["arm"] for s in known if s.fields["decision"] is not None}
    for name, some in zip(TRUTH_BASED, (valued, decided), strict=True):
        if some == arms:
            return name
    return LEXICAL


def _found(sessions: int, turns: int, block: dict[str, Any]) -> Iterator[str]:
    arms = block["arms"]
    yield f"{sessions:,} sessions with {turns:,} turns; arms: {', '.join(arms)}."
    if len(arms) > 1:
        paired = block["paired_by"]
        how = "are not paired" if paired == "none" else f"are paired by {paired}"
        yield f"{arms[0]} is the reference; sessions of different arms {how}."
        yield f"The primary outcome is: {OUTCOMES[block['primary']].title}."
    if block["simulated"]:
        yield "The file says that simulated models speak: all figures and tables will say so."


def _on_twice(twice: Sequence[tuple[str, str]]) -> Iterator[str]:
    if twice:
        shown = "; ".join(f"{place} (as {other})" for place, other in twice[:3])
        yield (
            f"Rows that have what another row has, {len(twice):,} in all: {shown}"
            f"{'; and so on' if len(twice) > 3 else ''}. All count; leave out those that stand "
            "there twice by mistake."
        )


def _on_people(people: set[bool | None], keep: Sequence[str]) -> Iterator[str]:
    if None in people:
        yield (
            "The file does not say who is a person. Say so with --always person=true, "
            "--always person=false, or a column."
        )
    if people - {False} and "names" not in keep:
        yield (
            "Names of people, and of whoever may be one, are dropped from the speakers (--keep "
            "names keeps them); texts stay as they are, with all names in them."
        )
