"""The seal of a Parquet file: a digest of all its bytes, in its own metadata.

Parquet's own checksums cover pages alone. A flipped bit elsewhere, or rows cut out by another tool,
would be read as if nothing were wrong. So all bytes are checked, before anything parses them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.errors import ArtefactError

_MARK, _BLANK = b"sha256:", b"0" * 64
#: The last entry of the metadata of a file that is to be sealed.
BLANK_SEAL = {b"seal": _MARK + _BLANK}


def seal(data: bytearray) -> None:
    """Fill in the seal of a file that was written with :data:`BLANK_SEAL`."""
    before, blank, after = _parts(data)
    data[len(before) : len(before) + len(blank)] = _digest(before, after)


def open_sealed(path: str | Path) -> pq.ParquetFile:
    """Open a Parquet file that holds the very bytes that were written.

    Raises
    ------
    ArtefactError : it cannot be read, or is damaged.
    """
    try:
        # Whole: what was checked is what is parsed, though the file be replaced meanwhile.
        data = Path(path).read_bytes()
    except OSError as error:
        raise ArtefactError(
            f"{path} cannot be read ({error.strerror}); delete it if it is there, and it will be "
            "made again."
        ) from None
    before, stored, after = _parts(data)
    if stored != _digest(before, after):
        why = "not as it was written" if stored else "without the digest of its content"
        raise ArtefactError(f"{path} is damaged ({why}); delete it and it will be made again.")
    return pq.ParquetFile(pa.BufferReader(data))


def is_sound(path: str | Path) -> bool:
    """Whether a file is there and holds the very bytes that were written."""
    try:
        before, stored, after = _parts(Path(path).read_bytes())
    except OSError:
        return False
    return stored == _digest(before, after)


def _parts(data: bytes | bytearray) -> tuple[memoryview, bytes, memoryview]:
    """What is before the seal, the seal, and what is after it; no seal where there is none."""
    view, mark = memoryview(data), data.rfind(_MARK)
    if mark < 0:
        return view, b"", view[:0]
    start, end = mark + len(_MARK), mark + len(_MARK + _BLANK)
    return view[:start], bytes(data[start:end]), view[end:]


def _digest(before: memoryview, after: memoryview) -> bytes:
    hashed = hashlib.sha256(before)
    hashed.update(after)
    return hashed.hexdigest().encode()
