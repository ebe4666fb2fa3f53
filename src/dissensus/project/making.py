"""``dissensus new``: writes a project that works at once, in a folder of its own."""

from __future__ import annotations

import argparse
import keyword
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from dissensus.errors import SettingError
from dissensus.settings import WORD
from dissensus.shipped import home, shipped_folders
from dissensus.user_files import read_settings

#: The name that the template's study has.
_TEMPLATE = "echo"
_GALLERY = "examples"
#: The folder of the template with the test that a project like a design begins with.
_LIKE = "like"
#: Which estimates are planted above, below or at zero, in the folder of a design.
_PLANTED = "planted.csv"
_SCHEMA = "config.schema.json"
#: Imports the data of a run into the current folder: the file, and the run's name.
Importer = Callable[[argparse.Namespace], list[str]]


def add_new_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser what ``dissensus new`` takes, but for what an import takes."""
    parser.add_argument("name", help="of the project, of its folder, and of its study")
    parser.add_argument("--like", default="", metavar="DESIGN", help="a design of the gallery")
    parser.add_argument("--from", dest="file", type=Path, help="a file of turns, as import has it")


def new(chosen: argparse.Namespace, importer: Importer) -> list[str]:
    """Write a project, complete or not at all.

    Parameters
    ----------
    chosen : as :func:`add_new_options` has them, and the options of an import.
    importer : what ``dissensus import`` calls.

    Returns
    -------
    Sentences on what was written, the last with the commands to go on with.

    Raises
    ------
    SettingError : the name is taken or cannot be one, or no design has the name of ``--like``.
    DissensusError : something in the file of turns is wrong, by its row.
    """
    folder = Path(chosen.name)
    _check_name(chosen.name, folder)
    if chosen.like and chosen.file:
        raise SettingError("--like and --from are two ways to begin; leave one out.")
    source = chosen.file and chosen.file.resolve()
    with TemporaryDirectory(prefix=f".{chosen.name}-", dir=folder.resolve().parent) as place:
        made = Path(place) / chosen.name
        lines: list[str] = []
        if source:
            lines = _imported(made, source, chosen, importer)
        else:
            _lay(made, chosen.name, _design(chosen.like))
            _write_schema(made, chosen.name)
        made.rename(folder)
    return [*lines, f"{folder}/ is a project; README.md says what it holds. Go on with:",
            f"  cd {folder}", "  dissensus run"]  # fmt: skip


def designs() -> dict[str, Path]:
    """Name -> folder of each design of the gallery."""
    files = sorted((home() / _GALLERY).glob("*/study.py"))
    return {file.parent.name: file.parent for file in files}


def _check_name(name: str, folder: Path) -> None:
    problem = ""
    if not re.fullmatch(WORD.pattern, name) or keyword.iskeyword(name):
        problem = f"it may have {WORD.words}, and is no word of Python's"
    elif name in shipped_folders() or name == "results":
        problem = "dissensus has something of that name"
    elif folder.exists():
        problem = "something of that name is in this folder"
    elif find_spec(name):
        problem = "a package of that name is installed"
    if problem:
        raise SettingError(f"{name!r} cannot be the name of a project: {problem}; give it another.")


def _design(like: str) -> Path | None:
    known = designs()
    if like and like not in known:
        raise SettingError(f"--like holds {like!r}; the gallery has {', '.join(known)}.")
    return known[like] if like else None


def _lay(made: Path, name: str, design: Path | None) -> None:
    """Write the template's project, with the study of a design in place of its own."""
    template = Path(__file__).parent / "template"
    for file in _files(template):
        place = file.relative_to(template)
        # The rest is about the template's own study, its test among it; the other is of designs.
        if (design and place.name != "gitignore") or place.parts[0] == _LIKE:
            continue
        target = made / ".gitignore" if place.name == "gitignore" else made / _named(place, name)
        _write(target, _renamed(file.read_text(encoding="utf-8"), _TEMPLATE, name))
    _pin(made)
    if design:
        _lay_design(made, name, design)


def _lay_design(made: Path, name: str, design: Path) -> None:
    """Write a design's study, its settings, and a test that finds what is planted in it."""
    former = design.name
    for file in _files(design):
        if file.name not in ("config.yaml", _PLANTED):
            text = file.read_text(encoding="utf-8")
            _write(made / name / file.relative_to(design), _renamed(text, former, name))
    tests = Path(__file__).parent / "template" / _LIKE
    for file in _files(tests):
        text = _renamed(file.read_text(encoding="utf-8"), "design", name)
        _write(made / "tests" / file.name.replace("design", name), text)
    shutil.copyfile(design / _PLANTED, made / "tests" / _PLANTED)
    settings = (design / "config.yaml").read_text(encoding="utf-8")
    settings = settings.replace(f"{_GALLERY}/{former}", name)
    about = f"The study `{name}/study.py`, begun from the design `{former}` of dissensus' gallery."
    _write(made / "README.md", _README.format(name=name, about=about, test=_TEST))
    lines = [f"# yaml-language-server: $schema={_SCHEMA}", _renamed(settings, former, name)]
    (made / "config.yaml").write_text("\n".join(lines), encoding="utf-8")


def _imported(
    made: Path, source: Path, chosen: argparse.Namespace, importer: Importer
) -> list[str]:
    """Write a project of imported debates, with a copy of their file."""
    data = made / "data" / source.name
    data.parent.mkdir(parents=True)
    try:
        shutil.copyfile(source, data)
    except OSError as error:
        raise SettingError(f"--from holds {chosen.file}: {error.strerror}.") from None
    chosen.file, chosen.run = Path("data") / source.name, chosen.name
    with chdir(made):
        *lines, _, _ = importer(chosen)
        Path(f"{chosen.name}.yaml").rename("config.yaml")
    template = Path(__file__).parent / "template"
    shutil.copyfile(template / "gitignore", made / ".gitignore")
    about = f"Debates of `data/{data.name}`, measured with dissensus."
    _write(made / "README.md", _README.format(name=chosen.name, about=about, test=""))
    _pin(made)
    return lines


_README = """# {name}

{about}

```
pip install -r requirements.txt
dissensus run
```

The second command makes `results/{name}/`: open `index.html` there. `config.yaml` has the settings.
{test}"""

_TEST = """
`python -m unittest discover tests` runs the study again, and finds what is planted in its simulated
agents.
"""


def _pin(made: Path) -> None:
    text = "# The version that the results are of.\n"
    _write(made / "requirements.txt", f"{text}dissensus=={version('dissensus')}\n")


def _write_schema(made: Path, name: str) -> None:
    """What editors check the project's settings by."""
    # Imports the study, which nothing else here needs.
    from dissensus.study.editor_schema import schema_of

    folders: Mapping[str, str] = read_settings(made / "config.yaml")["study_folders"]
    with chdir(made):
        Path(_SCHEMA).write_text(schema_of(folders), encoding="utf-8")


def _files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            yield file


def _named(place: Path, name: str) -> Path:
    """The path of a template's file in a project of a name."""
    return Path(*(part.replace(_TEMPLATE, name) for part in place.parts))


def _renamed(text: str, former: str, name: str) -> str:
    """A text in which a study has another name, and its class the same in another form."""
    text = re.sub(rf"\b(test_)?{former}\b", rf"\g<1>{name}", text)
    return re.sub(rf"\b{_class(former)}\b", _class(name), text)


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
