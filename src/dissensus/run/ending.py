"""What is said where a run ends, and where a dry run does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from dissensus.errors import DissensusError
from dissensus.report.findings import FINDINGS
from dissensus.report.labels import listed
from dissensus.report.truth import TRUTH, tally
from dissensus.study.configuration import Configuration
from dissensus.study.given import stage_settings
from dissensus.study.makes import resolve
from dissensus.tables.artefact import read

#: Findings that the end of a run states.
_MOST = 3


def ending(results: Path, studies: Iterable[str], simulated: bool, since: float) -> list[str]:
    """The lines at the end of a run that wrote its results page; none of one that did not.

    They state findings, what the run found against each, losses, and the page to open.

    Parameters
    ----------
    results : the run's folder.
    studies : in their order.
    simulated : whether the run's models are simulated.
    since : when the run began, in seconds since the epoch.
    """
    page = results / "index.html"
    if not page.exists() or page.stat().st_mtime < since:
        return []
    sentences_of = {}
    for study in studies:
        try:
            rows = read(results / study / "findings.parquet", FINDINGS).to_pylist()
        except DissensusError:
            continue
        sentences_of[study] = {
            kind: [row["sentence"] for row in rows if row["kind"] == kind]
            for kind in ("card", "stopped", "floor", "but", "headline", "lost")
        }
    lines = ["Simulated models: no number below says anything of a real one."] * simulated
    # Each study's first, then further ones where these are few.
    each = max(1, _MOST // max(len(sentences_of), 1))
    for study, sentences in sentences_of.items():
        lines += [f"{study}: {sentence}" for sentence in sentences["card"]]
        besides = ("stopped", "floor", "but")
        lines += [f"  {sentence}" for kind in besides for sentence in sentences[kind]]
        lines += [f"{study}: {sentence}" for sentence in sentences["headline"][1:each]]
    for study in sentences_of:
        confirmed = _confirmed(results / study / "confirmation.parquet")
        lines += [f"{study}: {sentence}" for sentence in confirmed]
    lines += _planted([results / study / "truth.parquet" for study in sentences_of])
    for study, sentences in sentences_of.items():
        for sentence in sentences["lost"]:
            how = f"dissensus read {_lost(results / study)} --run {results.name} --study {study}"
            lines.append(f"{study}: {sentence} `{how}` prints its tries.")
    return [*lines, f"Open {page} for the results, each with what it rests on."]


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
    drawn = [name for name in settings.studies if stats.get(f"draw_{name}_manifest")]
    try:
        counts = {name: _would_draw(settings, name) for name in drawn}
    except DissensusError as error:
        return f"The run would stop before its sessions: {error}"
    single = stats.get("run_session", 0)
    if stats.get("run_sessions", 0):
        pending = {name: total - done for name, (total, done) in expected.items()}
        counts = {name: n for name, n in pending.items() if n and name not in drawn} | counts
        single = 0
    which = [f"{n:,} of {name}" for name, n in counts.items()]
    total = max(single, sum(counts.values()))
    if not total:
        return "Sessions that will run: 0."
    most = "at most " if counts else ""
    sentence = f"Sessions that will run: {most}{total:,}" + (f" ({listed(which)})" if which else "")
    return f"{sentence}; `snakemake plan` counts their calls."


def _would_draw(settings: Configuration, name: str) -> int:
    """How many sessions a manifest would have that is still to be drawn."""
    study = settings.study(name)
    source, manifest = study.source, study.manifest
    made = resolve(source.function)(stage_settings(study, source), settings.seed)
    items = {row[source.key]: row for row in made[source.artefact][1]}
    return len(resolve(manifest.function)(items, stage_settings(study, manifest), settings.seed))
