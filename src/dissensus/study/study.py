"""What a study is: one declared object, and all that the rest of the house knows of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from dissensus.design.weights import Contrast
from dissensus.report.declared import Figure, Headline, Outcome, Reader, Table
from dissensus.session.inputs import Inputs, PlaceholderInputs
from dissensus.study.kind import DEBATING, Kind, Row
from dissensus.study.makes import StageFunction
from dissensus.study.may_stop import FIGURE, TABLE, BlockComparison
from dissensus.study.settings import StudySettings, marked
from dissensus.study.stages import Stage
from dissensus.tables.artefact import Column

S = TypeVar("S", bound=StudySettings)


@dataclass(frozen=True)
class Source(StageFunction):
    """The table that a study's manifest is drawn from, such as motions or questions.

    The function takes ``(settings, seed)`` and returns artefact -> (schema, rows).

    Attributes
    ----------
    artefact : the table's name, such as ``pool``.
    key : the column that names its row, there and in the manifest, such as ``motion_id``.
    schema : ``module:name`` of its schema.
    also : further artefacts that the function returns.
    """

    artefact: str = ""
    key: str = ""
    schema: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Manifest(StageFunction):
    """How a study draws its manifest.

    The function takes ``(source rows, settings, seed)`` and returns one row a session, with
    ``session_id``, ``draw_id``, ``block``, ``position`` and ``seed`` among its columns, in the
    order of the ids.

    Attributes
    ----------
    schema : ``module:name`` of the manifest's schema.
    """

    schema: str = ""


@dataclass(frozen=True)
class Diagnosis(StageFunction):
    """How a study's design and estimators are checked on simulated studies with a planted truth.

    The function takes ``(source rows, settings, seed, cores)`` and returns rows of
    :data:`dissensus.design.diagnosis.DIAGNOSIS`.

    Attributes
    ----------
    models : whether it plays the simulated models that the study asks: then ``settings`` has what
        each is, as ``models``, and a study of real models has no diagnosis.
    """

    models: bool = False


@dataclass(frozen=True)
class ModelUse:
    """Models that a setting of the study names, and what they are asked for.

    Attributes
    ----------
    setting : its path in the study's block, such as ``panel``.
    purpose : of the calls, such as "debate" or "judge".
    models : names in ``models``.
    """

    setting: str
    purpose: str
    models: Sequence[str]


@dataclass(frozen=True)
class Unidentified:
    """Why a study's settings cannot give its main estimand, and what would.

    Attributes
    ----------
    reason : what a finding could not be told from, in a sentence.
    mend : which setting to change, in a sentence.
    remedies : model -> the study as it would be with it, and the sessions that it would have
        besides, which are priced.
    """

    reason: str
    mend: str
    remedies: Mapping[str, tuple[Study[Any], Sequence[Row]]]


@dataclass(frozen=True)
class Registered:
    """What a study says of its analysis before any session, in sentences.

    Attributes
    ----------
    design : what is randomised, and how.
    estimands : what is estimated, of which population.
    primary : the outcome that the study is judged by.
    tests : how it is tested, and what stands beside it.
    exclusions : which sessions count in no estimate, and what is said of them.
    power : what the study can find.
    noise_floor : what is run twice to know it; of the manifest's arms where it is empty.
    """

    design: str
    estimands: Sequence[str] = ()
    primary: str = "No primary outcome is declared."
    tests: Sequence[str] = ()
    exclusions: Sequence[str] = (
        "Sessions that fail for good after their last attempt count in no estimate; how many do is "
        "reported by arm.",
    )
    power: Sequence[str] = ()
    noise_floor: str = ""


class Study(ABC, Generic[S]):
    """A study, by its settings.

    Attributes
    ----------
    name : of its block in the configuration, and of its folder under results/<run>/.
    ids : the columns of the manifest that name a session, ``session_id`` first. They stand in
        every transcript.
    arm : the column of what the sessions of one draw differ in.
    cluster : the column of what is independent; the key of the source where it is empty.
    protocol : the module of its protocol. Its code is part of what a session depends on.
    sequential : whether the sessions of a draw run one after another, in the order of their
        ``position`` in their part; those of one position begin together.
    question : what the study asks, in one sentence.
    outcomes : name -> what it counts, the primary one first; whatever is shown of it, and the plan,
        takes its words from there. A sentence alone is its meaning.
    pages : title and file of further pages for readers, below the study's folder.
    embedding_calls : artefacts of its calls for embeddings, where not every shard has one
        (:mod:`dissensus.run.embedding`). A study without embedders has none.
    view : the settings that figures and tables may use, by their paths in the study's block.
    headline_rows : the artefact whose rows say by ``headline`` which of them it is judged by; "" of
        a study that has none.
    headline : states its findings; without one, those of ``contrasts.parquet`` are stated, where
        the study makes that.
    truth : "module:function" of the effects that its simulated models have planted in them; takes
        artefacts, a view and :class:`~dissensus.report.truth.Diagnosed`, and gives
        :class:`~dissensus.report.truth.Effect`.
    reader : how the reader of debates shows it.
    counting : what its plan and its estimate leave out, or count at most; a sentence or more.
    importer : "module:function" that ``dissensus import`` calls with its options, of a study whose
        sessions come from files; gives lines.
    """

    name: ClassVar[str]
    Settings: ClassVar[type[StudySettings]]
    ids: ClassVar[Mapping[str, Column]]
    arm: ClassVar[str] = "arm"
    cluster: ClassVar[str] = ""
    protocol: ClassVar[str]
    source: ClassVar[Source]
    manifest: Manifest
    sequential: ClassVar[bool] = True
    question: ClassVar[str] = ""
    outcomes: ClassVar[Mapping[str, str | Outcome]] = {}
    pages: ClassVar[Sequence[tuple[str, str]]] = ()
    embedding_calls: ClassVar[tuple[str, ...]] = ()
    counting: ClassVar[str] = ""
    importer: ClassVar[str] = ""
    view: ClassVar[tuple[str, ...]] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    headline_rows: ClassVar[str] = "contrasts"
    headline: ClassVar[Headline | None] = None
    truth: ClassVar[str] = ""
    reader: ClassVar[Reader] = Reader()
    diagnosis: Diagnosis | None = None

    def __init__(self, settings: S) -> None:
        self.settings = settings
        # A study that no block configures has none.
        if settings and settings.stop:
            self.figures = (*self.figures, FIGURE)
            self.tables = (*self.tables, TABLE)

    @property
    def comparison(self) -> BlockComparison | None:
        """How a block of draws is compared; None of a study that cannot stop before its end.

        The manifest of a study that has one must take its draws by
        :func:`~dissensus.design.manifest.in_random_order` where ``stop`` is set.
        """
        return None

    @property
    def never_stops(self) -> str:
        """Why the setting ``stop`` cannot be kept, as a clause; "" where it can."""
        return "" if self.comparison else "it declares no paired difference that is known by draw"

    @classmethod
    def compared(cls) -> list[Contrast]:
        """The contrasts of arms that have weights of their own; none where all are differences."""
        return []

    def possible(self, row: Row) -> tuple[float, float] | None:
        """The least and the most that an estimate can be of; None where nothing bounds it.

        Parameters
        ----------
        row : of the estimates, or its key: ``outcome`` or ``measure``, and what tells a difference
            from a mean: ``reference`` or ``contrast``.
        """
        declared = self.outcomes.get(row.get("outcome") or row.get("measure") or "")
        outcome = Outcome.of(declared) if declared else None
        if outcome is None or outcome.limits is None or outcome.by:
            return None
        low, high = outcome.limits
        if not (row.get("reference") or (row.get("contrast") and "reference" not in row)):
            return low, high
        sides = (row.get("arm"), row.get("reference"))
        weighted = (each for each in self.compared() if (each.arm, each.reference) == sides)
        times = next((sum(each.treated.values()) for each in weighted), 1.0)
        return times * (low - high), times * (high - low)

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        """Its measures, its estimates and what else it makes of its sessions, a rule each.

        Parameters
        ----------
        models : name -> settings, as plain data, of the run's models.
        """
        return ()

    def models(self) -> list[ModelUse]:
        """The models that its settings name, by their types (:func:`marked`)."""
        settings = list(marked(self.settings, "model"))
        alone = DEBATING if len(settings) == 1 else ""
        return [
            ModelUse(each.path, each.purpose or alone or each.path, list(each.texts.values()))
            for each in settings
        ]

    @property
    def simulated(self) -> bool:
        """Whether simulated models speak in its sessions, of a study that asks no model itself."""
        return False

    def embedders(self) -> list[tuple[str, str]]:
        """Every embedder once, with the path of the first setting that names it."""
        return self._named("embedder")

    def tokenizers(self) -> list[tuple[str, str]]:
        """Every tokeniser once, with the path of the first setting that names it."""
        return self._named("tokenizer")

    def _named(self, kind: str) -> list[tuple[str, str]]:
        first: dict[str, str] = {}
        for each in marked(self.settings, kind):
            for name in each.texts.values():
                first.setdefault(name, each.path)
        return [(path, name) for name, path in first.items()]

    @property
    @abstractmethod
    def kinds(self) -> Sequence[Kind[Any, Any]]:
        """The kinds of its sessions."""

    def kind_of(self, row: Row) -> Kind[Any, Any]:
        """The kind of a session; the first that holds its row of the manifest."""
        return next(kind for kind in self.kinds if kind.holds(row))

    @cached_property
    def all_models(self) -> list[str]:
        """All models that its settings name."""
        return list(dict.fromkeys(name for use in self.models() for name in use.models))

    def expected_inputs(self, folder: Path) -> Inputs:
        """What sessions are taken to read where calls are counted and priced before a run.

        Parameters
        ----------
        folder : of the study, in which its source and its manifest are.
        """
        return PlaceholderInputs(self.settings.protocol.max_tokens)

    def embedded_first(self, folder: Path) -> Iterable[str]:
        """The texts that are embedded before any session; ``folder`` as in expected_inputs."""
        return ()

    def arm_of(self, row: Row) -> str:
        """The arm that a session is counted in where a plan is told."""
        return self.kind_of(row).counted_as(row) or str(row[self.arm])

    def check(self, models: Mapping[str, Any], source: Mapping[str, Row]) -> None:
        """Refuse a study that cannot run, where no single setting shows it.

        Parameters
        ----------
        models : name -> settings.
        source : key -> row of the source.

        Raises
        ------
        DissensusError : with the mend.
        """

    def check_models(self, models: Mapping[str, Any]) -> None:
        """Refuse models that cannot take part in this study, before anything runs.

        Parameters
        ----------
        models : name -> settings.

        Raises
        ------
        DissensusError : with the mend.
        """

    def check_settings(self) -> None:
        """Refuse settings that its design cannot have, before anything runs.

        Raises
        ------
        SettingError : with the mend.
        """

    def compile_prompts(self) -> None:
        """Render every prompt of every kind of session once, before the manifest is drawn.

        Raises
        ------
        ResourceError : a prompt file lacks a part, or has one that cannot be filled in.
        """
        for kind in self.kinds:
            kind.compile_prompts()

    def rehearsed(self, row: Row) -> Hashable:
        """Equal for sessions of which one is played with assumed replies before any call."""
        return self.arm_of(row)

    def rehearse(self, sessions: Sequence[tuple[Sequence[Row], Row]]) -> None:
        """Try what measures on sessions whose replies are assumed, before any is asked for.

        Parameters
        ----------
        sessions : of each its turns as they stand in a transcript, and the row of the source.

        Raises
        ------
        DissensusError : it is wrong whatever the replies will be.
        """

    def unidentified(
        self, rows: Sequence[Row], models: Mapping[str, Any], seed: int
    ) -> Unidentified | None:
        """Why its main estimand cannot be had with these settings; None where it can.

        Parameters
        ----------
        rows : of the manifest.
        models : name -> settings.
        seed : of the run.
        """
        return None

    def registered(self, source: Mapping[str, Row], seed: int) -> Registered:
        """What is registered of the analysis before any session.

        Parameters
        ----------
        source : key -> row of the source.
        seed : of the run.
        """
        return Registered(self.summary())

    def shown(self) -> dict[str, Any]:
        """What its figures and tables are told besides the settings of ``view``; plain data."""
        return {}

    def summary(self) -> str:
        """A paragraph for the head of the report: the design in numbers."""
        return self.question
