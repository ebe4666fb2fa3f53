"""The one kind of session of the deliberation study: rounds that all agents write at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from dissensus.session.inputs import Inputs, PlaceholderInputs
from dissensus.session.prompt_files import check_filled
from dissensus.session.protocol import PLACEHOLDER, Steps, assumed_calls
from dissensus.study.kind import Kind, Row

from .prompts import Note, Topic, Wording
from .protocol import Arm, Cast, deliberate, example_reply
from .settings import DeliberationSettings

#: The third round is the first to show two rounds before it.
_ROUNDS_COMPILED = 3


@dataclass(frozen=True)
class DeliberationSpec:
    """What a session depends on.

    Attributes
    ----------
    topic : its question, options and evidence; not the truth, which no one is told.
    cast : who takes part; no judge where the arm asks none.
    arm : how it runs, with what its schedule looks at of the control.
    rounds : how many.
    note : the moderator's, None where none is given.
    wording_sha256 : of the prompts, those of judges where the arm asks one.
    """

    topic: Topic
    cast: Cast
    arm: Arm
    rounds: int
    note: Note | None
    wording_sha256: str


@dataclass(frozen=True)
class Deliberation(Kind[DeliberationSettings, DeliberationSpec]):
    """Agents deliberate a topic, in one arm."""

    def spec(self, row: Row, item: Row) -> DeliberationSpec:
        settings = self.settings
        arm = settings.arms[row["arm"]]
        return DeliberationSpec(
            Topic.of(item),
            Cast({f"A{seat}": name for seat, name in enumerate(row["cast"], 1)}, self._judge(row)),
            Arm(**arm.protocol(settings.control)),
            row["rounds"],
            Note.of(row) if arm.hints else None,
            self._wording.sha256(arm.judged),
        )

    def cast(self, row: Row) -> list[str]:
        return [name for name in (*row["cast"], self._judge(row)) if name]

    def _judge(self, row: Row) -> str:
        """The judge of a session, "" where its arm asks none."""
        return str(row["judge"]) if self.settings.arms[row["arm"]].judged else ""

    def alike(self, row: Row) -> tuple[str, ...]:
        hint = (row["hint_option"], str(row["hint_round"]))
        return (row["arm"], row["topic_id"], *row["cast"], row["judge"], *hint)

    def steps(self, spec: DeliberationSpec, inputs: Inputs) -> Callable[[], Steps]:
        session = spec.topic, spec.cast, spec.arm, spec.rounds, spec.note
        return deliberate(self._wording, *session, self.decoding)

    @cached_property
    def _wording(self) -> Wording:
        return Wording.read(self.settings.prompts, self.settings.judging)

    def compile_prompts(self) -> None:
        """Some rounds of every arm in which all is said that a prompt may show."""
        settings = self.settings
        topic = Topic(PLACEHOLDER, ("a", "b"), {"e1": PLACEHOLDER})
        cast = Cast({"A1": PLACEHOLDER, "A2": PLACEHOLDER}, PLACEHOLDER)
        rounds = min(settings.rounds, _ROUNDS_COMPILED)
        for arm in settings.arms.values():
            tried = replace(Arm(**arm.protocol(settings.control)), samples=None)
            note = Note("a", 2) if arm.hints else None
            spec = DeliberationSpec(topic, cast, tried, rounds, note, "")
            calls = assumed_calls(self.steps(spec, PlaceholderInputs())(), example_reply)
            check_filled(calls, f"{settings.prompts}, {settings.judging}")
