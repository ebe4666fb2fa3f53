"""``dissensus export``: finds a study of a run, and writes its sessions in another tool's form."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from dissensus.errors import ResourceError
from dissensus.keep.exporting.inspect_log import log_in
from dissensus.keep.exporting.messages import failure
from dissensus.keep.exporting.sessions import StudyFolder
from dissensus.keep.reading import configured_of
from dissensus.report.labels import listed

#: Form -> the function that writes it: takes the study and the file, gives how many it wrote.
TARGETS = {
    "turns": "dissensus.keep.exporting.turns:write_turns",
    "inspect": "dissensus.keep.exporting.inspect_log:write_inspect",
    "scout": "dissensus.keep.exporting.scout:write_scout",
    "docent": "dissensus.keep.exporting.docent:write_docent",
}

#: What there is of sessions that failed for good.
_LOST = {
    "turns": "they have no turn, and are not in it",
    "inspect": "their samples have an error and no messages",
    "scout": "their transcripts have an error and no messages",
    "docent": "their runs say why, and have no messages",
}


def export_study(run: str, study: str | None, to: str, output: Path) -> list[str]:
    """Write the sessions of a study of a run; sentences on what was written.

    Raises
    ------
    DissensusError : there is no such run or study, or it cannot be written.
    """
    folder = _folder(run, study)
    declared = configured_of(folder).study(folder.name)
    source = declared.source
    module, _, name = TARGETS[to].partition(":")
    write: Callable[[StudyFolder, Path], int] = getattr(import_module(module), name)
    study_folder = StudyFolder(
        folder, declared.arm, source.key, source.artefact, declared.reader.title
    )
    output = log_in(study_folder, output) if to == "inspect" else output
    try:
        count = write(study_folder, output)
    except OSError as error:
        raise ResourceError(f"{output} cannot be written ({error.strerror}).") from None
    what = "turns" if to == "turns" else "sessions"
    simulated = " Its models are simulated." if study_folder.provenance["simulated"] else ""
    failed = sum(1 for session in study_folder.sessions() if failure(session))
    lost = f" Sessions that failed for good, {failed:,} in all: {_LOST[to]}." if failed else ""
    return [f"{output} has {count:,} {what} of {folder}.{simulated}{lost}"]


def _folder(run: str, study: str | None) -> Path:
    results = Path("results")
    folders = sorted(path.parent for path in results.glob(f"{run}/{study or '*'}/turns.parquet"))
    if not folders:
        raise ResourceError(f"{results / run} has no study that has ended; let the run end.")
    if len(folders) > 1:
        names = listed(path.name for path in folders)
        raise ResourceError(f"{results / run} has {names}; say which with --study.")
    return folders[0]
