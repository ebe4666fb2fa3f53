"""The text of a document, or why it has none that can be used."""

from __future__ import annotations

import logging
import re
import unicodedata
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dissensus.errors import ResourceError
from dissensus.text.seen import UNSEEN

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_MB = 1_000_000
_MOST_PAGES = 5000
#: Drawing instructions that are read of a PDF; a book has some hundred thousand.
_MOST_OPERATIONS = 3_000_000
#: A drawing that is put into another is read again each time; it counts for so many instructions.
_DRAWING = 1000

#: Bytes of instructions for a byte of the largest text; where there are more, few of them are text.
_UNPACKED = 10

_LINE_END = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")
_AT_LINE_ENDS = re.compile(r" ?\n ?")
_EMPTY_LINES = re.compile(r"\n{3,}")


class Document(NamedTuple):
    """What was read.

    Attributes
    ----------
    text : normalised; empty where there is a problem.
    problem : why the document is left out, as the rest of a sentence that begins with it.
    """

    text: str
    problem: str


def read_document(path: Path, largest_mb: float) -> Document:
    """Read a document.

    A text must be in UTF-8; a PDF is read by ``pypdf``. What cannot be read is a problem of this
    document alone, what is too large ends the run.

    Parameters
    ----------
    path : with one of the endings of :data:`dissensus.text.corpora.folders.ENDINGS`.
    largest_mb : most megabytes of the file, and million bytes of a PDF's text.

    Raises
    ------
    ResourceError : it is larger.
    """
    try:
        size = path.stat().st_size
        if size > largest_mb * _MB:
            raise _too_large(path, f"has {size / _MB:.1f} MB", largest_mb)
        raw = path.read_bytes()
    except OSError as error:
        return Document("", f"it cannot be read ({error.strerror})")
    if path.suffix.casefold() == ".pdf":
        document = _pdf(path, raw, largest_mb)
    else:
        try:
            document = Document(raw.decode("utf-8-sig"), "")
        except UnicodeDecodeError as error:
            document = Document("", f"byte {error.start} is not UTF-8; save it as UTF-8")
    text = normalised(document.text)
    if not text and not document.problem:
        return Document("", "it has no text")
    return Document(text, document.problem)


def normalised(text: str) -> str:
    """A text in Unicode's form C, with line ends, blanks and empty lines of one kind.

    What no reader sees is left out.
    """
    text = unicodedata.normalize("NFC", UNSEEN.sub("", _LINE_END.sub("\n", text)))
    text = _AT_LINE_ENDS.sub("\n", _BLANKS.sub(" ", text))
    return _EMPTY_LINES.sub("\n\n", text).strip()


def _too_large(path: Path, what: str, largest_mb: float) -> ResourceError:
    return ResourceError(
        f"{path} {what}; a document may have {largest_mb:g} MB (corpus.largest_mb): cut it, or "
        "take it out."
    )


class _Size:
    """Counts what a PDF is read to, and stops where that is too much."""

    def __init__(self, path: Path, largest_mb: float) -> None:
        self.path, self.largest_mb = path, largest_mb
        self.operations = self.bytes = self.unpacked = 0

    def page(self, page: PageObject) -> None:
        contents = page.get_contents()
        self.unpacked += len(contents.get_data()) if contents is not None else 0
        self.check()

    def operation(self, operator: bytes, *_: Any) -> None:
        self.operations += _DRAWING if operator == b"Do" else 1
        self.check()

    def text(self, text: str, *_: Any) -> None:
        self.bytes += len(text.encode("utf-8", "replace"))
        self.check()

    def check(self) -> None:
        if self.operations > _MOST_OPERATIONS:
            raise _too_large(
                self.path,
                f"has more than {_MOST_OPERATIONS:,} instructions inside",
                self.largest_mb,
            )
        if self.unpacked > _UNPACKED * self.largest_mb * _MB:
            raise _too_large(self.path, "unpacks to more than can be read", self.largest_mb)
        if self.bytes > self.largest_mb * _MB:
            raise _too_large(self.path, "has more text inside", self.largest_mb)


def _pdf(path: Path, raw: bytes, largest_mb: float) -> Document:
    """The text of a PDF, page after page."""
    from pypdf import PdfReader, apply_configuration
    from pypdf.errors import LimitReachedError

    logger = logging.getLogger("pypdf")
    before = logger.level
    # Of a file that it mends on its way, pypdf writes a line for each fault.
    logger.setLevel(logging.CRITICAL)
    most = round(_UNPACKED * largest_mb * _MB)
    try:
        with apply_configuration(
            zlib_maximum_output_length=most,
            lzw_maximum_output_length=most,
            run_length_maximum_output_length=most,
            array_based_stream_maximum_output_length=most,
        ):
            reader = PdfReader(BytesIO(raw))
            if reader.is_encrypted:
                return Document("", "it is encrypted; save it without a password")
            return _pages(path, reader, largest_mb)
    except ResourceError:
        raise
    except LimitReachedError:
        raise _too_large(path, "unpacks to more than can be read", largest_mb) from None
    # A damaged file can break the reader anywhere.
    except Exception as error:
        return Document("", f"it cannot be read as a PDF ({type(error).__name__})")
    finally:
        logger.setLevel(before)


def _pages(path: Path, reader: PdfReader, largest_mb: float) -> Document:
    if len(reader.pages) > _MOST_PAGES:
        raise _too_large(path, f"has more than {_MOST_PAGES:,} pages", largest_mb)
    size, texts = _Size(path, largest_mb), []
    for page in reader.pages:
        size.page(page)
        text = page.extract_text(visitor_operand_before=size.operation, visitor_text=size.text)
        texts.append(text.strip())
        # Where a drawing in a drawing is too large, pypdf goes on behind it.
        size.check()
    text = "\n".join(texts)
    if not text.strip():
        return Document("", "it has no text; if it is a scan, recognise its text first")
    return Document(text, "")
