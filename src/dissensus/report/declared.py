"""stub"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    name: str
    maker: str
    reads: tuple[str, ...]
    title: str = ""
    section: str = ""


@dataclass(frozen=True)
class Table(Figure):
    pass
