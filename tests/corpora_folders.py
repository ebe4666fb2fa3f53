"""Speakers' folders and PDFs for tests."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path


def corpus(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder of speakers; ``files``: path below it -> content."""
    folder = root / "speakers"
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def pdf(*pages: str, forms: Sequence[str] = (), copies: int = 1) -> bytes:
    """A PDF with a line of text for each line of a page.

    Parameters
    ----------
    pages : their texts, plain letters and digits.
    forms : drawings F0, F1, ...: each is what pages and forms may put in by ``/F0 Do``.
    copies : how often the document has each page.
    """
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    shared = 4 + len(forms)
    names = " ".join(f"/F{number} {4 + number} 0 R" for number in range(len(forms)))
    resources = f"<< /Font << /T 3 0 R >> /XObject << {names} >> >>"
    kids = [f"{shared + 2 * number} 0 R" for number in range(len(pages))] * copies
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode(),
        font.encode(),
        *(
            _stream(form, f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources {resources}")
            for form in forms
        ),
    ]
    for number, page in enumerate(pages):
        about = f"/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources {resources}"
        objects.append(f"<< {about} /Contents {shared + 2 * number + 1} 0 R >>".encode())
        objects.append(_stream(page if "Do" in page else shown(page)))
    return _file(objects)


def shown(page: str) -> str:
    """The instructions that show a page's lines."""
    lines = "".join(f"({line}) Tj 0 -14 Td\n" for line in page.split("\n"))
    return f"BT /T 12 Tf 50 750 Td\n{lines}ET"


def _stream(content: str, about: str = "") -> bytes:
    packed = zlib.compress(content.encode("latin-1"), 9)
    head = f"<< {about} /Length {len(packed)} /Filter /FlateDecode >>\nstream\n"
    return head.encode() + packed + b"\nendstream"


def _file(objects: Sequence[bytes]) -> bytes:
    made, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(made))
        made += f"{number} 0 obj\n".encode() + one + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    made += f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode()
    end = made.index(b"xref\n0 ")
    return made + f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{end}\n%%EOF\n".encode()
