"""Speakers' folders: which documents there are, without a look into them.

Whoever reads the Snakefile asks for this, so that nothing heavy is imported here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

from dissensus.errors import ResourceError
from dissensus.setting_faults import unwritable
from dissensus.text.seen import UNSEEN

#: The folders that a speaker's documents stand in.
BIO = "bio"
KINDS = (BIO, "interviews", "writings", "speeches")
#: How the names of documents end, in small letters.
ENDINGS = (".md", ".txt", ".pdf")

#: Characters of a speaker's name, at most.
LONGEST_NAME = 60
#: Each document is a file that Snakemake looks at whenever it starts.
_MOST_DOCUMENTS = 10_000
# Snakemake takes braces for wildcards, and its report runs what stands in angle brackets; the rest
# breaks a line, turns the direction of writing, or is half a character.
_UNUSABLE = re.compile(
    "[{}<>\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# "#" begins a heading in a transcript, "=" a line around material, ":" parts a role from a name.
_NOT_IN_SPEAKERS = "#=:"
#: From a name, why a study cannot have it, as the rest of a sentence; "" where it can.
Refused = Callable[[str], str]
#: Joiners are letters' own in some scripts; of all else that is not seen, nobody could tell a name
#: with it from the same without.
_JOINERS = "\u200c\u200d"


def _none_refused(name: str) -> str:
    return ""


def documents(
    folder: Path, setting: str = "speakers", refused: Refused = _none_refused
) -> list[Path]:
    """Every document of every speaker, in the order of their paths.

    Parameters
    ----------
    folder : with a folder for each speaker, and in it some of :data:`KINDS`, which may have
        folders of their own. Hidden files and files with another ending count for nothing.
    setting : the one that names the folder.
    refused : names that the study cannot have besides.

    Returns
    -------
    Paths that begin as ``folder`` does.

    Raises
    ------
    ResourceError : there is no speaker, a name cannot be used, a link leaves the folder, or there
        are too many documents.
    """
    return [path for paths in by_speaker(folder, setting, refused).values() for path in paths]


def by_speaker(
    folder: Path, setting: str = "speakers", refused: Refused = _none_refused
) -> dict[str, list[Path]]:
    """Speaker -> the documents, both in the order of their paths; see :func:`documents`.

    A speaker's name is that of the folder in Unicode's form C, whatever the file system made of it.
    """
    try:
        return _by_speaker(folder, setting, refused)
    except OSError as error:
        where = error.filename or folder
        raise ResourceError(f"{_shown(where)} cannot be read ({error.strerror}).") from None


def _by_speaker(folder: Path, setting: str, refused: Refused) -> dict[str, list[Path]]:
    if _UNUSABLE.search(str(folder)):
        raise ResourceError(f"{_shown(folder)} has a name with {_character(str(folder))}; {_MEND}.")
    if not folder.is_dir():
        raise ResourceError(
            f"{folder} is no folder; {setting} must name the one with the speakers' folders."
        )
    documents: dict[str, list[Path]] = {}
    alike: dict[str, str] = {}
    number = 0
    for entry in _entries(folder, folder):
        if not entry.is_dir():
            continue
        kinds = [kind for kind in _entries(entry, folder) if _kind(kind) and kind.is_dir()]
        if not kinds:
            continue
        name = _speaker(entry, refused)
        _refuse_alike(name, alike, folder)
        documents[name] = [path for kind in kinds for path in _documents_in(kind, folder)]
        number += len(documents[name])
        if number > _MOST_DOCUMENTS:
            raise ResourceError(
                f"{folder} has more than {_MOST_DOCUMENTS:,} documents, which is the most that a "
                "run takes; put some of them together, or take some out."
            )
    if not documents:
        raise ResourceError(
            f"{folder} has no speakers; give each a folder with some of {', '.join(KINDS)} in it."
        )
    return documents


def _refuse_alike(name: str, alike: dict[str, str], folder: Path) -> None:
    """Refuse a name that readers, judges and some file systems take for another's; note it."""
    shown = name.translate(dict.fromkeys(map(ord, _JOINERS)))
    folded = unicodedata.normalize("NFKC", shown).casefold()
    other = alike.setdefault(unicodedata.normalize("NFKC", folded), name)
    if other is name:
        return
    if other == name:
        raise ResourceError(f"{folder} has two folders with the name {name!r}; rename one of them.")
    raise ResourceError(
        f"{folder} has the folders {other!r} and {name!r}, which read alike; rename one of them."
    )


def kind_of(path: Path, speakers: Path) -> str:
    """Which of :data:`KINDS` a document is in, of those in the folder of all speakers."""
    return _kind(speakers / Path(*path.relative_to(speakers).parts[:2]))


def kind_in(document: str) -> str:
    """Which of :data:`KINDS` a document is in, by its path in its speaker's folder."""
    return _kind(Path(document.partition("/")[0]))


def _kind(path: Path) -> str:
    name = path.name.casefold()
    return name if name in KINDS else ""


def _documents_in(kind: Path, root: Path) -> Iterator[Path]:
    """The documents below a folder, in order; not by recursion, as folders may stand deep."""
    waiting = [kind]
    while waiting:
        path = waiting.pop()
        if path.is_dir():
            waiting += reversed(list(_entries(path, root)))
        elif path.suffix.casefold() in ENDINGS:
            if not path.is_file():
                raise ResourceError(f"{path} is no file that can be read; take it out.")
            yield path


def _entries(folder: Path, root: Path) -> Iterator[Path]:
    """What stands in a folder but for what is hidden, in the order of names; all names usable."""
    for path in sorted(folder.iterdir()):
        name = path.name
        if name.startswith("."):
            continue
        is_ours = path.is_dir() or path.suffix.casefold() in ENDINGS
        if is_ours and _UNUSABLE.search(name):
            raise ResourceError(f"{_shown(path)} has a name with {_character(name)}; {_MEND}.")
        if is_ours and path.is_symlink():
            _refuse_way_out(path, root)
        yield path


_MEND = "rename it, since neither Snakemake nor a prompt can carry that"


def _refuse_way_out(link: Path, root: Path) -> None:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        raise ResourceError(f"{link} is a link that leads nowhere; take it out.") from None
    if not target.is_relative_to(root.resolve()):
        raise ResourceError(
            f"{link} is a link to what is outside {root}; put a copy there instead."
        )
    if target.is_dir():
        raise ResourceError(f"{link} is a link to a folder; put the folder itself there.")


def _speaker(entry: Path, refused: Refused) -> str:
    """A speaker's name, which stands in prompts, transcripts and ids of turns."""
    name = unicodedata.normalize("NFC", entry.name)
    bad = next((letter for letter in name if letter in _NOT_IN_SPEAKERS), "")
    hidden = next(filter(_is_hidden, name), "")
    if bad:
        why = f"has {bad!r} in it, which marks something else in prompts and turns"
    elif hidden:
        why = f"has the character U+{ord(hidden):04X} in it, which is not seen"
    elif len(name) > LONGEST_NAME:
        why = f"has {len(name)} characters; a name may have {LONGEST_NAME}"
    elif not any(map(str.isalpha, name)) or name != " ".join(name.split()):
        why = "is no name: it needs a letter, and single blanks between its words only"
    elif not (why := refused(name)):
        return name
    where = _shown(entry) if hidden else entry
    raise ResourceError(f"{where} cannot be a speaker's folder: its name {why}; rename it.")


def _is_hidden(letter: str) -> bool:
    """Whether a character is not seen, or is of nobody's script."""
    if letter in _JOINERS:
        return False
    return unicodedata.category(letter) in ("Cf", "Co", "Cn") or bool(UNSEEN.match(letter))


def _character(name: str) -> str:
    """The first character of a name that cannot be used, as it may be shown."""
    match = _UNUSABLE.search(name)
    assert match
    if match[0] in "{}<>":
        return repr(match[0])
    if "\udc80" <= match[0] <= "\udcff":
        return "a byte that is no UTF-8"
    return f"the character {unwritable(match[0]) or f'U+{ord(match[0]):04X}'}"


def _shown(path: object) -> str:
    """A path with what cannot be shown written out, such as \\n."""
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in str(path)
    )
