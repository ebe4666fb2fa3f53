"""What somebody published beside what this project makes of the same data.

A :class:`Published` is one number; a :class:`Section` has those of one source. Whoever makes a row
says why the two differ, or that this is open: a row that does not is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.report.labels import number

#: What stands where the two are the same.
EQUAL = "equal"
#: What a row says whose difference nobody has explained.
OPEN = "open"
_NOT_PUBLISHED = "not published"
_COLUMNS = ("quantity", "published", "here", "difference", "why")


@dataclass(frozen=True)
class Published:
    """A number that was published, and what it is here.

    Attributes
    ----------
    quantity : what it is.
    published : as printed, in ``unit``; None where the source has none.
    here : from the data.
    why : why they differ, what is compared, or :data:`OPEN`.
    digits, here_digits : after the point, as printed and as shown; as many without the second.
    unit : that stands behind both, such as "%".
    limits : an interval of ``here``, in words.
    """

    quantity: str
    published: float | None
    here: float
    why: str = ""
    digits: int = 0
    here_digits: int | None = None
    unit: str = ""
    limits: str = ""

    def __post_init__(self) -> None:
        if not self.is_equal and not self.why:
            raise ValueError(f"{self.quantity!r} differs from what was published, and says not why")

    @property
    def is_equal(self) -> bool:
        """Whether both are the same in the digits that were printed."""
        if self.published is None:
            return False
        return f"{self.here:.{self.digits}f}" == f"{self.published:.{self.digits}f}"

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of the page."""
        digits = self.digits if self.here_digits is None else self.here_digits
        here = f"{_shown(self.here, digits)}{self.unit}"
        here = f"{here} {self.limits}" if self.limits else here
        if self.published is None:
            return (self.quantity, _NOT_PUBLISHED, here, "", self.why)
        printed = f"{_shown(self.published, self.digits)}{self.unit}"
        gap = EQUAL if self.is_equal else _signed(self.here - self.published, digits)
        return (self.quantity, printed, here, gap, self.why)


@dataclass(frozen=True)
class Claimed:
    """A sentence that was published, and what the data say to it.

    Attributes
    ----------
    quantity, published, here : in words.
    holds : None where it cannot be told.
    why : what is compared.
    """

    quantity: str
    published: str
    here: str
    holds: bool | None
    why: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of the page."""
        said = {True: "holds", False: "does not hold", None: "cannot be told"}[self.holds]
        return (self.quantity, self.published, self.here, said, self.why)


Line = Published | Claimed


@dataclass(frozen=True)
class Section:
    """What one source published, and what is made of it here.

    Attributes
    ----------
    source : its name in the list of sources; "" for what has none.
    title : of the part of the page.
    lines : the rows.
    words : what stands before them, in Markdown.
    after : what stands behind them, such as a table of a study.
    """

    source: str
    title: str
    lines: Sequence[Line]
    words: str = ""
    after: str = ""


def as_rows(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Columns and rows of cells."""
    return [_COLUMNS, *(each.cells for each in lines)]


def _shown(value: float, digits: int) -> str:
    """A number; a large one has its thousands parted."""
    return f"{value:,.{digits}f}" if abs(value) >= 1000 else number(value, digits)


def _signed(value: float, digits: int) -> str:
    return f"{value:+,.{digits}f}".replace("-", "−")
