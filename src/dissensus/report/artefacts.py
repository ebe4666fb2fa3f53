"""A study's artefacts by name, read when a figure or a table asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dissensus.tables.artefact import key_of

if TYPE_CHECKING:
    import pandas as pd

    from dissensus.report.facts import Facts


@dataclass(frozen=True)
class Artefacts:
    """Paths of artefacts, and the frames read so far.

    Attributes
    ----------
    paths : name, such as "language_effect" -> file.
    loaded : name -> frame; nobody may change a frame.
    """

    paths: Mapping[str, str | Path]
    loaded: dict[str, pd.DataFrame] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        """Where an artefact lies.

        Raises
        ------
        KeyError : the figure or table did not declare that it reads it.
        """
        return Path(self.paths[name])

    def frame(self, name: str) -> pd.DataFrame:
        """An artefact as a frame; read once."""
        if name not in self.loaded:
            from dissensus.report.frames import read_frame

            self.loaded[name] = read_frame(self.path(name))
        return self.loaded[name]

    def frames(self, *names: str) -> list[pd.DataFrame]:
        """Several of them, in the order asked for."""
        return [self.frame(name) for name in names]

    def facts(self, name: str) -> Facts:
        """An artefact whose numbers know where they are from; its key is the one that it names."""
        from dissensus.report.facts import Facts

        # What is in no file names no key.
        key = key_of(self.path(name)) if name in self.paths else ()
        return Facts(name, self.frame(name), key)
