"""A run of few sessions, made without Snakemake: sessions alone, or all that pages show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dissensus.report.declared import Details, Rows
from dissensus.study.configuration import Configuration, load
from dissensus.study.makes import resolve
from dissensus.study.sessions import Sessions
from dissensus.study.settings import pick, plain
from dissensus.tables.artefact import write
from dissensus.user_files import read_yaml
from support import ROOT

#: What the first turn of d001-en ends with.
STATED = (
    '\n\n{"stance": "for", "shares": {"yes": 0.7, "no": 0.3}, "claims": [{"id": "c1", '
    '"text": "It <b>pays</b>.", "evidence": ["e1", "e2"]}, {"id": "c2", "text": "It is right.", '
    '"evidence": []}]}'
)


def details(row: Any, item: Any, artefacts: Any) -> Details:
    """What is known of a debate whose study has measured one thing."""
    return Details(tables=[Rows("What was found", ("Place",), [(row["session_id"],)])])


MADE_BY = {"stage": "test", "simulated": True}


def configuration(**changes: Any) -> Configuration:
    """The default one with some settings of the language study changed, of two draws."""
    values = read_yaml(ROOT / "config.yaml")
    values["studies"] = ["language"]
    values["language"] |= {"draws": 2, "block_size": 2, **changes}
    return load(values)


def run_sessions(folder: Path, settings: Configuration) -> Sessions:
    """Draw the manifest of the first study and run its sessions; ``folder``: of the run."""
    study = settings.study(settings.studies[0])
    place = folder / study.name
    source = study.source
    given = plain(pick(study.settings, source.settings))
    for name, (schema, rows) in resolve(source.function)(given, settings.seed).items():
        write(place / f"{name}.parquet", schema, rows, MADE_BY)
    items = {
        row[source.key]: row
        for row in resolve(source.function)(given, settings.seed)[source.artefact][1]
    }
    manifest = study.manifest
    drawn = resolve(manifest.function)(
        items, plain(pick(study.settings, manifest.settings)), settings.seed
    )
    write(place / "manifest.parquet", resolve(manifest.schema), drawn, MADE_BY)
    sessions = Sessions.read(settings, place)
    registry = settings.registry(folder, "test")
    for row in sessions.rows.values():
        sessions.run(row, registry)
    return sessions


WORDS = re.compile(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+")


def repeated(earlier: list[str], text: str) -> set[str]:
    """Runs of six words of a text that stand in an earlier one."""

    def runs(words: list[str]) -> set[str]:
        return {" ".join(words[i : i + 6]) for i in range(len(words) - 5)}

    found = [WORDS.findall(one.casefold()) for one in (*earlier, text)]
    return runs(found[-1]) & set().union(*(runs(words) for words in found[:-1]))
