"""The settings of the study of imported debates."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from dissensus.session.turn_fields import TURN_FIELDS
from dissensus.setting_faults import Faults, fault
from dissensus.settings import Confidence, Count, Line, Once, Resamples, Settings
from dissensus.study.settings import (
    Embedder,
    File,
    Mark,
    ProtocolSettings,
    Repairs,
    StudySettings,
    Temperature,
)

from .outcomes import LEXICAL, OUTCOMES
from .turns import ALWAYS

#: What pairs sessions of different arms; none compares arms whose sessions have nothing in common.
PairedBy = Literal["pair", "draw", "item", "none"]


class TableSettings(Settings):
    """One file of turns, and what its columns are called."""

    noun: ClassVar[str] = "setting"

    file: File
    """A CSV, a Parquet file, JSON lines or an .xlsx with a row a turn."""
    columns: dict[str, Line | None] = Field(default_factory=dict)
    """What a field of a turn is called in the file; null leaves it out. Other columns that are
    called like fields count too.
    """
    always: dict[str, Line] = Field(default_factory=dict)
    """Fields that all turns of the file have alike, such as arm or person."""
    made_from: list[Line] = Field(default_factory=list)
    """Where the file was converted from: the format, the file, and its SHA-256."""

    @field_validator("columns", "always")
    @classmethod
    def _fields_are_known(cls, named: dict[str, Any], info: Any) -> dict[str, Any]:
        may = ALWAYS if info.field_name == "always" else tuple(TURN_FIELDS)
        if lost := [name for name in named if name not in may]:
            raise ValueError(
                f"{lost[0]!r} is no field that it may have; there are {', '.join(may)}"
            )
        return named

    @model_validator(mode="after")
    def _names_each_field_once(self) -> TableSettings:
        if both := sorted(set(self.columns) & set(self.always)):
            raise Faults(fault("always", dict(self.always), f"{both[0]} is in columns too"))
        for name in ("value", "truth", "decision"):
            if {name, f"{name}_json"} <= set(self.columns):
                may = f"leave out {name} or {name}_json"
                raise Faults(fault("columns", dict(self.columns), may))
        return self


class ImportProtocol(ProtocolSettings):
    """Nothing is asked, so that no value here changes anything."""

    temperature: Temperature = 0.0
    """Stands for the temperature that files do not say; nothing is asked."""
    max_tokens: Count = 1
    """The same for the length of replies."""
    repairs: Repairs = 0
    """The same for how often a reply is asked for again."""
    session_attempts: Count = 1
    """How often a session is read: its turns are the same each time."""


class CompareSettings(Settings):
    """How arms are compared."""

    confidence: Confidence = 0.95
    """Level of the intervals."""
    flips: Resamples = 10_000
    """Sign patterns of the randomisation test."""


class DebatesSettings(StudySettings):
    """The block of imported debates; ``dissensus import`` writes it."""

    tables: Annotated[list[TableSettings], Field(min_length=1)]
    """The files of turns."""
    arms: Annotated[list[Line], Field(min_length=1), Once] = Field(
        default_factory=lambda: ["debates"]
    )
    """The arms that the files name, the reference first; one where they name none."""
    paired_by: PairedBy = "none"
    """The field that sessions share which are compared across arms."""
    primary: str = LEXICAL
    """The primary outcome. ``dissensus import`` takes one that is based on the truth, where the
    files have it: the speakers who end right, or else the groups that decide right.
    """
    keep: Annotated[list[Literal["names", "times"]], Once] = Field(default_factory=list)
    """What is dropped otherwise: names of people, and times."""
    simulated: bool = False
    """Whether simulated models speak in any of the turns; the files say which."""
    tokenizer: Annotated[str, Mark("tokenizer")] = "tekken"
    """What lexical measures are made with."""
    embedder: Embedder | None = "use-multilingual"
    """What semantic measures are made with; null leaves them out."""
    block_size: Count = 25
    """Sessions that are kept together in one block."""
    protocol: ImportProtocol = ImportProtocol()
    inference: CompareSettings = CompareSettings()

    @field_validator("primary")
    @classmethod
    def _primary_is_measured(cls, primary: str) -> str:
        if primary not in OUTCOMES:
            raise ValueError(f"it must be one of {', '.join(OUTCOMES)}")
        return primary
