"""The motions and who speaks on them, with what these have said and written before."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from dissensus.errors import ResourceError, SettingError
from dissensus.report.escaping import complain
from dissensus.setting_faults import Complaint, Faults, fault
from dissensus.settings import PLAIN_ID, Once, Settings, validate
from dissensus.tables.artefact import Schema
from dissensus.text.corpora.chunks import chunk
from dissensus.text.corpora.folders import BIO, ENDINGS, KINDS, LONGEST_NAME, kind_of
from dissensus.text.corpora.reading import read_document
from dissensus.user_files import YamlFile

from .speakers import by_speaker
from .tables import CHUNKS, DOCUMENTS, MOTIONS, SIDES

Row = Mapping[str, Any]

_LONGEST_MOTION = 500
_MOST_SPEAKERS = 10
#: Fewer words than a speech has.
_FEW_WORDS = 500
#: Speakers that are named where one is not known.
_NAMED = 10


def _line(text: str) -> str:
    """A text that stands in one line of a prompt."""
    if len(text.splitlines()) != 1 or not text.strip():
        raise Complaint("must be a text of one line; take its line breaks out")
    return unicodedata.normalize("NFC", text.strip())


def _own_id(name: str) -> str:
    if name.casefold() == "all":
        raise Complaint("is 'all', which stands for all motions in the tables; give it another id")
    return name


_Id = Annotated[str, PLAIN_ID, Field(max_length=60)]
_Name = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_line)]
_Names = Annotated[list[_Name], Once]
_Side = Annotated[_Names, Field(min_length=2, max_length=_MOST_SPEAKERS)]


class MotionEntry(Settings):
    id: Annotated[_Id, AfterValidator(_own_id)]
    text: Annotated[str, Field(max_length=_LONGEST_MOTION), AfterValidator(_line)]
    about: Annotated[str, Field(max_length=_LONGEST_MOTION)] = ""
    """Words on its matter, by which passages are found; nobody who debates sees them."""
    proposition: _Side
    opposition: _Side
    students: Annotated[_Names, Field(min_length=1)]
    """Those of the speakers who are coached."""

    @model_validator(mode="after")
    def _sides_agree(self) -> MotionEntry:
        if len(self.proposition) != len(self.opposition):
            may = f"it must have as many speakers as proposition, {len(self.proposition)}"
            raise Faults(fault("opposition", self.opposition, may))
        both = [name for name in self.opposition if name in self.proposition]
        if both:
            may = f"{both[0]!r} speaks for the proposition, and nobody speaks on both sides"
            raise Faults(fault("opposition", self.opposition, may))
        speakers = [*self.proposition, *self.opposition]
        lost = [name for name in self.students if name not in speakers]
        if lost:
            may = f"{lost[0]!r} does not speak on this motion, and a student must"
            raise Faults(fault("students", self.students, may))
        return self


def collect(settings: Mapping[str, Any], seed: int) -> dict[str, tuple[Schema, list[Any]]]:
    """The motions of a run, and what their speakers' folders have.

    Parameters
    ----------
    settings : ``motions``, ``speakers``, ``corpus.chunk``, ``corpus.overlap`` and
        ``corpus.largest_mb``.
    seed : of the run; nothing here is drawn.

    Returns
    -------
    See :class:`dissensus.study.study.Source`: the artefacts motions, documents and chunks. Only
    the folders of speakers of some motion are read.

    Raises
    ------
    ResourceError : a motion or a folder cannot be used, or a speaker has no text at all.
    """
    folder = Path(settings["speakers"])
    corpora = by_speaker(folder)
    motions = read_motions(settings["motions"], list(corpora), folder)
    speakers = {name for motion in motions for side in SIDES for name in motion[side]}
    documents: list[dict[str, Any]] = []
    chunks: list[dict[str, Any]] = []
    for speaker in sorted(speakers):
        read_documents, pieces = _read_speaker(speaker, corpora[speaker], folder, settings)
        documents += read_documents
        chunks += pieces
    return {
        "motions": (MOTIONS, motions),
        "documents": (DOCUMENTS, documents),
        "chunks": (CHUNKS, chunks),
    }


def read_motions(
    path: str | Path, speakers: Sequence[str], folder: str | Path
) -> list[dict[str, Any]]:
    """Every motion of a file, in its order.

    Parameters
    ----------
    path : YAML; a list of motions, alone or under ``motions``, each with id, text, proposition,
        opposition, students and perhaps about.
    speakers : who has a folder.
    folder : that these are in, for what is said of one who has none.

    Returns
    -------
    Rows of the artefact ``motions``.

    Raises
    ------
    ResourceError : the first motion that cannot be used, by its number, and why.
    """
    file = YamlFile.read(path)
    rows: list[dict[str, Any]] = []
    for number, entry in enumerate(_entries(file), start=1):
        where = f"{path}: motion {number}"
        try:
            motion = validate(MotionEntry, entry, where)
        except SettingError as error:
            raise ResourceError(str(error)) from None
        _refuse_strangers(motion, speakers, where, folder)
        _refuse_again(motion, rows, where)
        rows.append(
            {
                "motion_id": motion.id,
                "motion": motion.text,
                "about": " ".join(motion.about.split()),
                "proposition": motion.proposition,
                "opposition": motion.opposition,
                "students": motion.students,
                "source": str(path),
            }
        )
    return rows


def _entries(file: YamlFile) -> list[Any]:
    loaded = file.value
    entries = loaded.get("motions") if isinstance(loaded, Mapping) else loaded
    if not isinstance(entries, list) or not entries:
        raise ResourceError(f"{file.path} has no motions; it must be a list of them.")
    return entries


def _refuse_strangers(
    motion: MotionEntry, speakers: Sequence[str], where: str, folder: str | Path
) -> None:
    for side in SIDES:
        for name in getattr(motion, side):
            if name in speakers:
                continue
            close = get_close_matches(name, speakers, n=1)
            mend = f"{close[0]!r} has one" if close else f"those with one: {_some(speakers)}"
            raise ResourceError(
                f"{where}: {side} has {name!r}, who has no folder in {folder}; {mend}."
            )


def _some(names: Sequence[str]) -> str:
    more = f", and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _refuse_again(motion: MotionEntry, rows: Sequence[Mapping[str, Any]], where: str) -> None:
    """Refuse an id or a text that an earlier motion has."""
    for number, row in enumerate(rows, start=1):
        # Ids are in names of files, which on some machines differ by more than capitals.
        if row["motion_id"].casefold() == motion.id.casefold():
            raise ResourceError(
                f"{where} has the id {motion.id!r} of motion {number}; ids must be unique, by more "
                "than capitals."
            )
        if row["motion"] == motion.text:
            raise ResourceError(f"{where} is motion {number} again, word for word; leave one out.")


def _read_speaker(
    speaker: str, paths: Sequence[Path], folder: Path, settings: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of documents and of chunks."""
    documents: list[dict[str, Any]] = []
    chunks: list[dict[str, Any]] = []
    for path in paths:
        text, problem = read_document(path, settings["corpus.largest_mb"])
        named = {"speaker": speaker, "document": _in_folder(path, folder)}
        pieces = chunk(text, settings["corpus.chunk"], settings["corpus.overlap"])
        chunks += [
            {**named, "chunk": number, "start": piece.start, "text": piece.text}
            for number, piece in enumerate(pieces, start=1)
        ]
        counts = {"characters": len(text), "chunks": len(pieces)}
        kind = kind_of(path, folder)
        documents.append({**named, "kind": kind, **counts, "problem": problem})
        if problem:
            complain(f"{path} is left out: {problem}.")
    if not chunks:
        raise ResourceError(_nothing(speaker, documents, folder))
    _warn_of_little(speaker, documents, chunks, folder)
    return documents, chunks


def _warn_of_little(
    speaker: str, documents: Sequence[Row], chunks: Sequence[Row], folder: Path
) -> None:
    """Say so where a speaker has little to argue from."""
    read = {row["document"] for row in documents if row["kind"] != BIO} or {
        row["document"] for row in documents
    }
    words = sum(len(row["text"].split()) for row in chunks if row["document"] in read)
    if words < _FEW_WORDS:
        complain(
            f"{folder}/{speaker} has {words} words to argue from, so that its speeches will say "
            "the same again and again; some 3,000 (eight pages) are a good size."
        )


def _in_folder(path: Path, folder: Path) -> str:
    """A document's path in its speaker's folder."""
    return Path(*path.relative_to(folder).parts[1:]).as_posix()


def _nothing(speaker: str, documents: Sequence[Mapping[str, Any]], folder: Path) -> str:
    """What to say of a speaker without text."""
    mend = "put a text there, or leave the speaker out of the motions"
    if not documents:
        return (
            f"{folder}/{speaker} has no document ({', '.join(ENDINGS)}) in {', '.join(KINDS)}; "
            f"{mend}."
        )
    shown = [f"{row['document']}: {row['problem']}" for row in documents[:3]]
    more = f", and {len(documents) - 3} more" if len(documents) > 3 else ""
    return f"{folder}/{speaker} has no text that can be used ({'; '.join(shown)}{more}); {mend}."
