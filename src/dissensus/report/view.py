"""What every figure and table is made from, and what every figure gives back.

Marks of figures stand for debates, so that a page can link each to its debate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.report.facts import setting, with_origin
from dissensus.report.labels import arm_words
from dissensus.tables.artefact import Column, Schema, key_of, read_frame
from dissensus.tables.common import share, text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dissensus.report.facts import Facts


FIGURE_MARKS = Schema(
    name="figure_marks",
    row="mark of a figure that stands for a debate or a draw",
    columns={
        "figure": text("Name of the figure."),
        "mark": Column("int", "Number of the mark in the figure, from 1."),
        "x": share("Place from the left of the picture."),
        "y": share("Place from the top of the picture."),
        "target": text("The session_id or draw_id that the mark stands for."),
    },
    key=("figure", "mark"),
)


@dataclass(frozen=True)
class Marks:
    """Marks in one panel: their places in its data, and the debate or draw of each."""

    axes: Axes
    x: Sequence[float]
    y: Sequence[float]
    targets: Sequence[str]


def mark_rows(figure: str, panels: Sequence[Marks]) -> Iterator[dict[str, Any]]:
    """Rows of :data:`FIGURE_MARKS`, once the figure has been drawn and its layout is found."""
    number = 0
    for panel in panels:
        picture = panel.axes.figure.bbox
        for x, y, target in zip(panel.x, panel.y, panel.targets, strict=True):
            number += 1
            across, up = panel.axes.transData.transform((x, y))
            yield {
                "figure": figure,
                "mark": number,
                "x": min(max(float(across / picture.width), 0.0), 1.0),
                "y": min(max(1.0 - float(up / picture.height), 0.0), 1.0),
                "target": target,
            }


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


@dataclass(frozen=True)
class View:
    """The settings that readers' output depends on.

    Attributes
    ----------
    study : name of the study.
    settings : ``confidence``, in most studies ``reference``, and what else the study's figures and
        tables ask for with ``view["name"]``. ``arm_words``: arm -> what it is called for readers.
    simulated : whether the words came from simulated models.
    """

    study: str
    settings: Mapping[str, Any]
    simulated: bool

    @classmethod
    def of(cls, settings: Mapping[str, Any], simulated: bool) -> View:
        """From a rule's settings, with the study's name under "study"."""
        return cls(str(settings["study"]), settings, simulated)

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]

    def fact(self, *path: str) -> Any:
        """A setting, or one below it; numbers know that they are settings."""
        return setting(self.settings, *path)

    @property
    def planted(self) -> Mapping[str, Any]:
        """Model -> settings of how it speaks, of models that are simulated."""
        planted_models: Mapping[str, Any] = self.settings.get("planted", {})
        return planted_models

    @property
    def planted_facts(self) -> Mapping[str, Any]:
        """The same, each number a fact."""
        return self.fact("planted") if self.planted else {}

    @property
    def same_as_reference(self) -> list[str]:
        """Arms that are the reference once more, under another name: nothing can be there."""
        arms = self["arms"]
        return [arm for arm in self.arms[1:] if arms[arm] == arms[self.reference]]

    def arm(self, name: str) -> str:
        """An arm for readers: what its agents do, where the study has words for that."""
        named: Mapping[str, str] = self.settings.get("arm_words", {})
        return named.get(name) or arm_words(name)

    def arm_of(self, row: Mapping[str, Any]) -> str:
        """The arm of an estimate for readers."""
        return self.arm(row["arm"])

    @property
    def reference(self) -> str:
        """The arm that the others are compared with."""
        return str(self.settings["reference"])

    @property
    def arms(self) -> tuple[str, ...]:
        """All arms, or those that are compared where not all are; the reference first."""
        arms = self.settings.get("compared", self["arms"])
        return (self.reference, *(arm for arm in arms if arm != self.reference))

    @property
    def confidence(self) -> float:
        """Level of the intervals."""
        return float(self.settings["confidence"])

    @property
    def alpha(self) -> float:
        """Below it, an adjusted p-value is significant."""
        return 1.0 - self.confidence

    @property
    def level(self) -> str:
        """The same for readers, such as "95%"."""
        return with_origin(f"{100 * self.confidence:g}%", self.fact("confidence"), 100.0)


@dataclass(frozen=True)
class Drawn:
    """A figure, and the values of the names in its caption's template.

    Attributes
    ----------
    marks : those that stand for debates, so that the results page can link them.
    """

    figure: Figure
    facts: Mapping[str, str]
    marks: Sequence[Marks] = ()
