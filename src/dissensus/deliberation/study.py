"""The deliberation study, declared: emergent debate graphs, and what controls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from dissensus.deliberation.design.manifest import IDS
from dissensus.deliberation.figures import FIGURES, HEADLINE, TABLES
from dissensus.deliberation.prompts import Note, Topic, Wording
from dissensus.deliberation.protocol import Arm, Cast, deliberate, example_reply
from dissensus.deliberation.reader import READER
from dissensus.deliberation.settings import DeliberationSettings
from dissensus.errors import ResourceError
from dissensus.session.inputs import Inputs
from dissensus.session.prompt_files import check_filled
from dissensus.session.protocol import PLACEHOLDER, Decoding, Steps, assumed_calls
from dissensus.study.kind import Row
from dissensus.study.study import Diagnosis, Manifest, Source, Study

#: When a session runs changes nothing about it; the hint counts only where it is given.
_LEFT_OUT = ("block", "arm_order", "position", "hint", "hint_option", "hint_round")
_DESIGN = "dissensus.deliberation.design"
#: The third round is the first to show two rounds before it.
_ROUNDS_COMPILED = 3


class Deliberation(Study[DeliberationSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "deliberation"
    Settings = DeliberationSettings
    question = "What becomes of disagreement where nobody is told whom to answer?"
    ids = IDS
    protocol = "dissensus.deliberation.protocol"
    source = Source(
        f"{_DESIGN}.topics:collect",
        settings=("topics",),
        files=("topics",),
        artefact="topics",
        key="topic_id",
        schema=f"{_DESIGN}.topics:TOPICS",
    )
    manifest = Manifest(
        f"{_DESIGN}.manifest:draw",
        settings=("draws", "block_size", "rounds", "panel", "judges", "arm_names"),
        schema=f"{_DESIGN}.manifest:MANIFEST",
    )
    counting = "Turns that a judge sends back, and what it then says of them, are not counted."
    view = (
        *("reference", "inference.confidence", "arms", "compared", "control.target"),
        "measures.alerts",
    )
    figures = FIGURES
    tables = TABLES
    headline = HEADLINE
    truth = "dissensus.deliberation.figures.truth:effects"
    reader = READER
    diagnosis = Diagnosis(
        "dissensus.deliberation.inference.diagnosis:diagnose",
        settings=(
            *(
                "draws",
                "rounds",
                "arms",
                "compared",
                "reference",
                "control",
                "topics",
                "prompts",
                "judging",
            ),
            *("protocol", "measures", "diagnosis", "inference.confidence"),
        ),
        files=("topics", "prompts", "judging"),
    )

    def check(self, models: Mapping[str, Any], source: Mapping[str, Row]) -> None:
        """Refuse hints without a truth."""
        settings = self.settings
        hinted = [name for name, arm in settings.arms.items() if arm.hints]
        if hinted and not any(topic["truth"] for topic in source.values()):
            raise ResourceError(
                f"{settings.topics}: no topic has a truth, which the hints of deliberation.arms."
                f"{hinted[0]} need; give one, or leave that arm out."
            )

    def spec(self, row: Row, item: Row) -> dict[str, Any]:
        """Of models and prompts, the judge's only where the arm asks one; the hint only where it is
        given; of the topic, not the truth, which no one is told; of the control, what the arm's
        schedule looks at.
        """
        settings = self.settings
        arm = settings.arms[row["arm"]]
        note = [row["hint_option"], row["hint_round"]] if row["hint"] != "none" else []
        return {
            **{name: value for name, value in row.items() if name not in _LEFT_OUT},
            "judge": self._judge(row),
            "topic": {
                "question": item["question"],
                "options": item["options"],
                "evidence": dict(zip(item["evidence_ids"], item["evidence"], strict=True)),
            },
            "arm_settings": arm.protocol(settings.control),
            "note": note if arm.hints else [],
            "prompts": settings.prompts,
            "judging": settings.judging,
            "wording_sha256": self._wording.sha256(arm.judged),
        }

    def cast(self, row: Row) -> list[str]:
        return [name for name in (*row["cast"], self._judge(row)) if name]

    def _judge(self, row: Row) -> str:
        """The judge of a session, "" where its arm asks none."""
        return str(row["judge"]) if self.settings.arms[row["arm"]].judged else ""

    def kind(self, row: Row) -> tuple[str, ...]:
        hint = (row["hint_option"], str(row["hint_round"]))
        return (row["arm"], row["topic_id"], *row["cast"], row["judge"], *hint)

    def steps(self, spec: Row, inputs: Inputs) -> Callable[[], Steps]:
        topic = spec["topic"]
        return deliberate(
            self._wording,
            Topic(topic["question"], tuple(topic["options"]), topic["evidence"]),
            Cast({f"A{seat}": name for seat, name in enumerate(spec["cast"], 1)}, spec["judge"]),
            Arm(**spec["arm_settings"]),
            spec["rounds"],
            Note(*spec["note"]) if spec["note"] else None,
            Decoding.of(spec["protocol"]),
        )

    @cached_property
    def _wording(self) -> Wording:
        return Wording.read(self.settings.prompts, self.settings.judging)

    def compile_prompts(self) -> None:
        """Some rounds of every arm in which all is said that a prompt may show."""
        settings = self.settings
        topic = Topic(PLACEHOLDER, ("a", "b"), {"e1": PLACEHOLDER})
        for arm in settings.arms.values():
            steps = deliberate(
                self._wording,
                topic,
                Cast({"A1": PLACEHOLDER, "A2": PLACEHOLDER}, PLACEHOLDER),
                replace(Arm(**arm.protocol(settings.control)), samples=None),
                min(settings.rounds, _ROUNDS_COMPILED),
                Note("a", 2) if arm.hints else None,
                Decoding.of(settings.protocol.model_dump()),
            )
            files = f"{settings.prompts}, {settings.judging}"
            check_filled(assumed_calls(steps(), example_reply), files)

    def summary(self) -> str:
        settings = self.settings
        return (
            f"{self.question} {len(settings.panel)} agents speak at once in each of "
            f"{settings.rounds} rounds; every engagement names an agent and a claim, and the "
            f"debate's graph is rebuilt from that. {settings.draws} draws are run in each of "
            f"{len(settings.arms)} arms, compared with {settings.reference}."
        )
