"""The page of a study's files: what each artefact holds, column by column, as the file itself says.

Nothing is read of the code: a study of the user's own, or an artefact of an older version, is
described as well as any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from dissensus.report.escaping import html
from dissensus.report.labels import counted
from dissensus.report.pages.shell import header, page
from dissensus.report.pages.study import scripts, style
from dissensus.tables.artefact import Schema, described

#: Made for who asks for it: a page that named it would depend on who did.
_ASKED_FOR = "design_diagnosis.parquet"
#: Folders with a file of the same columns for each session.
_BY_SESSION = ("transcripts",)


@dataclass(frozen=True)
class File:
    """An artefact of a study.

    Attributes
    ----------
    path : below the study's folder; of many files that are alike, of their folder.
    schema : as the file has it.
    rows : how many it has; of a folder, how many files.
    """

    path: str
    schema: Schema
    rows: int

    @property
    def anchor(self) -> str:
        """Where it stands on the page: the name that figures and tables read it by."""
        return Path(self.path).stem

    @property
    def size(self) -> str:
        """Its rows, or its files, in words."""
        if self.path.endswith("/"):
            return f"{counted(self.rows, 'file')}, one a session"
        return counted(self.rows, "row")


def files_of(folder: Path) -> list[File]:
    """The artefacts of a study, by their names; ``folder``: of the study."""
    found = []
    for path in sorted(folder.glob("*.parquet")):
        if path.name != _ASKED_FOR:
            schema, rows = described(path)
            found.append(File(path.name, schema, rows))
    for name in _BY_SESSION:
        alike = sorted((folder / name).glob("*.parquet"))
        if alike:
            schema, _ = described(alike[0])
            found.append(File(f"{name}/", schema, len(alike)))
    return found


def columns_page(run: str, study: str, files: Sequence[File], simulated: bool) -> str:
    """The page, in HTML; it lies in the study's folder, beside the files."""
    way = [("../index.html", f"Run {run}"), ("index.html", study)]
    body = [
        header(way, simulated),
        f'<main id="content"><p class="kicker">{html(study)}</p><h1>Files and their columns</h1>',
        "<p>Every table of this study is a Parquet file in this folder. The same sentences and "
        "units are in the file itself, in the metadata of its columns. A type with ? may have "
        "missing values.</p>",
        '<ul class="contents">',
        *(f'<li><a href="#{html(each.anchor)}">{html(each.anchor)}</a></li>' for each in files),
        "</ul>",
        *(line for each in files for line in _section(each)),
        "</main>",
    ]
    title = f"Files of {study}, run {run}"
    return page(title, style(), "\n".join(body), scripts())


def _section(file: File) -> Iterator[str]:
    """What a row is, what names one, and a row a column."""
    schema, anchor = file.schema, html(file.anchor)
    yield f'<section class="table" id="{anchor}" aria-labelledby="{anchor}-name">'
    yield f'<h2 id="{anchor}-name"><a href="{quote(file.path)}">{html(file.path)}</a></h2>'
    key = ", ".join(f"<code>{html(name)}</code>" for name in schema.key)
    named = f" Rows are named by {key}." if key else ""
    yield f"<p>{html(file.size)}. One row per {html(schema.row)}.{named}</p>"
    yield '<div class="wide" tabindex="0"><table><thead><tr><th scope="col">Column</th>'
    yield '<th scope="col">Type</th><th scope="col">Unit</th><th scope="col">Meaning</th>'
    yield "</tr></thead><tbody>"
    for name, column in schema.columns.items():
        cells = f"<td>{html(column.kind)}</td><td>{html(column.unit)}</td>"
        yield f'<tr><th scope="row"><code>{html(name)}</code></th>{cells}'
        yield f"<td>{html(column.meaning)}</td></tr>"
    yield "</tbody></table></div></section>"
