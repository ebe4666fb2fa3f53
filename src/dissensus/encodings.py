"""What a file is that should be a text in UTF-8 and is none, with the mend."""

from __future__ import annotations

#: How a file begins -> what it is, as the rest of a sentence.
_BEGINNINGS = {
    b"PK\x03\x04": "is packed as a ZIP, as spreadsheets are (.xlsx); give it the ending of what it "
    "is, or save it as CSV in UTF-8",
    b"\xd0\xcf\x11\xe0": "is an old or an encrypted spreadsheet; save it without a password as "
    ".xlsx, or as CSV in UTF-8",
    b"\x1f\x8b": "is packed with gzip; unpack it",
    b"PAR1": "is Parquet; give it the ending .parquet",
    b"\xff\xfe": "is in UTF-16; save it as CSV in UTF-8",
    b"\xfe\xff": "is in UTF-16; save it as CSV in UTF-8",
}
#: Bytes around one that is not UTF-8 that are shown.
_AROUND = 12


def no_text(raw: bytes) -> str:
    """What bytes are that begin like no text in UTF-8, as the rest of a sentence; "" else."""
    start = raw[:256]
    for beginning, what in _BEGINNINGS.items():
        if start.startswith(beginning):
            return what
    # Letters of the Latin alphabet have a zero at every other byte there.
    is_wide = len(start) > 3 and start.count(0) * 3 > len(start)
    return _BEGINNINGS[b"\xff\xfe"] if is_wide else ""


def as_windows_has_it(raw: bytes, place: int) -> str:
    """The words around a byte that is not UTF-8, were they in Windows-1252, in brackets.

    Returns
    -------
    Such as " (in Windows-1252 it would be 'café')"; "" where that has no such byte, either.
    """
    around = raw[max(0, place - _AROUND) : place + _AROUND]
    before = raw[max(0, place - _AROUND) : place]
    try:
        text, first = around.decode("cp1252"), len(before.decode("cp1252"))
    except UnicodeDecodeError:
        return ""
    if not text[first].isprintable():
        return ""
    start = max((n + 1 for n in range(first) if not text[n].isalnum()), default=0)
    end = next((n for n in range(first + 1, len(text)) if not text[n].isalnum()), len(text))
    return f" (in Windows-1252 it would be {text[start:end]!r})"
