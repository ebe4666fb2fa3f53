"""What is said where a run ends, and where a dry run does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from dissensus.errors import DissensusError
from dissensus.report.findings import FINDINGS
from dissensus.report.labels import listed
from dissensus.report.truth import TRUTH, tally
from dissensus.shipped import command
from dissensus.study.configuration import Configuration
from dissensus.study.given import stage_settings
from dissensus.study.makes import resolve
from dissensus.tables.artefact import read

#: Findings that the end of a run states.
_MOST = 3


def ending(settings: Configuration, since: float) -> list[str]:
    """The lines at the end of a run that wrote its results page; none of one that did not.

    They state findings, what the run found against each, losses, and the page to open; of a run
    with panels what these come to together.

    Parameters
    ----------
    settings : of the run.
    since : when the run began, in seconds since the epoch.
    """
    page = settings.results / "index.html"
    if not page.exists() or page.stat().st_mtime < since:
        return []
    studies = {
        f"{part.panel}, {name}" if settings.panels else name: part.results / name
        for part in settings.parts
        for name in settings.studies
    }
    compared = settings.results / "compared"
    stated = {name: compared / name for name in settings.studies} if settings.panels else studies
    lines = ["Simulated models: no number below says anything of a real one."] * settings.simulated
    lines += _stated(stated)
    for study, folder in studies.items():
        confirmed = _confirmed(folder / "confirmation.parquet")
        lines += [f"{study}: {sentence}" for sentence in confirmed]
    lines += _planted([folder / "truth.parquet" for folder in studies.values()])
    for study, folder in studies.items():
        for sentence in _sentences(folder)["lost"]:
            run = f"--run {folder.parent.name} --study {folder.name}"
            how = f"dissensus read {_lost(folder)} {run}"
            lines.append(f"{study}: {sentence} `{how}` prints its tries.")
    return [*lines, f"Open {page} for the results, each with what it rests on."]


def _stated(folders: Mapping[str, Path]) -> list[str]:
    """The findings, with the objections; ``folders``: name of what has them -> its folder."""
    lines = []
    # Each study's first, then further ones where these are few.
    told = {study: _sentences(folder) for study, folder in folders.items()}
    each = max(1, _MOST // max(sum(bool(sentences["card"]) for sentences in told.values()), 1))
    for study, sentences in told.items():
        lines += [f"{study}: {sentence}" for sentence in sentences["card"]]
        besides = ("stopped", "floor", "but")
        lines += [f"  {sentence}" for kind in besides for sentence in sentences[kind]]
        lines += [f"{study}: {sentence}" for sentence in sentences["headline"][1:each]]
    return lines


def _sentences(folder: Path) -> dict[str, list[str]]:
    """Kind -> sentences of the findings in a folder; none where these cannot be read."""
    try:
        rows = read(folder / "findings.parquet", FINDINGS).to_pylist()
    except DissensusError:
        rows = []
    return {
        kind: [row["sentence"] for row in rows if row["kind"] == kind]
        for kind in ("card", "stopped", "floor", "but", "headline", "lost")
    }


def _lost(folder: Path) -> str:
    """The first session of a study that failed for good."""
    try:
        ended = read(folder / "outcomes.parquet").select(["session_id", "complete"]).to_pylist()
    except DissensusError:
        return "<id>"
    return next((row["session_id"] for row in ended if not row["complete"]), "<id>")


def _confirmed(path: Path) -> list[str]:
    """What was predicted of the run's model and what came of it; nothing where nothing was."""
    try:
        return [row["sentence"] for row in read(path).to_pylist()] if path.exists() else []
    except DissensusError:
        return []


def _planted(paths: Iterable[Path]) -> list[str]:
    """What was found of what is planted in the simulated models."""
    try:
        rows = [row for path in paths if path.exists() for row in read(path, TRUTH).to_pylist()]
    except DissensusError:
        return []
    return [tally(rows)] if rows else []


def planned(
    stats: Mapping[str, int], expected: Mapping[str, tuple[int, int]], settings: Configuration
) -> str:
    """How many sessions a run would run, in a sentence for a dry run.

    Parameters
    ----------
    stats : rule -> jobs that would run.
    expected : study -> its sessions, and how many of them are complete, where its manifest is
        drawn.
    settings : of the run.
    """
    jobs = Counter[str]()
    for rule, n in stats.items():
        jobs[rule.rpartition(".")[2]] += n
    drawn = {
        f"{panel}{name}": (part, name)
        for part in settings.parts
        for name in settings.studies
        for panel in [f"{part.panel}." if settings.panels else ""]
        if stats.get(f"{panel}draw_{name}_manifest")
    }
    try:
        counts = {key: _would_draw(*each) for key, each in drawn.items()}
    except DissensusError as error:
        return f"The run would stop before its sessions: {error}"
    single = jobs["run_session"]
    if jobs["run_sessions"]:
        pending = {name: total - done for name, (total, done) in expected.items()}
        counts = {name: n for name, n in pending.items() if n and name not in drawn} | counts
        single = 0
    by_study = Counter[str]()
    for name, n in counts.items():
        by_study[name.rpartition(".")[2]] += n
    which = [f"{n:,} of {name}" for name, n in by_study.items()]
    total = max(single, sum(counts.values()))
    if not total:
        return "Sessions that will run: 0."
    most = "at most " if counts else ""
    sentence = f"Sessions that will run: {most}{total:,}" + (f" ({listed(which)})" if which else "")
    return f"{sentence}; `{command('plan', cores=0)}` counts their calls."


def _would_draw(settings: Configuration, name: str) -> int:
    """How many sessions a manifest would have that is still to be drawn."""
    study = settings.study(name)
    source, manifest = study.source, study.manifest
    made = resolve(source.function)(stage_settings(study, source), settings.seed)
    items = {row[source.key]: row for row in made[source.artefact][1]}
    return len(resolve(manifest.function)(items, stage_settings(study, manifest), settings.seed))
