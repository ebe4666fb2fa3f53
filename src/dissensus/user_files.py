"""Files that a user supplies, read with one sentence for each way to get them wrong."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import ZipInfo

import yaml

from dissensus.encodings import as_windows_has_it, no_text
from dissensus.errors import ResourceError
from dissensus.setting_faults import misread, unwritable
from dissensus.yaml_nodes import entries, next_step, refuse_growth

try:
    from yaml import CSafeLoader as _SafeLoader
except ImportError:  # PyYAML without libyaml, ten times slower
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]

# What YAML allows but for line ends and tabs is left out here.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
#: libyaml's reader ends the process with a fault of memory some thousands of levels down.
_DEEPEST = 100
#: Of a whole number.
_MOST_BITS = 512
#: Characters.
_LARGEST_CELL = 1 << 30
#: What parts cells -> in words.
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
#: Bytes up to which it does not matter what a file was packed to, and how often it may be smaller
#: above that: texts are packed to a tenth.
_LARGE = 16 << 20
_MOST_PACKED = 200
_MERGE = "tag:yaml.org,2002:merge"


def swells(member: ZipInfo) -> bool:
    """Whether a file of a ZIP becomes far more than it is, as no text and no table does."""
    return member.file_size > max(_LARGE, _MOST_PACKED * member.compress_size)


def read_csv(
    path: str | Path,
    needed: Sequence[str],
    *,
    delimiters: str = ",",
    as_it_is: Collection[str] = (),
) -> list[tuple[int, dict[str, str]]]:
    """Rows of a CSV in UTF-8 with their numbers, the header being row 1.

    They are numbered as a spreadsheet numbers them: a cell with line breaks is in one row.

    Parameters
    ----------
    delimiters : what may part cells: the first that gives all needed columns.
    as_it_is : columns of texts of others, which may have any character but U+0000.

    Raises
    ------
    ResourceError : no such file, another encoding, a missing column or one that stands twice, a row
        with more or fewer cells, or a control character.
    """
    text = table_text(path, {"delimiter": delimiters[0]})

    def fits(delimiter: str) -> bool:
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
        return set(needed) <= set(header)

    delimiter = next(filter(fits, delimiters), delimiters[0])
    form = {"strict": True, "delimiter": delimiter}
    mend = f"put texts with {_DELIMITERS[delimiter]} in double quotes"
    return _rows(path, text, needed, form, mend, as_it_is)


def csv_header(path: str | Path, delimiters: str) -> list[str]:
    """The names of a CSV's columns, by the delimiter that gives most.

    Raises
    ------
    ResourceError : no such file, or another encoding.
    """
    text = table_text(path, {"delimiter": delimiters[0]})
    headers = [
        next((cells for _, cells in _records(path, text, {"delimiter": delimiter})), [])
        for delimiter in delimiters
    ]
    return max(headers, key=len)


def read_tsv(path: str | Path, needed: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """The same of cells parted by tabs, in which quotes are letters like others."""
    form = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    return _rows(path, table_text(path, form), needed, form, "part its cells by single tabs")


def _rows(
    path: str | Path,
    text: str,
    needed: Sequence[str],
    form: Mapping[str, Any],
    mend: str,
    as_it_is: Collection[str] = (),
) -> list[tuple[int, dict[str, str]]]:
    """Rows with their numbers.

    Parameters
    ----------
    text : what the file holds.
    form : how cells are parted, as :func:`csv.reader` takes it.
    mend : for a row with more or fewer cells.
    as_it_is : columns whose texts may have any character but U+0000.
    """
    header: list[str] = []
    rows = []
    # Where the whole has only what texts may have, no cell need be looked at.
    is_text = not unwritable(text)
    for number, cells in _records(path, text, form):
        if not header:
            header = cells
            _check_header(f"{path}, row {number}", header, needed)
        elif len(cells) != len(header):
            raise ResourceError(
                f"{path}, row {number}: it has {len(cells)} instead of {len(header)} cells; {mend}."
            )
        else:
            rows.append((number, dict(zip(header, cells, strict=True))))
        for column, cell in () if is_text else zip(header, cells, strict=True):
            if column not in as_it_is or "\x00" in cell:
                check_text(cell, f"{path}, row {number}: {column or 'a cell'}")
    if not header:
        _check_header(f"{path}, row 1", header, needed)
    return rows


def _check_header(where: str, header: Sequence[str], needed: Sequence[str]) -> None:
    missing = [column for column in needed if column not in header]
    if missing:
        raise ResourceError(
            f"{where}: the column {missing[0]!r} is missing; it needs {', '.join(needed)}."
        )
    twice = [column for column, times in Counter(header).items() if column and times > 1]
    if twice:
        raise ResourceError(f"{where}: the column {twice[0]!r} stands twice; leave one out.")


def _records(
    path: str | Path, text: str, form: Mapping[str, Any]
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table that are not empty, with their numbers."""
    # A speech may be longer than what the module takes for a cell.
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), **form)
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):
            if cells:
                yield number, cells
    except csv.Error as error:
        raise ResourceError(f"{path}, row {number + 1}: not a CSV row ({error}).") from None


def table_text(path: str | Path, form: Mapping[str, Any]) -> str:
    """What a table in UTF-8 holds, without a byte order mark; ``form`` as of :func:`csv.reader`."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    if wrong := no_text(raw):
        raise ResourceError(f"{path} {wrong}.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = io.StringIO(raw[: error.start].decode("utf-8") + "x", newline="")
        row = sum(1 for _ in csv.reader(before, **{**form, "strict": False}))
        raise ResourceError(
            f"{path}, row {row}: byte {error.start} is not UTF-8"
            f"{as_windows_has_it(raw, error.start)}; save the file as UTF-8."
        ) from None


def read_text(path: str | Path) -> str:
    """A text that a user wrote, in UTF-8, without the space around it.

    Raises
    ------
    ResourceError : it cannot be read, or holds what no prompt can carry.
    """
    try:
        text = Path(path).read_text("utf-8-sig").strip()
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise ResourceError(
            f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8."
        ) from None
    check_text(text, str(path))
    return text


def check_text(text: str, where: str) -> None:
    """Refuse a text with characters that no prompt or artefact can carry.

    Parameters
    ----------
    where : the file and the place in it.

    Raises
    ------
    ResourceError : a control character that is neither a line break nor a tab, or half a character.
    """
    wrong = unwritable(text)
    if wrong:
        raise ResourceError(f"{where} holds the character {wrong}, which is no text; take it out.")


@dataclass(frozen=True)
class YamlFile:
    """A YAML file, and where in it things are.

    Attributes
    ----------
    path : of the file.
    value : what it holds.
    root : its nodes, None where it is empty.
    """

    path: str
    value: Any
    root: yaml.Node | None

    @classmethod
    def read(cls, path: str | Path) -> YamlFile:
        """Read a UTF-8 file strictly: no key twice, no key or number that YAML takes for another.

        Raises
        ------
        ResourceError : it cannot be read so; by line.
        """
        return cls._parsed(path, _yaml_text(path))

    @classmethod
    def shared(cls, path: str | Path) -> YamlFile:
        """The same, once for each text of a file: who reads it so changes nothing in it."""
        return cls._kept(str(path), _yaml_text(path))

    @classmethod
    @lru_cache(maxsize=32)
    def _kept(cls, path: str, text: str) -> YamlFile:
        return cls._parsed(path, text)

    @classmethod
    def _parsed(cls, path: str | Path, text: str) -> YamlFile:
        loader = _Loader(text)
        try:
            _refuse_depth(path, text)
            root = loader.get_single_node()
            refuse_growth(path, root)
            _refuse_lost_keys(path, loader, root)
            return cls(str(path), loader.construct_document(root) if root else None, root)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            # At the end of a file it is the line after the last.
            line = f", line {min(mark.line, text.rstrip().count(chr(10))) + 1}" if mark else ""
            problem = f"{path}{line}: it is not YAML ({error.problem})"
        except yaml.YAMLError as error:
            problem = f"{path}: it is not YAML ({' '.join(str(error).split())})"
        finally:
            loader.dispose()
        raise ResourceError(f"{problem}; mend it there or just above.")

    def place(self, sentence: str) -> str:
        """The file, with the line of the path of keys that a sentence begins with, or of what is
        nearest above.
        """
        line, found = 0, next_step(self.root, sentence)
        while found:
            line, node, rest = found
            found = next_step(node, rest)
        return f"{self.path}, line {line}" if line else self.path


def read_yaml(path: str | Path) -> Any:
    """What a YAML file holds; see :meth:`YamlFile.read`."""
    return YamlFile.read(path).value


def read_settings(path: str | Path) -> dict[str, Any]:
    """What a file of settings holds, as a block that may have no setting that is right.

    Raises
    ------
    ResourceError : it cannot be read as YAML, see :meth:`YamlFile.read`, or holds no block.
    """
    settings = read_yaml(path)
    try:
        # A block that holds itself has no end.
        json.dumps(settings, default=str, skipkeys=True)
    except (ValueError, RecursionError) as error:
        raise ResourceError(
            f"{path} holds a value that cannot be read ({error}); correct it."
        ) from None
    if not isinstance(settings, dict):
        raise ResourceError(f"{path} holds no settings; each is a line such as 'seed: 7'.")
    return settings


class _Loader(_SafeLoader):
    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node; says where a scalar has the form of a date and is none, or is a
        number that nobody could print: Python gives up at 4,300 digits.
        """
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, int) and value.bit_length() > _MOST_BITS:
                raise ValueError("no setting is a whole number of so many digits")
        except ValueError as error:
            wrong = f"{node.value[:40]!r}: {error}"
            raise yaml.constructor.ConstructorError(None, None, wrong, node.start_mark) from None
        return value


def _yaml_text(path: str | Path) -> str:
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ResourceError(f"{path}, line {line}: it is not UTF-8; save it as UTF-8.") from None
    control = _CONTROL.search(text)
    if control:
        line = text[: control.start()].count("\n") + 1
        raise ResourceError(
            f"{path}, line {line}: it has the control character U+{ord(control[0]):04X}; take it "
            "out."
        )
    return text


def _refuse_depth(path: str | Path, text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST and event.start_mark:
            raise ResourceError(
                f"{path}, line {event.start_mark.line + 1}: lists and blocks stand more than "
                f"{_DEEPEST} deep in each other; take some levels out."
            )


def _refuse_lost_keys(path: str | Path, loader: _Loader, root: yaml.Node | None) -> None:
    """Refuse keys of which a reader of YAML makes something else without a word."""
    waiting = [(root, "")] if root else []
    seen: set[int] = set()
    while waiting:
        node, above = waiting.pop()
        if id(node) in seen:  # an alias of it was looked at
            continue
        seen.add(id(node))
        lines: dict[Any, int] = {}
        for name, line, key, inner in entries(node):
            waiting.append((inner, f"{above}{name}."))
            another = _misread(inner)
            if another:
                raise ResourceError(
                    f"{path}, line {line}: {above}{name} holds {inner.value}, {another}."
                )
            if key is None:
                continue
            where = f"{path}, line {line}: {above}{name}"
            read = name if key.tag == _MERGE else loader.construct_object(key)
            if read is None or isinstance(read, bool) or _misread(key):
                meant = "nothing" if read is None else read
                meant = "a truth value" if isinstance(read, bool) else meant
                raise ResourceError(f"{where} is read as {meant}; put the key in quotes.")
            if read in lines:
                raise ResourceError(f"{where} stands in line {lines[read]} already; keep one.")
            lines[read] = line


def _misread(node: yaml.Node | None) -> str:
    """As :func:`misread`, of what stands without quotes."""
    return misread(node.value) if isinstance(node, yaml.ScalarNode) and not node.style else ""
