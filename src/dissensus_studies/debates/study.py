"""The study of imported debates, declared: nobody is asked, everything after that is as ever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from dissensus.report.declared import Measure, Reader, Table
from dissensus.report.labels import listed
from dissensus.study.experiment.outcomes import Outcome
from dissensus.study.experiment.shown import BY_ROUND_OUTPUTS, CONTRASTS
from dissensus.study.experiment.shown import OUTCOMES as OUTCOMES_FIGURE
from dissensus.study.kind import Kind
from dissensus.study.stages import Stage
from dissensus.study.study import Manifest, Registered, Source, Study

from .design import IDS
from .kinds import Imported
from .outcomes import BY_ROUND, OUTCOMES, primary_first
from .settings import DebatesSettings
from .stages import stages_of

_HERE = __package__
_FILES = Table(
    "table_imported",
    f"{_HERE}.shown:table_imported",
    ("imported_files", "effective_numbers"),
    "Arms",
    "2 Tables",
    True,
    "What was imported?",
)
_ROUNDS_FIGURE, _ROUNDS_TABLE = BY_ROUND_OUTPUTS
_NOT_DRAWN = (
    "No arm was drawn at random here, so that a difference may be one of topics or of speakers."
)


class Debates(Study[DebatesSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "debates"
    Settings = DebatesSettings
    never_stops = "its debates are imported, and there is no call to be saved"
    question = "What becomes of disagreement in debates that others ran?"
    outcomes = OUTCOMES
    ids = IDS
    cluster = "cluster_id"
    protocol = f"{_HERE}.protocol"
    sequential = False
    source = Source(
        f"{_HERE}.design:collect",
        settings=("tables", "arms", "paired_by", "keep", "simulated"),
        files=("tables",),
        artefact="imported",
        key="session_id",
        schema=f"{_HERE}.design:IMPORTED",
        also=("imported_files", "imported_times"),
    )
    manifest = Manifest(
        f"{_HERE}.design:draw", settings=("block_size",), schema=f"{_HERE}.design:MANIFEST"
    )
    importer = f"{_HERE}.command:run"
    view = ("inference.confidence",)
    figures = (OUTCOMES_FIGURE, _ROUNDS_FIGURE)
    tables = (_FILES, CONTRASTS, _ROUNDS_TABLE)
    reader = Reader(
        title="item",
        measures=tuple(
            Measure("metrics", name, outcome.words(name)) for name, outcome in OUTCOMES.items()
        ),
        leaves_out=("turns",),
    )
    counting = (
        "No model is asked: the sessions are imported. What models were sent is in no file; what "
        "they took and cost is known where the files say it."
    )

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        return stages_of(is_paired=self.is_paired)

    @cached_property
    def kinds(self) -> Sequence[Kind[DebatesSettings, Any]]:
        return [Imported(self.settings)]

    @property
    def simulated(self) -> bool:
        return self.settings.simulated

    @property
    def is_paired(self) -> bool:
        """Whether sessions of several arms share something."""
        return self.settings.paired_by != "none"

    def shown(self) -> dict[str, Any]:
        arms = self.settings.arms

        def titles(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
            return {name: outcome.words(name) for name, outcome in outcomes.items()}

        return {
            "arms": list(arms),
            "reference": arms[0],
            "again": "",
            "cluster": self.cluster,
            "outcomes": titles(primary_first(self.settings.primary)),
            "outcomes_by_round": titles(BY_ROUND),
            "nulls": {name: each.null for name, each in (OUTCOMES | BY_ROUND).items()},
            "contrasts": [[f"{arm}-{arms[0]}", arm, arms[0]] for arm in arms[1:]],
            "factors": {},
            "unpaired": not self.is_paired,
            "objection": _NOT_DRAWN if len(arms) > 1 else "",
            # Files without values, truths or scores have no outcomes of these.
            "optional": list(OUTCOMES),
        }

    def registered(self, source: Mapping[str, Mapping[str, Any]], seed: int) -> Registered:
        return Registered(
            self.summary(),
            primary=OUTCOMES[self.settings.primary].registered,
            exclusions=["No session is left out; a file with a wrong row is refused as a whole."],
        )

    def summary(self) -> str:
        settings = self.settings
        files = listed(table.file.rpartition("/")[2] for table in settings.tables)
        paired = f"paired by their {settings.paired_by}" if self.is_paired else "not paired"
        arms = f" Its arms are {listed(settings.arms)}; their sessions are {paired}."
        return (
            f"{self.question} The sessions were imported from {files}; no model was asked, and no "
            f"arm was drawn at random here.{arms if len(settings.arms) > 1 else ''}"
        )
