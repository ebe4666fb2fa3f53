"""A table as readers see it: title, cells of text, and a note; as Markdown, CSV and HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from html import unescape
from pathlib import Path

from dissensus.report import escaping
from dissensus.report.facts import unmarked
from dissensus.report.labels import Cell, numeric, stopped, whole
from dissensus.report.pages.shell import common_style, header, page
from dissensus.tables.artefact import write_text

Row = tuple[str, ...]

SIMULATED = "Simulated models."

_NUMBER = re.compile(r"^[-+−<(\[]?\d.*|–|$")
#: A hyphen that stands for a minus.
_HYPHEN = re.compile(r"(?:(?<=^)|(?<=[\s(\[]))-(?=\.?\d)")
#: With the mark behind it, if there is one.
_INTERVAL = re.compile(r"\[[^\[\]]*\]( [†‡])?")


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    name : its file's, such as "table_1".
    title : in Markdown it gets a full stop, where it has none.
    columns, rows : text; what is a mark in a format is escaped when that is written.
    note : method, N and what else a reader needs.
    simulated : whether its numbers are of simulated models.
    facts : values of names in the caption of the page of tables.
    """

    name: str
    title: str
    columns: Row
    rows: tuple[Row, ...]
    note: str
    simulated: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)

    def noted(self, sentence: str) -> Table:
        """The same with a sentence at the beginning of its note; "" adds none."""
        return replace(self, note=f"{sentence} {self.note}") if sentence else self


def make(
    name: str,
    title: str,
    columns: Row,
    rows: Sequence[Row],
    note: str,
    simulated: bool,
    facts: Mapping[str, str] | None = None,
) -> Table:
    """A table; its note says so where the models are simulated.

    Raises
    ------
    ValueError : a row has not as many cells as there are columns.
    """
    if any(len(row) != len(columns) for row in rows):
        raise ValueError(f"{name} has a row that is not as long as its header")
    note = f"{unmarked(note)} {SIMULATED}" if simulated else unmarked(note)
    cells = tuple(tuple(map(_unmarked_cell, row)) for row in rows)
    heads = tuple(map(unmarked, columns))
    return Table(name, title, heads, cells, note, simulated, facts or {})


def nothing(name: str, title: str, why: str, simulated: bool) -> Table:
    """A table of what there is nothing of: one column, no row, and a sentence that says why."""
    return make(name, title, ("Nothing to show",), (), why, simulated)


def _unmarked_cell(cell: str) -> str:
    """A cell without the marks of its numbers' origins."""
    plain = unmarked(cell)
    return Cell(plain, cell.numbers, cell.in_percent) if isinstance(cell, Cell) else plain


def caption_facts(tables: Sequence[Table]) -> dict[str, str]:
    """What the caption of a page of tables says: their number, and the facts of each."""
    return {"tables": str(len(tables))} | {
        name: fact for table in tables for name, fact in table.facts.items()
    }


def as_markdown(table: Table) -> str:
    """Title, table and note."""
    cells = [
        [escaping.markdown(_apart(cell)) for cell in row] for row in (table.columns, *table.rows)
    ]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(table.columns))]
    right = _numeric(table)

    def line(row: Sequence[str]) -> str:
        return (
            "| "
            + " | ".join(
                cell.rjust(width) if flush else cell.ljust(width)
                for cell, width, flush in zip(row, widths, right, strict=True)
            )
            + " |"
        )

    rule = (
        "|"
        + "|".join(
            "-" * (width + 1) + ":" if flush else "-" * (width + 2)
            for width, flush in zip(widths, right, strict=True)
        )
        + "|"
    )
    body = "\n".join([line(cells[0]), rule, *(line(row) for row in cells[1:])])
    title, note = map(escaping.markdown, (stopped(table.title), table.note))
    return f"**{title}**\n\n{body}\n\n*Note.* {note}\n"


def as_csv(table: Table) -> str:
    """Header and rows alone, for programs: numbers as numbers, and whether models are simulated."""
    header, *rows = numeric(table.columns, table.rows)
    told = "true" if table.simulated else "false"
    lines = [[*header, "simulated"], *([*row, told] for row in rows)]
    return "".join(f"{','.join(map(escaping.csv_cell, line))}\n" for line in lines)


def as_latex(table: Table) -> str:
    """Title, table and note, for a paper: by booktabs, for an engine that reads Unicode."""
    aligned = "".join("r" if flush else "l" for flush in _numeric(table))
    head, *rows = (
        " & ".join(escaping.latex(_apart(cell)) for cell in row) + r" \\"
        for row in (table.columns, *table.rows)
    )
    lines = [
        "% \\usepackage{booktabs}; xelatex or lualatex",
        r"\begin{table}",
        rf"\caption{{{escaping.latex(table.title)}}}",
        rf"\begin{{tabular}}{{{aligned}}}",
        *(r"\toprule", head, r"\midrule", *rows, r"\bottomrule"),
        r"\end{tabular}",
        "",
        rf"\emph{{Note.}} {escaping.latex(table.note)}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


#: How the HTML of a table begins, see :func:`as_html`.
_BEGIN = re.compile(r'<div class="wide"><table id="([^"]+)">')
_BEGIN_OF = re.compile(r'(?=<div class="wide"><table id=")')
_MAIN = '<main id="content">'


def as_page(tables: Sequence[Table], title: str) -> str:
    """One self-contained page of tables, which lies one folder below the page of results."""
    simulated = any(table.simulated for table in tables)
    way_back = (
        header([("../index.html", "All results")], simulated) + f"<h1>{escaping.html(title)}</h1>"
    )
    body = "\n".join(as_html(table) for table in tables)
    return page(title, common_style(), f"{way_back}{_MAIN}{body}</main>")


def write_table(table: Table, comma: str, markdown: str) -> None:
    """Write a table in both forms.

    Raises
    ------
    ValueError : a file has another table's name.
    """
    for path, text in ((comma, as_csv(table)), (markdown, as_markdown(table))):
        if Path(path).stem != table.name:
            raise ValueError(f"{table.name} would be written to {path}")
        write_text(path, text)


def write_tables(
    tables: Sequence[Table],
    commas: Sequence[str],
    markdowns: Sequence[str],
    overview: str,
    title: str,
    latex: Sequence[str] = (),
) -> None:
    """Write every table as :func:`write_table` does, and all of them on one page.

    Parameters
    ----------
    latex : files of those tables that are also written for a paper.
    """
    for table, comma, markdown in zip(tables, commas, markdowns, strict=True):
        write_table(table, comma, markdown)
    named = {table.name: table for table in tables}
    for path in latex:
        write_text(path, as_latex(named[Path(path).stem]))
    write_text(overview, as_page(tables, title))


def parts(text: str) -> dict[str, str]:
    """The tables of a page that :func:`as_page` made: name -> table and note, in HTML."""
    body = text.partition(_MAIN)[2].rpartition("</main>")[0]
    matches = (_BEGIN.match(part) for part in _BEGIN_OF.split(body))
    return {unescape(match[1]): match.string.rstrip() for match in matches if match}


_TR = re.compile(r"<tr>((?:(?!<tr>).)*?)</tr>")
_TD = re.compile(r"<t[hd](?![a-z])[^<>]*>((?:(?!<t[hd]).)*?)</t[hd]>")


def narrowed(text: str, columns: Sequence[str], only: Sequence[tuple[str, str]] = ()) -> str:
    """A table of :func:`as_html` with some of its columns and rows.

    Parameters
    ----------
    columns : patterns of headers; all columns where none of them is there. A column without a value
        in these rows is left out too.
    only : headers, and what stands below each in the rows that are kept; all where no row has them.
    """
    heads, *rows = [[unescape(cell[1]) for cell in _TD.finditer(row)] for row in _TR.findall(text)]
    wanted = [(heads.index(head), value) for head, value in only if head in heads]
    kept_rows = [row for row in rows if all(row[at] == value for at, value in wanted)] or rows
    chosen = [
        place
        for place, head in enumerate(heads)
        if any(fnmatchcase(head, pattern) for pattern in columns)
        and any(row[place] not in ("", "–") for row in kept_rows)
    ] or range(len(heads))
    lines = iter([heads, *rows])

    def line(match: re.Match[str]) -> str:
        row = next(lines)
        if row is not heads and row not in kept_rows:
            return ""
        cells = [cell[0] for cell in _TD.finditer(match[1])]
        return f"<tr>{''.join(cells[place] for place in chosen)}</tr>"

    return re.sub(r"\n{2,}", "\n", _TR.sub(line, text))


def as_html(table: Table) -> str:
    """Table and note as a part of a page."""
    right = _numeric(table)

    def line(row: Row, tag: str) -> str:
        shown = (escaping.html(_whole_intervals(_apart(cell))) for cell in row)
        cells = (
            f"<{tag}{' class=r' if flush else ''}>{text}</{tag}>"
            for text, flush in zip(shown, right, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    body = "\n".join(line(row, "td") for row in table.rows)
    return (
        f'<div class="wide"><table id="{escaping.html(table.name)}">\n'
        f"<caption>{escaping.html(table.title)}</caption>\n"
        f"<thead>{line(table.columns, 'th')}</thead>\n<tbody>\n{body}\n</tbody>\n</table></div>\n"
        f'<p class="note">{escaping.html(table.note)}</p>'
    )


def _whole_intervals(cell: str) -> str:
    """With no room for a line to end within an interval, or before its mark."""
    return _INTERVAL.sub(lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), cell)


def _apart(cell: str) -> str:
    """A number as people read it: thousands apart, and one minus sign everywhere."""
    return whole(int(cell)) if cell.isdecimal() else _HYPHEN.sub("−", cell)


def _numeric(table: Table) -> list[bool]:
    """Which columns hold numbers alone and are set flush right."""
    return [
        bool(table.rows) and all(_NUMBER.match(row[i]) for row in table.rows)
        for i in range(len(table.columns))
    ]
