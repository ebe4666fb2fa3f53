"""The identity study, declared: who said it, or what was said."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from dissensus.identity.design.banks import write_question
from dissensus.identity.design.graph import peers_in, read_peers
from dissensus.identity.design.manifest import IDS
from dissensus.identity.figures import FIGURES, HEADLINE, TABLES
from dissensus.identity.protocol import AGENT, AnswerFormat, Debate, Prompts, read_personas
from dissensus.identity.reader import READER
from dissensus.identity.settings import IdentitySettings
from dissensus.identity.terms import DEBATED, OPENING
from dissensus.session.inputs import Inputs
from dissensus.session.prompt_files import ANGLED, check_filled
from dissensus.session.protocol import PLACEHOLDER, Decoding, Steps, assumed_calls
from dissensus.study.kind import Needs, Row
from dissensus.study.study import Diagnosis, Manifest, Source, Study

#: When, and by which job, a session runs changes nothing about it.
_LOGISTICS = ("draw_id", "block", "position", "job")
_DESIGN = "dissensus.identity.design"


class Identity(Study[IdentitySettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "identity"
    Settings = IdentitySettings
    question = "Do agents follow an answer because of who gave it?"
    ids = IDS
    arm = "condition"
    protocol = "dissensus.identity.protocol"
    #: The debates of a draw wait for their opening and not for each other.
    sequential = False
    source = Source(
        f"{_DESIGN}.banks:collect",
        settings=("banks",),
        files=("banks",),
        artefact="questions",
        key="question_id",
        schema=f"{_DESIGN}.banks:QUESTIONS",
    )
    manifest = Manifest(
        f"{_DESIGN}.manifest:draw",
        settings=("teams", "agents", "rounds", "samples", "shard", "personas"),
        files=("personas",),
        schema=f"{_DESIGN}.manifest:MANIFEST",
    )
    view = ("inference.confidence", "inference.ibc_noise", "inference.resamples")
    figures = FIGURES
    tables = TABLES
    headline = HEADLINE
    truth = "dissensus.identity.figures.truth:effects"
    reader = READER
    diagnosis = Diagnosis(
        "dissensus.identity.inference.diagnosis:diagnose",
        settings=("diagnosis", "inference.confidence"),
    )

    def spec(self, row: Row, item: Row) -> dict[str, Any]:
        options = item["options"] if item["kind"] == "choice" else []
        return {
            **{name: value for name, value in row.items() if name not in _LOGISTICS},
            "question": write_question(item["kind"], item["text"], options),
            "kind": item["kind"],
            "options": list(options),
            "systems": [self._personas[seat] for seat in row["seats"]],
            "prompts_sha256": self._prompts.sha256(row["condition"]),
        }

    def cast(self, row: Row) -> list[str]:
        return [row["model"]]

    def kind(self, row: Row) -> tuple[Any, ...]:
        """With personas, whoever has which."""
        return tuple(row[n] for n in ("condition", "question_id", "model", "personas", "graph"))

    def needs(self, row: Row) -> Needs:
        """A debate reads its opening."""
        return Needs(sessions=(row["opening"],) if row["opening"] else ())

    def steps(self, spec: Row, inputs: Inputs) -> Callable[[], Steps]:
        seats = spec["seats"] or [AGENT] * spec["agents"]
        debate = Debate(
            prompts=self._prompts,
            question=spec["question"],
            format=AnswerFormat(spec["kind"], tuple(spec["options"])),
            decoding=Decoding.of(spec["protocol"]),
            model=spec["model"],
            seats=tuple(seats),
            systems=tuple(spec["systems"] or [""] * len(seats)),
        )
        if spec["condition"] == OPENING:
            return debate.opening
        return partial(_go_on, debate, spec, inputs)

    @cached_property
    def _prompts(self) -> Prompts:
        return Prompts.read(self.settings.prompts)

    @cached_property
    def _personas(self) -> dict[str, str]:
        return read_personas(self.settings.personas)

    def compile_prompts(self) -> None:
        """A round of every condition, without personas and with all that there are."""
        settings, personas = self.settings, self._personas
        for systems in ({AGENT: "", "another": ""}, personas):
            debate = Debate(
                prompts=self._prompts,
                question=PLACEHOLDER,
                format=AnswerFormat("numeric", ()),
                decoding=Decoding.of(settings.protocol.model_dump()),
                model=PLACEHOLDER,
                seats=tuple(systems),
                systems=tuple(systems.values()),
            )
            said, peers = [PLACEHOLDER] * len(systems), peers_in("star", len(systems))
            debates = (
                debate.goes_on(debated, said, peers, rounds=1, seed=0) for debated in DEBATED
            )
            for steps in (debate.opening(), *debates):
                files = f"{settings.prompts}, {settings.personas}"
                check_filled(assumed_calls(steps), files, ANGLED)

    def summary(self) -> str:
        return (
            f"{self.question} {self.settings.agents} agents answer a question, see their own "
            "answer and their peers' labelled as such or without labels, and answer again, "
            f"{self.settings.rounds} times. The outcome is the Identity Bias Coefficient: how much "
            "more an agent follows a peer than itself when it is told which is which."
        )


def _go_on(debate: Debate, spec: Row, inputs: Inputs) -> Steps:
    """The rounds after an opening."""
    agents = [f"A{number}" for number, _ in enumerate(debate.seats, start=1)]
    texts = inputs.texts(spec["opening"], agents)
    peers = read_peers(spec["graph"])
    return debate.goes_on(spec["condition"], texts, peers, spec["rounds"], spec["seed"])
