"""The kinds of session of the union study: styles, debates, memos, and names of clusters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from dissensus.session.inputs import Inputs, PlaceholderInputs
from dissensus.session.prompt_files import check_filled
from dissensus.session.protocol import PLACEHOLDER, Call, Steps, assumed_calls
from dissensus.study.kind import Kind, Needs, Row, Spec

from . import protocol
from .prompts import Wording
from .protocol import Coaching, Draw, Models, Rules, exact
from .protocol.debate import PASSAGES_FILE
from .protocol.examples import COMPILED, example_reply
from .protocol.floor import SEATS
from .protocol.gates import Gate, Place, accepted
from .protocol.judging import CLAIMS_OF_A_SPEECH
from .protocol.names import CLUSTERS_FILE, MAP_FILE
from .protocol.parts import PARTS, debate_parts
from .protocol.style import CHUNKS_FILE
from .settings import UnionSettings
from .tables import COACHED, SIDES


@dataclass(frozen=True)
class _Worded(Kind[UnionSettings, Spec]):
    """What all kinds share; ``wording``: of their prompts."""

    wording: Wording

    @property
    @abstractmethod
    def compiled(self) -> Spec:
        """A session that uses every part of the wording."""

    def compile_prompts(self) -> None:
        steps = self.steps(self.compiled, PlaceholderInputs())
        files = f"{self.settings.prompts}, {self.settings.judging}"
        check_filled(assumed_calls(steps(), example_reply), files)

    def embedded(self, call: Call) -> int:
        """The claims of a speech, for the map."""
        return CLAIMS_OF_A_SPEECH if call.role == "claims" else 0


@dataclass(frozen=True)
class _Asking(_Worded[Spec]):
    """What asks one model; ``model``: its name."""

    model: str

    def cast(self, row: Row) -> list[str]:
        return [self.model]

    def alike(self, row: Row) -> Hashable:
        return str(row["motion_id"])

    @property
    def _wording_sha256(self) -> str:
        return self.wording.sha256(*PARTS[self.name])


@dataclass(frozen=True)
class StyleSpec:
    """Who is described, by which model, in which words."""

    speakers: Sequence[str]
    model: str
    wording_sha256: str


@dataclass(frozen=True)
class Style(_Asking[StyleSpec]):
    """How the speakers of a motion speak, from their corpora."""

    name = "style"

    def spec(self, row: Row, item: Row) -> StyleSpec:
        speakers = sorted(name for side in SIDES for name in item[side])
        return StyleSpec(speakers, self.model, self._wording_sha256)

    def needs(self, row: Row) -> Needs:
        return Needs(artefacts=(CHUNKS_FILE,))

    def steps(self, spec: StyleSpec, inputs: Inputs) -> Callable[[], Steps]:
        decoding = exact(self.settings.protocol.model_dump())
        return protocol.describe(self.wording, spec.speakers, spec.model, decoding, inputs)

    @property
    def compiled(self) -> StyleSpec:
        return StyleSpec(COMPILED.draw.order, PLACEHOLDER, "")


@dataclass(frozen=True)
class MemoSpec:
    """Who is coached and by what, by which model, in which words."""

    coaching: Coaching
    model: str
    wording_sha256: str


@dataclass(frozen=True)
class Memo(_Asking[MemoSpec]):
    """What a motion's students are told before an epoch, from the coached debates before it."""

    name = "memo"

    def spec(self, row: Row, item: Row) -> MemoSpec:
        motion = {name: item[name] for name in ("motion", *SIDES, "students")}
        coaching = Coaching(motion, self.needs(row).sessions)
        return MemoSpec(coaching, self.model, self._wording_sha256)

    def needs(self, row: Row) -> Needs:
        before = f"{row['motion_id']}-e{row['epoch'] - 1}"
        runs = range(1, self.settings.runs + 1)
        return Needs(sessions=tuple(f"{before}-r{run:02d}-{COACHED}" for run in runs))

    def steps(self, spec: MemoSpec, inputs: Inputs) -> Callable[[], Steps]:
        return protocol.coach(self.wording, spec.coaching, spec.model, self.decoding, inputs)

    @property
    def compiled(self) -> MemoSpec:
        return MemoSpec(Coaching(COMPILED.motion, ("",)), PLACEHOLDER, "")


@dataclass(frozen=True)
class NamesSpec:
    """Of which motion the clusters are named, by which model, in which words."""

    motion_id: str
    motion: str
    model: str
    wording_sha256: str


@dataclass(frozen=True)
class Names(_Asking[NamesSpec]):
    """Clusters of claims are named when all has been said."""

    name, part = "names", 1

    def spec(self, row: Row, item: Row) -> NamesSpec:
        return NamesSpec(row["motion_id"], item["motion"], self.model, self._wording_sha256)

    def needs(self, row: Row) -> Needs:
        return Needs(artefacts=(CLUSTERS_FILE, MAP_FILE))

    def steps(self, spec: NamesSpec, inputs: Inputs) -> Callable[[], Steps]:
        motion = spec.motion_id, spec.motion
        short = Rules.of(self.settings.protocol.model_dump()).exact_short
        return protocol.name_clusters(self.wording, motion, spec.model, short, inputs)

    @property
    def compiled(self) -> NamesSpec:
        return NamesSpec("", PLACEHOLDER, PLACEHOLDER, "")


@dataclass(frozen=True)
class DebateSpec:
    """What was drawn for a debate, who is asked for what, and in which words.

    How the verdict is made of the judges' replies is none of it.
    """

    draw: Draw
    models: Models
    wording_sha256: str


@dataclass(frozen=True)
class UnionDebate(_Worded[DebateSpec]):
    """Speakers debate a motion, and judges judge it."""

    name = "debate"

    def spec(self, row: Row, item: Row) -> DebateSpec:
        settings, memos = self.settings.protocol, _memos(row)
        draw = Draw.of(row, item, settings.passages, _styles(row), memos)
        told = debate_parts(settings, coached=bool(memos))
        return DebateSpec(draw, self.models, self.wording.sha256(*told))

    @property
    def models(self) -> Models:
        """Who is asked for what."""
        settings, judges = self.settings, self.settings.judges
        return Models(
            speaker=settings.speaker_model,
            extractor=settings.extractor,
            interjector=settings.interjector if settings.protocol.points else "",
            annotator=settings.annotator,
            judges=tuple(judges[seat % len(judges)] for seat in range(SEATS)),
        )

    def cast(self, row: Row) -> list[str]:
        asked = self.models
        named = [asked.speaker, asked.extractor, asked.interjector, asked.annotator, *asked.judges]
        return [name for name in dict.fromkeys(named) if name]

    def alike(self, row: Row) -> Hashable:
        """Whatever the order of the speeches and the lenses are; how many points are taken."""
        return row["motion_id"], bool(_memos(row)), self._points_taken(row)

    def _points_taken(self, row: Row) -> int:
        """How many points of information a debate answers, where as many are offered as can be."""
        gate, count = Gate.of(self.settings.protocol.model_dump()), len(row["order"])
        places = (Place(row["draw_seed"], number, count) for number in range(1, count + 1))
        return sum(sum(accepted(place, gate)) for place in places)

    def needs(self, row: Row) -> Needs:
        sessions = tuple(filter(None, (_styles(row), _memos(row))))
        return Needs(sessions, artefacts=(PASSAGES_FILE,))

    def steps(self, spec: DebateSpec, inputs: Inputs) -> Callable[[], Steps]:
        rules = Rules.of(self.settings.protocol.model_dump())
        return protocol.debate(self.wording, spec.draw, spec.models, rules, inputs)

    @property
    def compiled(self) -> DebateSpec:
        return DebateSpec(COMPILED.draw, self.models, "")


def _styles(row: Row) -> str:
    """The session that describes the speakers of a motion."""
    return f"{row['motion_id']}-e0-style"


def _memos(row: Row) -> str:
    """The session with the memos that a debate's students read; "" where there is none."""
    is_coached = row["arm"] == COACHED and row["epoch"] > 1
    return f"{row['motion_id']}-e{row['epoch']}-memo" if is_coached else ""
