"""Arms, factors and items as a study's code sees them: a name that does not exist is an error."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace


class UnknownLevelError(LookupError):
    """A study's code asks for an arm, or a level of a factor, that its design does not have."""


class Level(str):
    """An arm, or a level of a factor: a text that is compared with those of its design alone.

    A misspelt arm would otherwise be one that never comes: the session would hold another arm's
    debate, and nobody would be told.

    Parameters
    ----------
    name : of the level.
    of : what it is a level of, such as "arm".
    levels : all that there are.
    """

    def __new__(cls, name: str, of: str, levels: Iterable[str]) -> Level:
        level = super().__new__(cls, name)
        level._of, level._levels = of, tuple(levels)
        return level

    def __reduce__(self) -> tuple[type[Level], tuple[str, str, tuple[str, ...]]]:
        return Level, (str(self), self._of, self._levels)

    _of: str
    _levels: tuple[str, ...]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and not any(str.__eq__(other, level) for level in self._levels):
            names = ", ".join(self._levels)
            raise UnknownLevelError(f"{str(other)!r} is no {self._of}; there are {names}")
        return str.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Fields(SimpleNamespace):
    """What is known of an item, or of a draw's factors: a name a column."""

    def __getattr__(self, name: str) -> object:
        names = ", ".join(vars(self)) or "none in this session"
        raise AttributeError(f"there is no {name!r}; there are {names}", name=name, obj=self)
