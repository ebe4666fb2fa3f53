"""Any session of a run, to read: what was said, what was tried, and what each model was sent."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.errors import ArtefactError, DissensusError, ResourceError, SettingError
from dissensus.llm.journal import NotJournaled
from dissensus.report.labels import listed
from dissensus.run.kept import as_they_were, changed_since, kept_configuration, kept_states
from dissensus.session.messages import message_rows
from dissensus.settings import merged
from dissensus.shipped import shipped_folders
from dissensus.study.completion import transcript_in
from dissensus.study.configuration import Configuration, load
from dissensus.study.registry import study_class
from dissensus.study.session_tables import SessionTables
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import provenance_of, read
from dissensus.user_files import read_settings

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[str, Any]
CONFIGURATION = ("config.yaml",)
_LOGGER = logging.getLogger("dissensus")


@dataclass(frozen=True)
class Reading:
    """A session as its artefacts have it.

    Attributes
    ----------
    run, study, session_id : which session it is.
    row : of the manifest.
    debated, answers : the motion or question, and what may be answered; "" and nothing where the
        study's material is not there.
    turns, attempts, calls : rows of the session's three artefacts.
    failure : why it failed for good; "" where it did not.
    simulated : whether its models were simulated.
    provenance : commit, versions and digest of the settings that it was made with.
    """

    run: str
    study: str
    session_id: str
    row: Row
    turns: Sequence[Row]
    attempts: Sequence[Row]
    calls: Sequence[Row]
    failure: str
    simulated: bool
    provenance: Row
    debated: str = ""
    answers: Sequence[str] = ()


def find_session(
    session_id: str, study: str | None = None, run: str | None = None, results: Path | None = None
) -> Path:
    """The folder of the study that has a session: results/<run>/<study>.

    Parameters
    ----------
    session_id : such as ``d007-zh``.
    study, run : where to look; None for all that there are.
    results : the folder of all runs; ``results`` unless given.

    Raises
    ------
    ResourceError : there is none such, or there are several; the sentence says which.
    """
    results = results or Path("results")
    folders = sorted(
        path.parent for path in results.glob(f"{run or '*'}/{study or '*'}/transcripts")
    )
    if not folders:
        where = "/".join([str(results), run or "<run>", study or "<study>"])
        raise ResourceError(f"No sessions in {where}; name a run that has some, or start one.")
    having = [folder for folder in folders if transcript_in(folder, session_id).is_file()]
    if not having and (of_draw := _of_draw(folders, session_id)):
        raise ResourceError(f"{session_id} is a draw; name a session of it: {listed(of_draw)}.")
    if not having:
        some = next((path.stem for folder in folders for path in _transcripts(folder)), "none")
        raise ResourceError(
            f"{session_id} is no session of {listed(map(str, folders))}; they have such as {some}."
        )
    if len(having) > 1:
        raise ResourceError(
            f"{session_id} is a session of {listed(map(str, having))}; say which with --run or "
            "--study."
        )
    return having[0]


def _of_draw(folders: Iterable[Path], draw: str) -> list[str]:
    """The sessions of a draw, by their names; of several runs that have it, each name once."""
    names = (
        str(row["session_id"])
        for folder in folders
        if (folder / "manifest.parquet").is_file()
        for row in read(folder / "manifest.parquet").to_pylist()
        if row["draw_id"] == draw
    )
    return [*dict.fromkeys(names)]


def _transcripts(folder: Path) -> Iterable[Path]:
    return sorted(folder.glob("transcripts/*.parquet"))[:1]


def round_of(turn: Row) -> str:
    """The round of a turn in words, with where it is from if another session took it."""
    origin = turn.get("origin")
    if not origin:
        return str(turn["round_label"])
    return f"{turn['round_label']}, {'' if ' ' in origin else 'from '}{origin}"


def voice_of(turn: Row) -> str:
    """Whose words a turn is, for readers: a person's, a model's by its name, or not known."""
    if turn.get("person"):
        return "a person"
    unknown = "a model, not known which" if turn.get("person") is False else "not known whose words"
    return str(turn["model"]) or unknown


def read_session(folder: Path, session_id: str) -> Reading:
    """A session from its artefacts alone; ``folder``: of its study.

    Raises
    ------
    ArtefactError : a file is not there, or is damaged.
    """
    path, kept = transcript_in(folder, session_id), SessionTables(folder)
    rows = read(folder / "manifest.parquet").to_pylist()
    provenance = provenance_of(path)
    if kept.has(session_id):
        attempts, calls = kept.attempts(session_id).to_pylist(), kept.calls(session_id).to_pylist()
    else:
        attempts, calls = _from_journal(folder, session_id)
    return Reading(
        folder.parent.name,
        folder.name,
        session_id,
        next((row for row in rows if row["session_id"] == session_id), {}),
        read(path).to_pylist(),
        attempts,
        calls,
        provenance["failure"],
        provenance["simulated"],
        provenance,
        *debated(folder, next((row for row in rows if row["session_id"] == session_id), {})),
    )


def debated(folder: Path, row: Row) -> tuple[str, list[str]]:
    """What a session debates, and what may be answered; empty where that cannot be read.

    Parameters
    ----------
    folder : of the study.
    row : of the session in the manifest.
    """
    try:
        # To read a configuration takes longer than all else.
        is_ours = folder.name in shipped_folders()
        study = study_class(folder.name) if is_ours else configured_of(folder).study(folder.name)
        source, reader = study.source, study.reader
        items = read(folder / f"{source.artefact}.parquet").to_pylist()
    except (DissensusError, OSError):
        return "", []
    item: Row = next((item for item in items if item[source.key] == row.get(source.key)), {})
    return reader.debated(item, str(row.get(study.arm, ""))), reader.answers(item)


def _from_journal(folder: Path, session_id: str) -> tuple[list[Row], list[Row]]:
    """A session's attempts and calls, of a shard that is still under way."""
    settings = configured_of(folder)
    sessions = Sessions.read(settings, folder)
    try:
        made = sessions.replay(sessions.rows[session_id], settings.registry(folder.parent, "read"))
    except NotJournaled:
        raise _changed(folder, session_id) from None
    return [*made.attempts], [*made.calls]


def _changed(folder: Path, session_id: str) -> SettingError:
    changed = next((changed_since(state) for state in kept_states(folder)), [])
    what = f"{listed(changed)} changed" if changed else "settings, prompts or code have changed"
    return SettingError(
        f"{folder}: what {session_id} was sent cannot be rebuilt, since {what} since; put back "
        "what it was, or name the run's own configuration with --configfile. If the run is "
        "started again, calls whose prompts have changed are made, and paid, anew."
    )


def configured(files: Sequence[str | Path] = CONFIGURATION) -> Configuration:
    """The configuration of some files, the later ones over the earlier, as Snakemake merges them.

    Raises
    ------
    DissensusError : a file cannot be read, or holds a wrong setting.
    """
    values: dict[str, Any] = reduce(merged, map(read_settings, files), {})
    return load(values, ", ".join(map(str, files)))


def configured_of(folder: Path, files: Sequence[str | Path] = ()) -> Configuration:
    """The configuration that the sessions of a study were run with.

    Parameters
    ----------
    folder : of the study, which keeps it; one that does not is taken for a run of config.yaml.
    files : that it is read from instead, see :func:`configured`.

    Raises
    ------
    DissensusError : a file cannot be read, or holds a wrong setting.
    """
    kept = None if files else kept_configuration(folder)
    if kept is None:
        return configured(files or CONFIGURATION)
    values, path = kept
    return load(values, str(path))


def sent(folder: Path, session_id: str, settings: Configuration) -> list[dict[str, Any]]:
    """Every message that the models of a session were sent, word for word.

    The requests are in no file. Each is rebuilt by playing the protocol with the replies of the
    journal, which has a reply to it by the request's SHA-256 or to no other; the calls that the
    session left must have the same. Files that were edited since are taken as the run keeps them,
    and a warning names them.

    Returns
    -------
    Rows of :data:`dissensus.session.messages.MESSAGES`.

    Raises
    ------
    SettingError : a request differs from what was sent: settings, prompts or code have changed.
    DissensusError : a file is damaged.
    """
    if folder.name not in settings.studies:
        raise SettingError(
            f"studies leaves out {folder.name!r}, which has {session_id}; name the run's own "
            "configuration with --configfile."
        )
    sessions = Sessions.read(settings, folder)
    if session_id not in sessions.rows:
        raise ArtefactError(f"{folder}/manifest.parquet has no session {session_id}.")
    project = Path.cwd()
    for state in [*kept_states(folder), {}]:
        changed = changed_since(state)
        with as_they_were(state, folder) as is_whole:
            if not is_whole:
                continue
            if any(path.endswith(".py") for path in changed):
                rows = _sent_by_code_of_here(folder, session_id, settings, project)
            else:
                rows = _sent_by_this_code(folder, session_id, settings)
        if rows is not None:
            if changed:
                _LOGGER.warning(
                    f"{listed(changed)} changed after {session_id}; shown is what it was sent."
                )
            return rows
    raise _changed(folder, session_id)


def _sent_by_this_code(
    folder: Path, session_id: str, settings: Configuration
) -> list[dict[str, Any]] | None:
    """What a session's models were sent; None where these are not the requests that were made."""
    sessions = Sessions.read(settings, folder)
    try:
        session = sessions.replayed(
            sessions.rows[session_id], settings.registry(folder.parent, "read")
        )
    except NotJournaled:
        return None
    calls = read_session(folder, session_id).calls
    made = [attempt.request.sha256 for attempt in session.attempts]
    is_same = made == [call["request_sha256"] for call in calls]
    return message_rows(session_id, session) if is_same else None


def _sent_by_code_of_here(
    folder: Path, session_id: str, settings: Configuration, project: Path
) -> list[dict[str, Any]] | None:
    """The same by a process that imports a study's code from the folder that it works in.

    Parameters
    ----------
    project : the folder that the code of this process is from.
    """
    places = [Path(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    moved = [
        str(Path.cwd() / each.relative_to(project) if each.is_relative_to(project) else each)
        for each in places
    ]
    given = {"folder": str(folder), "session": session_id, "settings": settings.model_dump()}
    made = subprocess.run(
        [sys.executable, "-m", __name__],
        input=json.dumps(given, default=str),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(moved)},
        capture_output=True,
        text=True,
    )
    rows: list[dict[str, Any]] | None = json.loads(made.stdout) if made.returncode == 0 else None
    return rows


def messages(
    session_id: str,
    study: str | None = None,
    run: str | None = None,
    configuration: Sequence[str | Path] = (),
) -> pd.DataFrame:
    """What the models of a session were sent, for a notebook: a row a message.

    Parameters
    ----------
    session_id : such as ``d007-zh``.
    study, run : needed where several have a session of that name.
    configuration : files to read in place of what the run keeps of its own configuration.

    Returns
    -------
    With the columns of :data:`dissensus.session.messages.MESSAGES`: call by call, the message's
    place, role and ``content``, and the request's SHA-256, which is the journal's.

    Raises
    ------
    DissensusError : there is no such session, or the requests cannot be rebuilt.
    """
    import pandas as pd

    folder = find_session(session_id, study, run)
    return pd.DataFrame(sent(folder, session_id, configured_of(folder, configuration)))


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    configuration = load(asked["settings"], "what the run keeps of its configuration")
    print(json.dumps(_sent_by_this_code(Path(asked["folder"]), asked["session"], configuration)))
