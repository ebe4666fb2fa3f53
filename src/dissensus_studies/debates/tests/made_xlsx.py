"""Writes an .xlsx of a few cells, as the parts that the format must have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_xlsx(path: Path, sheets: Mapping[str, Sequence[Sequence[str | float | None]]]) -> None:
    """Write sheets by name, each a list of rows; None is an empty cell."""
    numbers = range(1, len(sheets) + 1)
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        overrides = "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" '
            f'ContentType="{_TYPE}.worksheet+xml"/>'
            for n in numbers
        )
        packed.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
            f'"/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>{overrides}</Types>',
        )
        packed.writestr("_rels/.rels", _relations({"rId1": ("officeDocument", "xl/workbook.xml")}))
        named = "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>'
            for n, name in zip(numbers, sheets, strict=True)
        )
        packed.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{named}</sheets></workbook>',
        )
        related = {f"rId{n}": ("worksheet", f"worksheets/sheet{n}.xml") for n in numbers}
        packed.writestr("xl/_rels/workbook.xml.rels", _relations(related))
        for n, rows in zip(numbers, sheets.values(), strict=True):
            packed.writestr(f"xl/worksheets/sheet{n}.xml", _sheet(rows))


def _relations(given: Mapping[str, tuple[str, str]]) -> str:
    each = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for name, (kind, target) in given.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'


def _sheet(rows: Sequence[Sequence[str | float | None]]) -> str:
    made = ""
    for number, row in enumerate(rows, start=1):
        cells = ""
        for letter, cell in zip("ABCDEFGHIJ", row, strict=False):
            place = f'r="{letter}{number}"'
            if isinstance(cell, str):
                cells += f'<c {place} t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
            elif cell is not None:
                cells += f"<c {place}><v>{cell}</v></c>"
        made += f'<row r="{number}">{cells}</row>'
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{made}</sheetData></worksheet>'
